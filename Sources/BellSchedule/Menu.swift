/// What the cafeteria has: six stations, all of the same number of weeks (`schedule.md` 1.5).
package struct Menu: Equatable, Sendable {
  /// As their files are called, in the order in which the wall lists them.
  package enum Station: String, CaseIterable, Hashable, Sendable {
    case special, comfort, mindful, sides, soup, international
  }

  /// What one station has. A dish is one or several things that are served together.
  package enum Dishes: Equatable, Sendable {
    /// By week and weekday, Monday first.
    case daily([[[String]]])
    /// By week.
    case weekly([[String]])
    /// By semester and weekday, Monday first.
    case semesters([[[String]]])
  }

  /// The number of weeks after which all begins again.
  package let weeks: Int
  private let stations: [Station: Dishes]

  /// Why six stations are no menu.
  package enum Mistake: Error, Equatable, Sendable {
    case missing(Station)
    case noWeeks(Station)
    /// It has another number of weeks than the first station that has any.
    case otherWeeks(Station, has: Int, others: Int)
  }

  package init(_ stations: [Station: Dishes]) throws(Mistake) {
    var weeks: Int?
    for station in Station.allCases {
      guard let dishes = stations[station] else { throw .missing(station) }
      let count: Int
      switch dishes {
      case .daily(let data): count = data.count
      case .weekly(let data): count = data.count
      case .semesters: continue
      }
      guard count > 0 else { throw .noWeeks(station) }
      if let weeks, weeks != count { throw .otherWeeks(station, has: count, others: weeks) }
      weeks = count
    }
    guard let weeks else { throw .noWeeks(.comfort) }
    self.weeks = weeks
    self.stations = stations
  }

  /// - Parameters:
  ///   - week: from 0, less than `weeks`.
  ///   - weekday: Monday is 1, Friday 5.
  ///   - semester: 0 or 1.
  func courses(week: Int, weekday: Int, semester: Int) -> [MenuFacts.Course] {
    Station.allCases.compactMap { station in
      let dish: [String]? =
        switch stations[station] {
        case .daily(let data): Self.at(weekday - 1, of: Self.at(week, of: data))
        case .weekly(let data): Self.at(week, of: data)
        case .semesters(let data): Self.at(weekday - 1, of: Self.at(semester, of: data))
        case nil: nil
        }
      return dish.map { MenuFacts.Course(station: station, dishes: $0) }
    }
  }

  private static func at<Element>(_ index: Int, of list: [Element]?) -> Element? {
    guard let list, list.indices.contains(index) else { return nil }
    return list[index]
  }
}

/// The menu of one day; `special` is one for its weekday ("Tacos Tuesday").
package struct MenuFacts: Equatable, Sendable {
  package struct Course: Equatable, Sendable {
    package var station: Menu.Station
    package var dishes: [String]
  }

  package var day: DayKey
  /// Days from now's to it, by the calendar: 0 today, 1 tomorrow.
  package var daysAhead: Int
  package var courses: [Course]
}
