internal import Configuration
internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders

/// T: whether the wall knows what time it is.
enum ClockChecks {
  static let all = [
    Check("T1", "Clock", impact: .time, eyes: .service) { clock($0) },
    Check("T2", "Time zone", impact: .time) { zone($0) },
    Check("T3", "No rows from the future", needs: ["T1", "D4"], impact: .time, eyes: .service) { future($0) },
  ]

  /// The newest instant of the ledger; nil: none, or it cannot be read (that is another check's matter).
  private static func newestRow(_ box: Surroundings) -> Date? {
    box.stateDirectory.flatMap { try? LedgerExamination(directory: $0).newestTrusted() } ?? nil
  }

  private static func clock(_ box: Surroundings) -> Finding {
    let now = box.time.now()
    let zone = box.configuration?.timeZone ?? .current
    let kept =
      switch (box.clock.synchronised, box.clock.timeServiceRuns) {
      case (true, _): "synchronised"
      case _ where box.clock.wasSynchronised: "synchronised since the start"
      case (_, true): "not synchronised yet"
      case (_, false): "by itself"
      }
    let seen: [Finding.Fact] = [
      .init("now", instant(now, zone)), .init("kept", kept),
      .init("hardware clock", box.clock.hasHardwareClock ? "yes" : "no"),
    ]
    let remedies = ["timedatectl", "sudo systemctl restart systemd-timesyncd"]
    if box.clock.synchronised == true { return .pass(seen) }
    if now < ClockTrust.releaseDate {
      return Finding(
        .fail, seen: seen, means: "The clock is older than this program: reminders wait until it is set.",
        remedies: remedies)
    }
    if let row = newestRow(box), now < row - ClockTrust.backStep {
      return Finding(
        .fail, seen: seen + [.init("last row", instant(row, zone))],
        means: "The clock is behind what was recorded already.", remedies: remedies)
    }
    // A time service that loses its servers leaves a good clock behind.
    if box.clock.wasSynchronised { return .pass(seen) }
    if box.clock.timeServiceRuns {
      return Finding(
        .warn, seen: seen, means: "Nobody has told this machine the time since it was started.", remedies: remedies)
    }
    // Without a time service and without systemd the clock is whoever's this box runs on.
    guard box.isSystemdRunning else { return .pass(seen) }
    return .warn(seen, "No time service runs: the clock drifts.", "sudo apt-get install systemd-timesyncd")
  }

  private static func zone(_ box: Surroundings) -> Finding {
    let zone = box.configuration?.timeZone ?? .current
    // A static binary without ICU has no zones and says so to nobody.
    guard let known = TimeZone(identifier: "America/Los_Angeles"),
      known.secondsFromGMT(for: Date(timeIntervalSince1970: 1_782_864_000)) == -25_200
    else {
      return .fail(
        [.init("zones", "none known")], "This program was built without time zones.", "Install kiosk-agent again.")
    }
    let next = zone.nextDaylightSavingTimeTransition(after: box.time.now())
    let release = box.text("/usr/share/zoneinfo/tzdata.zi", limit: 200).flatMap { text in
      text.firstMatch(of: #/version (\d{4})([a-z]+)/#)
    }
    let seen: [Finding.Fact] = [
      .init("zone", zone.identifier), .init("next change", next.map { instant($0, zone) } ?? "none"),
      .init("tzdata", release.map { "\($0.1)\($0.2)" } ?? "not told"),
    ]
    guard box.exists("/usr/share/zoneinfo") else {
      return .warn(seen, "The system has no time zones; the wall has its own.", "sudo apt-get install tzdata")
    }
    guard zone.identifier == "GMT" || box.exists("/usr/share/zoneinfo/\(zone.identifier)") else {
      return .fail(seen, "The system does not know this zone.", "sudo apt-get install tzdata")
    }
    // A release has a year and no day, so only two years apart is more than one for certain.
    if let release, let year = Int(release.1) {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      if calendar.component(.year, from: box.time.now()) - year >= 2 {
        return .warn(seen, "The zones are more than a year old: a law may have changed.", "sudo apt-get install tzdata")
      }
    }
    return .pass(seen)
  }

  private static func future(_ box: Surroundings) -> Finding {
    guard let row = newestRow(box) else { return .skip("Nothing is recorded.") }
    let zone = box.configuration?.timeZone ?? .current
    let seen = [Finding.Fact("last row", instant(row, zone))]
    guard row > box.time.now() + 300 else { return .pass(seen) }
    return .fail(
      seen, "Doses were recorded under a clock that was ahead.",
      "sudo systemctl restart kiosk-agent", "Look at the doses of these days: kiosk-agent history")
  }

  private static func instant(_ date: Date, _ zone: TimeZone) -> String { InstantFormat.text(date, in: zone) }
}
