/// What is wrong with a configuration or household file: all of it, so that one look mends it.
package struct DocumentError: Error, Equatable, Sendable {
  /// Each one names the thing and, where known, the line.
  package let problems: [String]

  package init(problems: [String]) { self.problems = problems }

  /// One line: what is wrong, and what to do (DESIGN 4.1). At most five problems are spelt out.
  package var sentence: String {
    problems.prefix(5).joined(separator: "; ") + (problems.count > 5 ? "; and \(problems.count - 5) more" : "")
      + ": mend the file and start again"
  }
}

extension DocumentError {
  init(_ error: JSON5Error) { self.init(problems: [error.sentence]) }
}
