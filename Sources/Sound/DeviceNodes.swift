internal import Foundation
internal import Glibc

/// The control files of sound cards: the only place that shows a missing permission as what it is.
enum DeviceNodes {
  /// The first control file that is there and may not be opened, in the order of names; nil when there is none.
  ///
  /// It is opened and not asked about: a service's device policy refuses the opening of a file whose mode allows it.
  /// Control files may be open any number of times, so this takes nothing from anybody.
  /// - Parameter open: the errno of opening the file for reading and writing, 0 when it went well.
  static func forbidden(in folder: String, open: (String) -> Int32 = openErrno) -> String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix("controlC") }.sorted().map { "\(folder)/\($0)" }
      .first { [EACCES, EPERM].contains(open($0)) }
  }

  private static func openErrno(_ path: String) -> Int32 {
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    close(descriptor)
    return 0
  }
}
