import Foundation
import Testing

@testable import Agenda

let chicago = zone("America/Chicago")

func zone(_ name: String) -> TimeZone {
  guard let zone = TimeZone(identifier: name) else {
    Issue.record("no zone \(name)")
    return .gmt
  }
  return zone
}

/// `2026-11-01T01:30:00-07:00`.
func instant(_ text: String) -> Date {
  guard let date = try? Date(text, strategy: Date.ISO8601FormatStyle()) else {
    Issue.record("no instant: \(text)")
    return .distantPast
  }
  return date
}

func text(_ date: Date, in zone: TimeZone) -> String {
  Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: zone).format(date)
    .replacing(/Z$/, with: "+00:00")
}

func day(_ text: String) -> CalendarDay {
  guard let day = CalendarDay(text) else {
    Issue.record("no day: \(text)")
    return CalendarDay(number: 0)
  }
  return day
}

/// A calendar of the lines, each ended by CRLF.
func calendar(_ lines: String...) -> [UInt8] {
  Array((["BEGIN:VCALENDAR"] + lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n").utf8)
}

/// An event's lines.
func event(_ uid: String = "a", _ lines: String...) -> String {
  (["BEGIN:VEVENT", "UID:\(uid)"] + lines + ["END:VEVENT"]).joined(separator: "\r\n")
}

extension CalendarFeed {
  /// The instances of the days [from, to).
  func instances(_ from: String, _ to: String, in zone: TimeZone = chicago) -> [AgendaInstance] {
    instances(from: day(from).start(in: zone), to: day(to).start(in: zone), in: zone).instances
  }

  /// Their starts.
  func starts(_ from: String, _ to: String, in zone: TimeZone = chicago) -> [String] {
    instances(from, to, in: zone).map { $0.starts(in: zone) }
  }
}

extension AgendaInstance {
  func starts(in zone: TimeZone) -> String {
    switch span {
    case .days(let first, _): first.description
    case .times(let start, _): text(start, in: zone)
    }
  }

  func ends(in zone: TimeZone) -> String {
    switch span {
    case .days(_, let end): end.description
    case .times(_, let end): text(end, in: zone)
    }
  }
}

/// Seconds of this thread's processor time that the work takes: on a busy machine that, and not the time of day, is bounded.
func processorSeconds(_ work: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  try work()
  return now() - start
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A timed item on 5 May 2026 (UTC), as `10:00`.
func item(_ uid: String, _ from: String, _ to: String? = nil, at place: String? = nil, isFree: Bool = false)
  -> AgendaItem
{
  let start = instant(from.contains("T") ? from : "2026-05-05T\(from):00Z")
  let end = to.map { instant($0.contains("T") ? $0 : "2026-05-05T\($0):00Z") } ?? start
  return AgendaItem(
    calendar: "family",
    instance: AgendaInstance(
      uid: uid, span: .times(start, until: end), title: uid, location: place, isTentative: false, isFree: isFree,
      isPrivate: false, repeatsUnknown: false))
}

func wholeDays(_ uid: String, _ from: String, _ to: String) -> AgendaItem {
  AgendaItem(
    calendar: "family",
    instance: AgendaInstance(
      uid: uid, span: .days(day(from), until: day(to)), title: uid, location: nil, isTentative: false, isFree: false,
      isPrivate: false, repeatsUnknown: false))
}
