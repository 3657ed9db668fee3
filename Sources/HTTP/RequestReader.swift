/// Takes requests out of the bytes of one connection as they come (RFC 9112). Pure and bounded: it looks at every byte
/// once, however the bytes are cut, and holds at most one head, one body and what arrived with them.
package struct RequestReader {
  /// What the bytes so far are.
  package enum Outcome: Equatable {
    /// Nothing of the next request is there.
    case idle
    case needsHead
    /// The head is complete and good.
    case needsBody
    case request(Request)
    /// The status to refuse with. The connection is closed after it: where the next request starts is not known.
    case refuse(Int)
  }

  private var bytes: [UInt8] = []
  /// How many bytes of the head have been looked at.
  private var scanned = 0
  private var lines = 0
  private var head: (request: RequestHead, length: Int)?

  /// Of a new connection: nothing has come yet.
  package init() {}

  /// Nothing is there that `next` could take.
  var isEmpty: Bool { bytes.isEmpty }

  /// Takes what has come; `next` says what it makes.
  package mutating func append(_ more: some Collection<UInt8>) { bytes += more }

  /// The next request, or what is missing for it.
  package mutating func next() -> Outcome {
    if head == nil {
      switch scanHead() {
      case .refuse(let status): return .refuse(status)
      case .more: return bytes.isEmpty ? .idle : .needsHead
      case .end(let length):
        do throws(RequestHead.Refusal) {
          head = (try RequestHead(bytes[..<length]), length)
        } catch { return .refuse(error.status) }
      }
    }
    guard let (head, length) = head else { return .needsHead }
    guard bytes.count >= length + head.bodyLength else { return .needsBody }
    var request = head.request
    request.body = Array(bytes[length..<(length + head.bodyLength)])
    bytes.removeFirst(length + head.bodyLength)
    scanned = 0
    lines = 0
    self.head = nil
    return .request(request)
  }

  private enum Scan {
    case more
    case end(Int)
    case refuse(Int)
  }

  /// Looks for the empty line. A line break is CR LF and nothing else: a reader that also takes a lone LF, or a NUL, sees
  /// another request than one that does not.
  private mutating func scanHead() -> Scan {
    while scanned < bytes.count {
      guard scanned < RequestHead.limit else { return .refuse(431) }
      let byte = bytes[scanned]
      let followsCR = scanned > 0 && bytes[scanned - 1] == 0x0D
      switch byte {
      case 0x0A:
        guard followsCR else { return .refuse(400) }
        lines += 1
        if scanned >= 3, bytes[scanned - 2] == 0x0A { return .end(scanned + 1) }
        guard lines <= RequestHead.lineLimit else { return .refuse(431) }
      case 0x09, 0x0D, 0x20...0x7E, 0x80...0xFF:
        guard !followsCR else { return .refuse(400) }
      default: return .refuse(400)
      }
      scanned += 1
    }
    return .more
  }
}
