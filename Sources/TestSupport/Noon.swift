package import Foundation

/// Where it is about noon now, for tests of the running clock: what goes on by day goes on there, and no midnight comes
/// between two commands.
package enum Noon {
  /// The hour from 12:00 when this process asked first. It has no summer time.
  package static let zone: TimeZone = {
    let hour = Calendar(identifier: .iso8601).dateComponents(in: .gmt, from: Date()).hour ?? 12
    // Etc/GMT+5 is five hours behind Greenwich.
    return TimeZone(identifier: hour == 12 ? "Etc/GMT" : hour > 12 ? "Etc/GMT+\(hour - 12)" : "Etc/GMT-\(12 - hour)")
      ?? .gmt
  }()

  /// That zone at the end of an instant as `--at` takes it: `+05:00`.
  package static let offset = String(format: "%+03d:00", zone.secondsFromGMT() / 3600)
}
