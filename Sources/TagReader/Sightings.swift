/// When each tag was last physically on a reader: what tells a bounce from a new tap. Bounded.
struct Sightings {
  private struct Sighting {
    var reader: String
    var presence: UInt64
    /// While nil the tag is on the reader.
    var leftAt: Duration?
    var order: UInt64
  }

  private static let most = 64
  private var seen: [[UInt8]: Sighting] = [:]
  private var order: UInt64 = 0

  /// A tag was read: when it was last seen before that.
  mutating func read(_ uid: [UInt8], on reader: String, presence: UInt64, presentAt: Duration) -> Duration? {
    let before = seen[uid].flatMap { $0.presence == presence ? nil : $0.leftAt ?? presentAt }
    order += 1
    seen[uid] = Sighting(reader: reader, presence: presence, leftAt: nil, order: order)
    if seen.count > Self.most, let oldest = seen.min(by: { $0.value.order < $1.value.order })?.key {
      seen[oldest] = nil
    }
    return before
  }

  /// When a tag that was read last left the reader; nil: none was, or it was too long ago to be kept.
  func lastLift(from reader: String) -> Duration? {
    seen.values.compactMap { $0.reader == reader ? $0.leftAt : nil }.max()
  }

  /// Whatever lay on the reader has left.
  mutating func lifted(from reader: String, at uptime: Duration) {
    for (uid, sighting) in seen where sighting.reader == reader && sighting.leftAt == nil { seen[uid]?.leftAt = uptime }
  }
}
