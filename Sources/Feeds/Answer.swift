package import Foundation

/// One whole answer of a server.
package struct Answer: Equatable, Sendable {
  /// The HTTP status.
  package var status: Int
  /// After decompression.
  package var body: [UInt8]
  /// `Date`: the server's clock when it made the answer.
  package var date: Date?
  /// `Age`: how long a cache on the way has kept it, 0 s to a day.
  package var cachedFor: Duration = .zero
  /// From the request to the whole answer.
  var took: Duration = .zero
  var entityTag: String?
  var lastModified: String?
  var retryAfter: String?
  /// Where a redirect leads, made absolute.
  var location: String?
  /// What `Request.wanted` asked for, as far as it was there.
  var headers: [String: String] = [:]

  package init(status: Int, body: [UInt8] = [], date: Date? = nil) {
    self.status = status
    self.body = body
    self.date = date
  }

  /// How long the server wants us to wait (RFC 9110 10.2.3): seconds, or an instant by its own clock. Between 1 s and
  /// 6 h, so that a slip of the server does not end the feed for good.
  var wait: Duration? {
    guard let retryAfter else { return nil }
    let seconds: Double
    if let number = Double(retryAfter), number.isFinite, number >= 0 {
      seconds = number
    } else if let until = HTTPDate.parse(retryAfter), let date {
      seconds = until.timeIntervalSince(date)
    } else {
      return nil
    }
    return .seconds(min(max(seconds, 1), 6 * 3600))
  }

  /// Whether it looks like HTML.
  var isWebPage: Bool {
    let start = String(decoding: body.prefix(512), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "\u{FEFF}"))).lowercased()
    return start.hasPrefix("<!doctype html") || start.hasPrefix("<html") || start.hasPrefix("<head")
  }
}

/// Instants as HTTP writes them.
enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// IMF-fixdate (RFC 9110 5.6.7), `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that servers send; years 1990 to 2199.
  static func parse(_ text: String) -> Date? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])),
      let day = number(words[1]), let year = number(words[3]), (1990...2199).contains(year), (1...31).contains(day)
    else { return nil }
    let clock = words[4].split(separator: ":", omittingEmptySubsequences: false).map(number)
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2], hour < 24, minute < 60,
      second <= 60
    else { return nil }
    let date = days(year, month + 1, day) * 86400 + hour * 3600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(date))
  }

  /// One to four digits.
  private static func number(_ text: Substring) -> Int? {
    (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  /// Days from 1970-01-01, Gregorian. A day too many in a month is the next month's, as in `timegm`.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Years that begin in March, so that the leap day is the last.
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}
