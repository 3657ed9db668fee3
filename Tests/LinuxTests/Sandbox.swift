import Glibc

/// What a unit's `SystemCallFilter=` does (seccomp(2)), for one thread and all that it starts. There is no way back: the
/// thread must end.
enum Sandbox {
  /// `setpriority`.
  #if arch(x86_64)
    private static let number: UInt64 = 141
  #else
    private static let number: UInt64 = 140
  #endif

  /// From now on the calling thread may not change a nice value: EPERM.
  /// - Returns: whether the kernel took the filter.
  static func forbidPriorities() -> Bool {
    // prctl is variadic, which Swift does not import; integers go the same way without.
    typealias Call = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    guard let address = unsafe dlsym(nil, "prctl") else { return false }
    let prctl = unsafe unsafeBitCast(address, to: Call.self)
    // struct sock_filter: code (16 bits), jump if true (8), jump if false (8), operand (32).
    var filter: [UInt64] = [
      0x20,  // load the number of the call
      0x15 | 1 << 24 | number << 32,  // is it this one? else over the next
      0x06 | 0x0005_0001 << 32,  // SECCOMP_RET_ERRNO, EPERM
      0x06 | 0x7FFF_0000 << 32,  // SECCOMP_RET_ALLOW
    ]
    let count = UInt(filter.count)
    return unsafe filter.withUnsafeMutableBufferPointer { filter in
      // struct sock_fprog: the length, padded, and where it lies.
      var program: [UInt] = [count, UInt(bitPattern: filter.baseAddress)]
      return unsafe program.withUnsafeMutableBufferPointer { program in
        let (setNoNewPrivileges, setSeccomp, modeFilter): (Int32, Int32, UInt) = (38, 22, 2)
        return prctl(setNoNewPrivileges, 1, 0, 0, 0) == 0
          && prctl(setSeccomp, modeFilter, UInt(bitPattern: program.baseAddress), 0, 0) == 0
      }
    }
  }
}
