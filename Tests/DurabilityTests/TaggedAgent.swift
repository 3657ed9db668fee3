import Foundation
import Glibc
import Synchronization
import TestSupport
import VirtualTag

/// The real agent with a household in which every tag is one person's, with one dose that may be taken now.
final class TaggedAgent {
  let agent: AgentUnderTest
  private let events: Events

  init(tags: Int, variables: (AgentUnderTest) throws -> [String: String] = { _ in [:] }) throws {
    agent = try AgentUnderTest()
    agent.variables = try variables(agent)
    events = Events()
    let numbers = 0..<tags
    let people = numbers.map { "{ id: 'p\($0)', name: 'P\($0)' }" }
    let due = Int(Date().timeIntervalSince1970) / 60 + 60
    let at = String(format: "%02d:%02d", due / 60 % 24, due % 60)
    let medications = numbers.map {
      "{ id: 'm\($0)', person: 'p\($0)', name: 'M\($0)', times: [{ at: '\(at)', opensBefore: 180, closesAfter: 180 }] }"
    }
    let bound = numbers.map {
      "{ uid: '\(Self.uid($0).map { String(format: "%02X", $0) }.joined())', medications: ['m\($0)'] }"
    }
    try agent.write(
      "household.json5",
      "{ people: [\(people.joined(separator: ","))], medications: [\(medications.joined(separator: ","))], "
        + "tags: [\(bound.joined(separator: ","))] }")
    let imported = try agent.command("import", agent.folder + "/household.json5")
    guard imported.code == 0 else { throw Refused(output: imported.output) }
  }

  struct Refused: Error {
    let output: String
  }

  static func uid(_ number: Int) -> [UInt8] {
    [0x04, 0xA1, 0xB2, 0xC3, UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
  }

  /// Starts the agent and opens a page.
  func start() throws {
    try agent.start()
    try events.open(agent.web)
    try agent.waitForReader("ready")
  }

  /// Taps and holds the tag until the wall answers so: a machine under load may take its time to read.
  func tap(_ number: Int, until outcome: String) throws {
    try agent.tag.enter(uid: Self.uid(number))
    try agent.waitForOverlay(outcome)
    try agent.tag.leave()
  }

  /// Whom the page of the last start thanked: their numbers, also when the agent has ended since.
  var thanked: Set<Int> { events.thanked }

  /// Whether the sound of success began behind so many bytes of what was played. The agent also plays silence: that is how
  /// it finds out at its start whether the speaker takes anything.
  func thankedAloud(after offset: Int) throws -> Bool {
    let isSilence = { (byte: UInt8) in byte == 0 }
    let played = (FileManager.default.contents(atPath: agent.folder + "/sound.raw") ?? Data()).dropFirst(offset)
      .drop(while: isSilence)
    // 44 bytes of header.
    let success = try Data(contentsOf: URL(filePath: AgentUnderTest.root + "/sounds/success.wav")).dropFirst(44)
      .drop(while: isSilence)
    return !played.isEmpty && played.prefix(64) == success.prefix(min(64, played.count))
  }

  /// Ends the agent at once, with all that the page has received in hand.
  func kill() throws {
    agent.process?.signal(SIGKILL)
    _ = try agent.process?.waitForExit()
    try events.waitForEnd()
  }

  /// The number in "Thank you, P17".
  static func thanked(in text: some StringProtocol) -> [Int] {
    text.ranges(of: "Thank you, P").compactMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
  }
}

/// An open page: what the agent has sent to it.
private final class Events: Sendable {
  private struct State {
    var text = ""
    var isOpen = false
  }

  private let state = Mutex(State())

  var thanked: Set<Int> { state.withLock { Set(TaggedAgent.thanked(in: $0.text)) } }

  func open(_ web: HTTPProbe) throws {
    let descriptor = try web.connect(timeout: 60)
    let request = Array("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(web.port)\r\n\r\n".utf8)
    guard unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    state.withLock { $0 = State(text: "", isOpen: true) }
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        state.withLock { $0.text += text }
      }
      close(descriptor)
      state.withLock { $0.isOpen = false }
    }
    try Waiting.until("the page's first event") { state.withLock { $0.text.contains("\"reader\"") } }
  }

  func waitForEnd() throws { try Waiting.until("the end of the page's stream") { state.withLock { !$0.isOpen } } }
}
