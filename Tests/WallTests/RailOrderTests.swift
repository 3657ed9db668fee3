internal import Foundation
internal import Testing

@testable internal import Wall

@Suite struct RailOrderTests {
  private static func place(_ id: String, _ kind: RailClass = .bus, _ seconds: Double? = 0) -> RailPlace {
    RailPlace(id: id, kind: kind, at: seconds.map { at(2, "8:00") + $0 })
  }

  @Test func `cards rank by class, then time, then id`() {
    let ranked = [
      Self.place("z", .lateBus, 900), Self.place("y", .dose, 600), Self.place("x", .bus, 300),
      Self.place("w", .periodChange, 200), Self.place("v", .event, 100), Self.place("t", .scheduledBus, 0),
      Self.place("u", .scheduledBus, 0), Self.place("r", .scheduledBus, nil), Self.place("s", .fault, -900),
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      var order = RailOrder()
      #expect(order.arrange(ranked.shuffled(using: &random), at: .zero) == ranked.map(\.id))
      #expect(order.changesAt == nil)
    }
  }

  @Test func `places change at most every 10 seconds`() {
    var order = RailOrder()
    #expect(order.arrange([Self.place("a", .bus, 60), Self.place("b", .bus, 90)], at: .zero) == ["a", "b"])
    let swapped = [Self.place("a", .bus, 100), Self.place("b", .bus, 90)]
    #expect(order.arrange(swapped, at: .seconds(1)) == ["b", "a"], "nothing has moved before")
    let back = [Self.place("a", .bus, 80), Self.place("b", .bus, 90)]
    #expect(order.arrange(back, at: .milliseconds(10_999)) == ["b", "a"])
    #expect(order.changesAt == .seconds(11))
    #expect(order.arrange(back, at: .seconds(11)) == ["a", "b"])
    #expect(order.changesAt == nil)
  }

  @Test func `what comes back by itself needs no change of places`() {
    var order = RailOrder()
    _ = order.arrange([Self.place("a", .bus, 60), Self.place("b", .bus, 90)], at: .zero)
    _ = order.arrange([Self.place("a", .bus, 100), Self.place("b", .bus, 90)], at: .seconds(1))
    _ = order.arrange([Self.place("a", .bus, 80), Self.place("b", .bus, 90)], at: .seconds(2))
    #expect(order.arrange([Self.place("a", .bus, 95), Self.place("b", .bus, 90)], at: .seconds(3)) == ["b", "a"])
    #expect(order.changesAt == nil)
  }

  @Test func `a card that changes its class takes its place at once`() {
    var order = RailOrder()
    _ = order.arrange([Self.place("a", .bus, 60), Self.place("b", .bus, 90)], at: .zero)
    _ = order.arrange([Self.place("a", .bus, 100), Self.place("b", .bus, 90)], at: .seconds(1))
    #expect(order.arrange([Self.place("a", .lateBus, 100), Self.place("b", .bus, 90)], at: .seconds(2)) == ["a", "b"])
    #expect(
      order.arrange([Self.place("a", .scheduledBus, 100), Self.place("b", .bus, 90)], at: .seconds(3)) == ["b", "a"])
  }

  @Test func `a new card comes where it belongs and moves nobody, one that goes leaves the others`() {
    var order = RailOrder()
    _ = order.arrange([Self.place("a", .bus, 60), Self.place("b", .bus, 90)], at: .zero)
    _ = order.arrange([Self.place("a", .bus, 100), Self.place("b", .bus, 90)], at: .seconds(1))
    let held = [Self.place("a", .bus, 80), Self.place("b", .bus, 90)]
    #expect(order.arrange(held + [Self.place("d", .dose)], at: .seconds(2)) == ["d", "b", "a"])
    #expect(
      order.arrange(held + [Self.place("d", .dose), Self.place("f", .fault)], at: .seconds(3)) == ["d", "b", "a", "f"])
    #expect(order.arrange([held[0], Self.place("f", .fault)], at: .seconds(4)) == ["a", "f"])
  }

  @Test func `on random walks nobody changes places twice within 10 s but for a change of class`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var order = RailOrder()
      var shown: [String] = []
      var classes: [String: RailClass] = [:]
      var lastChange: Duration?
      var now = Duration.zero
      for _ in 0..<100 {
        now += .milliseconds(Int.random(in: 0...4000, using: &random))
        let places = (0..<6).filter { _ in Int.random(in: 0...9, using: &random) > 0 }.map { number in
          let changes = Int.random(in: 0...30, using: &random) == 0
          let kind = changes ? RailClass.allCases.randomElement(using: &random) : classes["\(number)"]
          return Self.place("\(number)", kind ?? .bus, Double(Int.random(in: 0...300, using: &random)))
        }
        let next = order.arrange(places, at: now)
        #expect(Set(next) == Set(places.map(\.id)) && next.count == places.count)
        let staying = shown.filter(next.contains)
        let isReclassed = places.contains {
          classes[$0.id] != nil && classes[$0.id] != $0.kind && shown.contains($0.id)
        }
        if next.filter(shown.contains) != staying {
          #expect(isReclassed || lastChange.map { now - $0 >= RailOrder.rest } ?? true)
          lastChange = now
        }
        // Whatever is held is put right in time.
        if let changesAt = order.changesAt { #expect(changesAt > now && changesAt - now <= RailOrder.rest) }
        if order.changesAt == nil { #expect(next == places.sorted().map(\.id)) }
        shown = next
        for place in places { classes[place.id] = place.kind }
      }
    }
  }
}
