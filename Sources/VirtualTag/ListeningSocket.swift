internal import Glibc

/// A bound and listening unix socket (SOCK_STREAM, as pcsc-lite's clients want it) for its owner's use only.
struct ListeningSocket: ~Copyable {
  let descriptor: Int32

  /// What was at this path is replaced.
  init(path: String) throws(PrivatePcscdError) {
    let address: UnixAddress
    do throws(VirtualTagError) { address = try UnixAddress(path) } catch { throw .folderTooLong(path: path) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(doing: "making a socket", errno: errno) }
    unsafe unlink(path)
    // Linux gives the file the mode of the unbound socket.
    guard fchmod(descriptor, 0o600) == 0,
      unsafe address.with({ unsafe bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0
    else {
      let code = errno
      Glibc.close(descriptor)
      throw .system(doing: "listening at \(path)", errno: code)
    }
    self.descriptor = descriptor
  }

  deinit { Glibc.close(descriptor) }

  /// Lets go of this process's copy.
  consuming func close() {}
}
