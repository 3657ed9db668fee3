/// The words of one language. A new language is a new value of this type.
struct Words: Sendable {
  var language: String
  var yesterday: String
  var tomorrow: String
  /// Sunday first.
  var weekdays: [String]
  /// How many letters a short weekday has.
  var shortDay: Int
  /// January first.
  var months: [String]
  var dayAndMonth: @Sendable (_ day: Int, _ month: String) -> String

  // A person is empty when nobody is known to be the tag's.
  var taken: @Sendable (_ person: String) -> String
  var paused: String
  var alreadyTaken: @Sendable (_ person: String) -> String
  var lastTaken: @Sendable (_ time: String) -> String
  var nextFrom: @Sendable (_ time: String) -> String
  var nothingNext: String
  var wrongWindow: @Sendable (_ person: String) -> String
  var wasMissed: @Sendable (_ doses: String) -> String
  var unknownTag: String
  var unknownTagDetail: @Sendable (_ uid: String) -> String
  var randomTag: String
  var randomTagDetail: String
  var unreadable: String
  /// By the names of `unreadable` reasons (DESIGN 4.1).
  var unreadableReasons: [String: String]
  /// For a reason that has no words.
  var unreadableOtherwise: String
  var tapAgain: String
  var stillThere: String
  var stillThereDetail: String
  var notRecorded: String
  var notRecordedDetail: @Sendable (_ cause: String) -> String
  /// By the names of a ledger's faults.
  var causes: [String: String]
  var pending: @Sendable (_ person: String) -> String
  var pendingDetail: String
  var due: @Sendable (_ time: String) -> String
  var refusedTaken: @Sendable (_ medication: String, _ time: String) -> String
  var refusedTooSoon: @Sendable (_ medication: String, _ time: String) -> String
  var refusedNotDue: @Sendable (_ medication: String, _ time: String?) -> String

  var lateBy: @Sendable (_ hours: Int, _ minutes: Int) -> String
  var missed: @Sendable (_ time: String) -> String
  var notKnown: @Sendable (_ time: String) -> String
  var lost: @Sendable (_ time: String) -> String
  var lateHeading: String
  var missedHeading: String
  var more: String

  var clockWrong: String
  var readerStates: [String: String]
  var tagLying: String
  var readerBanners: [String: String]
  var ledgerBanner: String
  /// Since when; nil: not known.
  var recordsLost: @Sendable (_ since: String?) -> String
  /// Names, or an empty text.
  var unknownTime: @Sendable (_ names: String) -> String
  var soundBanner: @Sendable (_ state: String) -> String
  var configurationBanner: String
  var testBanner: String
  var testHeadline: String
  var testRead: @Sendable (_ milliseconds: Int) -> String
  /// More rows are there than a snapshot may hold.
  var hiddenRows: @Sendable (_ count: Int) -> String
  var connectionLost: String
  var restarting: String
  var updated: String

  /// The words of a language; English for one that is not there.
  static func of(_ language: String) -> Words { language == "de" ? german : english }
}
