internal import Foundation
internal import Glibc

/// The machine's pcscd.
enum PcscdProgram {
  static let path = "/usr/sbin/pcscd"

  /// pcscd 2 asks polkit for each client unless told not to, and has an option for that; pcscd 1 does not know it.
  static func extraArguments() throws(PrivatePcscdError) -> [String] {
    guard unsafe access(path, X_OK) == 0 else { throw .noPcscd(path: path) }
    // The option's name is in the program's table of options, so the program need not be run to know.
    guard let program = FileManager.default.contents(atPath: path) else { return [] }
    return program.range(of: Data("disable-polkit".utf8)) == nil ? [] : ["--disable-polkit"]
  }
}
