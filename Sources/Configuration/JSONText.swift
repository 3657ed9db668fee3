internal import Foundation

/// JSON to be written, its keys in the order given.
package enum JSONText {
  case null
  case bool(Bool)
  case whole(Int)
  case text(String)
  case list([JSONText])
  case object([(key: String, value: JSONText)])
  /// Text that is JSON already.
  case raw(String)

  package static func text(_ text: String?) -> JSONText { text.map { .text($0) } ?? .null }
  package static func whole(_ number: Int?) -> JSONText { number.map { .whole($0) } ?? .null }

  /// On one line, without blanks: equal values are equal texts.
  package var compact: String { line(colon: ":", comma: ",") }

  /// For people: what fits on a line stands on one.
  package var pretty: String { pretty(indent: "") }

  private func line(colon: String, comma: String) -> String {
    switch self {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .whole(let number): String(number)
    case .text(let text): Self.quoted(text)
    case .list(let elements):
      "[" + elements.map { $0.line(colon: colon, comma: comma) }.joined(separator: comma) + "]"
    case .object(let members):
      "{"
        + members.map { Self.quoted($0.key) + colon + $0.value.line(colon: colon, comma: comma) }
        .joined(separator: comma) + "}"
    case .raw(let text): text
    }
  }

  private func pretty(indent: String) -> String {
    let line = line(colon: ": ", comma: ", ")
    if indent.utf8.count + line.utf8.count <= 110, !indent.isEmpty { return line }
    let deeper = indent + "  "
    switch self {
    case .list(let elements) where !elements.isEmpty:
      return "[\n" + elements.map { deeper + $0.pretty(indent: deeper) }.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let members) where !members.isEmpty:
      let rows = members.map { deeper + Self.quoted($0.key) + ": " + $0.value.pretty(indent: deeper) }
      return "{\n" + rows.joined(separator: ",\n") + "\n\(indent)}"
    default: return line
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\0"..<" ", "\u{7F}", "\u{2028}", "\u{2029}": result += String(format: "\\u%04X", scalar.value)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
