internal import Configuration

/// What every error of a file that people write promises.
enum DocumentPromises {
  static func check(_ error: DocumentError) throws(BrokenPromise) {
    try expect(!error.problems.isEmpty, "refused without a reason")
    for problem in error.problems {
      try expect(problem.contains("line "), "a problem without its line")
      try expect(problem.utf8.count < 1000, "a problem of \(problem.utf8.count) bytes")
    }
    try check(shown: error.sentence, "a sentence")
  }

  /// What a server sent and is not used: its problems go into the log and onto the wall.
  static func check(_ error: RejectedBody) throws(BrokenPromise) {
    try expect(!error.problems.isEmpty, "refused without a reason")
    for problem in error.problems {
      try expect(!problem.isEmpty && problem.utf8.count < 1000, "a problem of \(problem.utf8.count) bytes")
    }
    try check(shown: error.sentence, "a sentence")
  }

  /// A text of a file that goes to a terminal, into a log or onto the page.
  /// - Parameter what: how a broken promise calls it.
  static func check(shown text: String, _ what: String) throws(BrokenPromise) {
    try expect(!text.unicodeScalars.contains(where: isObeyed), "\(what) with a control character")
  }

  private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
  }
}
