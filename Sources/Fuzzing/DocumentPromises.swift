internal import Configuration

/// What every error of a file that people write promises.
enum DocumentPromises {
  static func check(_ error: DocumentError) throws(BrokenPromise) {
    try expect(!error.problems.isEmpty, "refused without a reason")
    for problem in error.problems {
      try expect(problem.contains("line "), "a problem without its line")
      try expect(problem.utf8.count < 1000, "a problem of \(problem.utf8.count) bytes")
    }
    // It goes to a terminal and into a log.
    try expect(!error.sentence.unicodeScalars.contains(where: isObeyed), "a sentence with a control character")
  }

  private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
  }
}
