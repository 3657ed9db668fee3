internal import Foundation

extension SchoolCalendar {
  /// The bells of a day, as a pupil has it.
  func blocks(of type: DayType, place: Int, on day: DayKey, for pupil: Pupil?) -> [Block] {
    let (rows, lunch) = Self.rows(of: type, place: place, for: pupil)
    let starts = clock.instants(on: day, minutes: rows.map(\.start))
    let ends = clock.instants(on: day, minutes: rows.map(\.end))
    return rows.indices.map { index in
      Block(
        id: rows[index].id, isLunch: rows[index].id == lunch, tableStart: starts[index], tableEnd: ends[index],
        offset: school.bellOffset)
    }
  }

  private static func rows(of type: DayType, place: Int, for pupil: Pupil?) -> ([DayType.Row], lunch: PeriodID?) {
    let lunch = pupil?.lunch.map { PeriodID($0.uppercased()) }
    switch type.plan {
    case .free: return ([], nil)
    case .table(let rows, let halves):
      return table(rows, halves, lunch: lunch, inHalves: pupil?.halfPeriods ?? false)
    case .rotating(let rows, let orders):
      let order = DayType.order(place, of: orders) ?? []
      let named = rows.indices.map { index in
        DayType.Row(
          id: order.indices.contains(index) ? order[index] : .unknown, start: rows[index].start, end: rows[index].end)
      }
      return (named, lunch.map { $0.half?.whole ?? $0 })
    }
  }

  /// The pupil's lunch decides how its own period is cut, `halfPeriods` how the others are. Without halves a lunch in half a
  /// period is the whole of it.
  private static func table(
    _ rows: [DayType.Row], _ halves: [DayType.Row], lunch: PeriodID?, inHalves: Bool
  ) -> ([DayType.Row], lunch: PeriodID?) {
    let usual = inHalves && !halves.isEmpty ? halves : rows
    guard let lunch else { return (usual, nil) }
    guard let half = lunch.half, halves.contains(where: { $0.id == lunch }) else {
      let whole = lunch.half?.whole ?? lunch
      return (joined(usual, whole, from: rows), whole)
    }
    guard let index = usual.firstIndex(where: { $0.id == half.whole }) else { return (usual, lunch) }
    var cut = usual
    cut.replaceSubrange(index...index, with: halves.filter { $0.id.half?.whole == half.whole })
    return (cut, lunch)
  }

  /// `usual` with the halves of one period put together again.
  private static func joined(_ usual: [DayType.Row], _ whole: PeriodID, from rows: [DayType.Row]) -> [DayType.Row] {
    guard let row = rows.first(where: { $0.id == whole }),
      let first = usual.firstIndex(where: { $0.id.half?.whole == whole })
    else { return usual }
    var joined = usual.filter { $0.id.half?.whole != whole }
    joined.insert(row, at: first)
    return joined
  }
}
