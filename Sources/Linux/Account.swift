internal import CLinux
internal import Glibc

/// A user of this machine.
package struct Account: Equatable, Sendable {
  package let name: String
  package let user: UInt32
  package let group: UInt32
  /// Its home folder.
  package let home: String

  package init(name: String, user: UInt32, group: UInt32, home: String) {
    self.name = name
    self.user = user
    self.group = group
    self.home = home
  }

  /// Why a process could not go on as another user.
  package struct Failure: Error, Equatable, Sendable {
    package let name: String
    package let errno: Int32
  }

  /// nil: there is no such user.
  package static func named(_ name: String) -> Account? {
    unsafe entry { record, buffer, size, found in unsafe getpwnam_r(name, record, buffer, size, found) }
  }

  /// nil: the number has no name.
  package static func numbered(_ user: UInt32) -> Account? {
    unsafe entry { record, buffer, size, found in unsafe getpwuid_r(user, record, buffer, size, found) }
  }

  /// The name of a user, or its number.
  package static func name(of user: UInt32) -> String { numbered(user)?.name ?? "user \(user)" }

  /// The rest of this process runs as that user, with its groups and none of root's powers. There is no way back.
  package func become() throws(Failure) {
    guard unsafe initgroups(name, group) == 0, setgid(group) == 0, setuid(user) == 0 else {
      throw Failure(name: name, errno: errno)
    }
  }

  private static func entry(
    _ look: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32
  ) -> Account? {
    var record = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16384)
    guard unsafe look(&record, &buffer, buffer.count, &found) == 0, let found = unsafe found else { return nil }
    return unsafe Account(
      name: String(cString: found.pointee.pw_name), user: found.pointee.pw_uid, group: found.pointee.pw_gid,
      home: String(cString: found.pointee.pw_dir))
  }
}

/// What a process does that must not outlive whoever started it.
package enum Lifetime {
  /// From now on this process is killed when the thread that started it ends. Call after `Account.become`.
  package static func endWithParent() { _ = kiosk_die_with_parent() }
}
