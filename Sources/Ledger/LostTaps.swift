package import Foundation
internal import Reminders

extension Ledger {
  /// How long the wall shows a tap whose time nobody will know.
  private static let shownFor: TimeInterval = 86_400

  /// Whose taps were stored under a clock that was never set before their boot ended: nobody will ever know when they
  /// were (DESIGN 5.2). For a day from when that is first found; to be asked under a trusted clock.
  /// - Returns: people's ids, in order of the taps.
  package func tapsAtUnknownTime(boot: String, at now: Date) throws -> [String] {
    let lost = try read { try $0.lostTaps(notOf: boot) }
    guard let newest = lost.last?.id else { return [] }
    if try read({ try $0.meta(Store.newestLostTap) }) != newest {
      try write("noting taps at unknown time") { store in
        try store.setMeta(Store.lostTapsBefore, try store.meta(Store.newestLostTap) ?? 0)
        try store.setMeta(Store.newestLostTap, newest)
        try store.setMeta(Store.lostTapsFoundAt, now.milliseconds)
      }
    }
    return try read { store in
      guard let found = try store.meta(Store.lostTapsFoundAt).map({ Date(milliseconds: $0) }),
        now < found + Self.shownFor, let before = try store.meta(Store.lostTapsBefore)
      else { return [] }
      var people: [String] = []
      for tap in lost where tap.id > before && !people.contains(tap.person) { people.append(tap.person) }
      return people
    }
  }
}

extension Store {
  fileprivate static let newestLostTap = "lost_tap_newest"
  fileprivate static let lostTapsBefore = "lost_tap_before"
  fileprivate static let lostTapsFoundAt = "lost_tap_found_at"

  /// The taps of other boots that still wait for their time, oldest first.
  fileprivate func lostTaps(notOf boot: String) throws(LedgerError) -> [(id: Int64, person: String)] {
    try database.query(
      """
      SELECT id, coalesce(person, '') FROM tap p WHERE outcome = 'pendingTime' AND boot <> ?
      AND NOT EXISTS (SELECT 1 FROM tap r WHERE r.resolves = p.id) ORDER BY id
      """, [.text(boot)], doing: "reading taps at unknown time"
    ) { row throws(LedgerError) in (try row.need(row.integer(0)), try row.need(row.text(1))) }
  }

  /// The taps of a boot that credit a dose, by the boot clock.
  func takenTaps(boot: String) throws(LedgerError) -> [PendingTap] {
    try database.query(
      """
      SELECT DISTINCT t.uid, t.uptime FROM live_credit c JOIN tap t ON t.id = c.tap
      WHERE t.boot = ? ORDER BY t.uptime
      """, [.text(boot)], doing: "reading the credits of this boot"
    ) { row throws(LedgerError) in
      PendingTap(uid: TagUID(try row.need(row.blob(0))), uptime: .nanoseconds(try row.need(row.integer(1))))
    }
  }
}
