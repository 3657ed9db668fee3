internal import Foundation

/// The picks as JSON: `{"picks":[{"id":"talk-12","at":"2026-05-01T10:00:00.000Z"}],"removed":[…],"venue":["Room 1"]}`.
///
/// Also read: a list instead of the object, ids instead of objects, and times as milliseconds since 1970. Other keys are
/// the page's own and are left alone.
package struct PicksFile: Equatable, Sendable {
  package var picks: PickSet
  /// The places that lie together (`WalkingTimes`).
  package var venue: [String]

  package init(picks: PickSet, venue: [String] = []) {
    self.picks = picks
    self.venue = venue
  }

  package static let mostBytes = 1_048_576
  package static let mostPicks = 10_000

  /// - Throws: what is wrong; nothing of a file is taken when a part of it is not understood.
  package init(_ bytes: [UInt8]) throws(PicksError) {
    guard bytes.count <= Self.mostBytes else { throw .tooLarge(limit: Self.mostBytes) }
    let file: Wire
    do { file = try JSONDecoder().decode(Wire.self, from: Data(bytes)) } catch let error as PicksError {
      throw error
    } catch { throw .notPicks }
    var entries: [String: PickSet.Entry] = [:]
    for pick in file.picks {
      let picked = max(entries[pick.id]?.picked ?? .min, pick.at)
      entries[pick.id, default: PickSet.Entry()].picked = picked
    }
    for removal in file.removed {
      let removed = max(entries[removal.id]?.removed ?? .min, removal.at)
      entries[removal.id, default: PickSet.Entry()].removed = removed
    }
    guard entries.count <= Self.mostPicks else { throw .tooMany(limit: Self.mostPicks) }
    self.init(picks: PickSet(entries: entries), venue: file.venue)
  }

  /// The file's bytes: by id, with every removal, so that reading them gives the same picks.
  package var bytes: [UInt8] {
    let sorted = picks.entries.sorted { $0.key < $1.key }
    let file = Wire(
      picks: sorted.compactMap { id, entry in entry.picked.map { Wire.Pick(id: id, at: $0) } },
      removed: sorted.compactMap { id, entry in entry.removed.map { Wire.Pick(id: id, at: $0) } }, venue: venue)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Text and numbers always encode.
    return (try? encoder.encode(file)).map(Array.init) ?? []
  }
}

/// Why something is not read as picks. What was read before stays.
package enum PicksError: Error, Equatable, Sendable {
  case tooLarge(limit: Int)
  case tooMany(limit: Int)
  case notPicks
  /// A pick, from 1, of `picks` or `removed`.
  case badPick(Int)

  /// One sentence for people: what is wrong, and what to do.
  package var sentence: String {
    switch self {
    case .tooLarge(let limit): "the picks have more than \(limit / 1_048_576) MB: export them again"
    case .tooMany(let limit): "there are more than \(limit) picks: export only those of this event"
    case .notPicks: "these are no picks, a list of ids in JSON: export them again"
    case .badPick(let number):
      "pick \(number) has no id, or its time is not ISO 8601 or milliseconds: export them again"
    }
  }
}

private struct Wire: Codable {
  struct Pick: Codable {
    let id: String
    /// Milliseconds since 1970.
    let at: Int

    private enum Key: String, CodingKey { case id, at }

    init(id: String, at: Int) {
      self.id = id
      self.at = at
    }

    init(from decoder: any Decoder) throws {
      let number = (decoder.codingPath.last?.intValue ?? 0) + 1
      if let id = try? decoder.singleValueContainer().decode(String.self) {
        self.init(id: id, at: 0)
      } else if let pick = try? decoder.container(keyedBy: Key.self),
        let id = try? pick.decode(String.self, forKey: .id),
        let at = Self.time(pick)
      {
        self.init(id: id, at: at)
      } else {
        throw PicksError.badPick(number)
      }
      guard !id.isEmpty, id.utf8.count <= 500 else { throw PicksError.badPick(number) }
    }

    /// Milliseconds of the years 1 to 9999: others cannot be written as ISO 8601, and would be lost on the way out.
    private static let instants = -62_135_596_800_000.0..<253_402_300_800_000

    /// - Returns: nil for a time that is there and is none.
    private static func time(_ pick: KeyedDecodingContainer<Key>) -> Int? {
      guard pick.contains(.at) else { return 0 }
      if let number = try? pick.decode(Double.self, forKey: .at) {
        return instants.contains(number) ? Int(number) : nil
      }
      guard let text = try? pick.decode(String.self, forKey: .at) else { return nil }
      let date =
        (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
      return date?.milliseconds
    }

    func encode(to encoder: any Encoder) throws {
      var pick = encoder.container(keyedBy: Key.self)
      try pick.encode(id, forKey: .id)
      // The style cuts what a millisecond as a fraction of a second is short of.
      let date = Date(milliseconds: at).addingTimeInterval(0.000_2)
      try pick.encode(Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date), forKey: .at)
    }
  }

  let picks: [Pick]
  let removed: [Pick]
  let venue: [String]

  private enum Key: String, CodingKey { case picks, removed, venue }

  init(picks: [Pick], removed: [Pick], venue: [String]) {
    self.picks = picks
    self.removed = removed
    self.venue = venue
  }

  init(from decoder: any Decoder) throws {
    if let file = try? decoder.container(keyedBy: Key.self) {
      picks = try file.decode([Pick].self, forKey: .picks)
      removed = try file.decodeIfPresent([Pick].self, forKey: .removed) ?? []
      venue = try file.decodeIfPresent([String].self, forKey: .venue) ?? []
    } else {
      picks = try decoder.singleValueContainer().decode([Pick].self)
      removed = []
      venue = []
    }
  }

  func encode(to encoder: any Encoder) throws {
    var file = encoder.container(keyedBy: Key.self)
    try file.encode(picks, forKey: .picks)
    try file.encode(removed, forKey: .removed)
    try file.encode(venue, forKey: .venue)
  }
}
