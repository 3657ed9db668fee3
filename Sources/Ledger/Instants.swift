package import Foundation

extension Date {
  /// Milliseconds since 1970 UTC, to the nearest: how the ledger keeps instants.
  package var milliseconds: Int64 {
    // Far enough for any date a file can name, and still exact in a Double.
    let limit = 9e15
    let value = (timeIntervalSince1970 * 1000).rounded()
    return value.isNaN ? 0 : Int64(max(-limit, min(limit, value)))
  }

  package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// The instant as the ledger keeps it. What is decided must be decided with what is stored.
  package var asStored: Date { Date(milliseconds: milliseconds) }
}

extension Duration {
  /// Whole nanoseconds, held within what SQLite can store (292 years).
  var nanoseconds: Int64 {
    let (value, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let sum = value.addingReportingOverflow(components.attoseconds / 1_000_000_000)
    return overflow || sum.overflow ? (self < .zero ? .min : .max) : sum.partialValue
  }
}
