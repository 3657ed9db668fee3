internal import Foundation

/// The programs and libraries that are built beside the tests.
package enum BuildProducts {
  /// The folder of the test bundle, found among what this process has mapped: `swift test` runs it in a helper program of
  /// the toolchain. Otherwise, in a program that links this, the program's own folder.
  package static let directory: String = {
    let maps = FileManager.default.contents(atPath: "/proc/self/maps").map { String(decoding: $0, as: UTF8.self) } ?? ""
    let bundle = maps.split(separator: "\n").lazy
      .compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
      .first { $0.hasSuffix(".xctest") }
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: bundle ?? program ?? "/").deletingLastPathComponent().path(percentEncoded: false)
  }()

  /// The absolute path of a product: `virtual-tag`, `uid-monitor`, `libVirtualReader.so`.
  package static func path(_ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}
