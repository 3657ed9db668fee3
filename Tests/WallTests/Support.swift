internal import Foundation

@testable internal import Wall

let losAngeles = TimeZone(identifier: "America/Los_Angeles") ?? .gmt

/// An instant of the wall in Los Angeles in November 2026, after the clocks have gone back: `at(2, "8:07")` is a Monday.
func at(_ day: Int, _ time: String) -> Date {
  let parts = time.split(separator: ":").compactMap { Int($0) }
  let hours: Int = (day - 1) * 24 + parts[0] + 8
  return Date(timeIntervalSince1970: Double(1_793_491_200 + hours * 3600 + parts[1] * 60))
}

func input(now: Date = at(2, "8:08"), zone: TimeZone = losAngeles, language: String = "en", trusted: Bool = true)
  -> WallInput
{
  WallInput(
    agent: "1.0", boot: "b1", now: now, zone: zone, language: language, clockTrusted: trusted,
    reader: .init(state: "ready", name: "ACS ACR122U", since: at(2, "7:00")))
}

func dose(_ due: Date, person: String = "Ann", _ medication: String = "Levothyroxine", dose: String? = "1 tablet")
  -> WallInput.Dose
{
  WallInput.Dose(person: person, medication: medication, dose: dose, dueAt: due)
}
