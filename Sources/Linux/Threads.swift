internal import CLinux
internal import Foundation

/// Threads of our own, for C that blocks.
package enum Threads {
  /// Starts a detached thread.
  /// - Parameters:
  ///   - name: at most 15 bytes; what `top -H` and a backtrace show.
  ///   - body: runs once; the thread ends with it.
  package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      _ = unsafe kiosk_name_thread(String(name.prefix(15)))
      body()
    }
    thread.stackSize = 512 << 10
    thread.start()
  }
}
