internal import Foundation
internal import Linux

/// What the running agent says of itself on `control.sock`.
struct AgentStatus: Decodable, Equatable {
  var process: Int32
  var port: Int?
  var reader: String
  var readerFault: String?
  var ledger: String?
  var sound: String
  var clockTrusted: Bool
  var taps: Int
  var unreadable: Int
  var tooShort: Int
  var tagSeconds: Int?
  var pages: Int
  /// ms.
  var beats: [String: Int]
}

/// A tap in a test window.
struct TapReading: Decodable, Equatable {
  /// The end of the UID; nil: it was not read.
  var tag: String?
  var bytes: Int?
  /// Why not.
  var unreadable: String?
  /// From presence to UID, or to giving up.
  var milliseconds: Int
  var isKnown: Bool
}

/// What became of the sound.
struct SoundAnswer: Decodable, Equatable {
  var startedMilliseconds: Int?
  var lastedMilliseconds: Int?
  var problem: String?
}

/// What the running agent says at `/healthz`, as far as it is needed here (DESIGN 4.4).
struct AgentHealth: Decodable, Equatable {
  struct Painted: Decodable, Equatable {
    var w: Int
    var h: Int
    var visible: Bool
    var ageSeconds: Int
  }

  /// The pages that are open.
  struct Displays: Decodable, Equatable {
    /// How many are told what changes.
    var streams: Int
    /// What one of them said last; nil: none has since the agent's start.
    var last: Painted?
  }

  struct Source: Decodable, Equatable {
    var id: String
    /// As the snapshot writes instants.
    var fetchedAt: String?
  }

  var displays: Displays
  var sources: [Source]
}

extension Surroundings {
  /// What the page's server says of the agent; nil: it does not answer.
  func health() -> AgentHealth? {
    guard agent != nil, let answer = PageChecks.address(self)?.get("/healthz", within: .seconds(3)) else { return nil }
    return Self.decode(answer.body)
  }

  /// How the running agent says that it is; nil: none answers.
  func agentStatus() -> AgentStatus? { ask(#"{"command":"status"}"#, within: .seconds(3)) }

  /// Asks the agent and takes its first line apart.
  func ask<Answer: Decodable>(_ request: String, within deadline: Duration) -> Answer? {
    guard let controlSocket,
      let line = try? ControlSocket.ask(controlSocket, request, within: deadline, time: time).first
    else { return nil }
    return Self.decode(line)
  }

  static func decode<Answer: Decodable>(_ line: String) -> Answer? {
    try? JSONDecoder().decode(Answer.self, from: Data(line.utf8))
  }
}
