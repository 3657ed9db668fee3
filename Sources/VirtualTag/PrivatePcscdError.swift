/// Why there is no private pcscd.
package enum PrivatePcscdError: Error, Equatable {
  case noPcscd(path: String)
  case noLibrary(path: String)
  case folderTooLong(path: String)
  case folder(path: String, reason: String)
  case system(doing: String, errno: Int32)

  /// pcscd ended, or did not serve its readers within 10 s; the end of what it wrote.
  case didNotStart(output: String)
}

extension PrivatePcscdError: CustomStringConvertible {
  /// What is wrong and what to do, as `what: what to do`.
  package var description: String {
    switch self {
    case .noPcscd(let path): "\(path) is not there: install the Debian package pcscd"
    case .noLibrary(let path): "\(path) is not there: build the products VirtualReader and PcscdConfinement"
    case .folderTooLong(let path): "\(path) is too long for sockets below it: use a folder with a shorter path"
    case .folder(let path, let reason): "\(path) cannot be used (\(reason)): choose a folder of your own"
    case .system(let doing, let errno): "\(doing) failed with errno \(errno): see errno(3)"
    case .didNotStart(let output):
      "pcscd did not start: \(output.split(separator: "\n").last.map(String.init) ?? "it wrote nothing"): see its log"
    }
  }
}
