internal import Foundation
package import HTTP
package import Linux
internal import Synchronization
package import Wall

/// What the page and the technician's tools ask over HTTP: answered at once from what was published last (DESIGN 4.4).
package final class WallEndpoints: Sendable {
  /// What a page said it has painted.
  private struct Acknowledgement: Decodable {
    var v: Int
    var boot: String
    var w: Int
    var h: Int
    var vis: String
    var t0: Bool
  }

  private struct State {
    var snapshot: Snapshot?
    var json = "{}"
    var health = Health()
    var lastAck: (acknowledgement: Acknowledgement, at: Duration)?
  }

  /// What `/healthz` says, as far as the kiosk knows it.
  package struct Health: Equatable, Sendable {
    package var ledger: String?
    package var readerState = "starting"
    package var readerFault: String?
    package var soundState = "unknown"
    package var soundSentence: String?
    package var clockTrusted = false

    package init() {}
  }

  private let state = Mutex(State())
  private let page: Page
  private let time: any TimeSource
  private let streams: @Sendable () -> Int

  package init(page: Page, time: any TimeSource, streams: @escaping @Sendable () -> Int) {
    self.page = page
    self.time = time
    self.streams = streams
  }

  package func set(_ snapshot: Snapshot, json: String) {
    state.withLock { state in
      state.snapshot = snapshot
      state.json = json
    }
  }

  package func set(_ health: Health) { state.withLock { $0.health = health } }

  package func answer(_ request: Request) -> Response {
    switch (request.method == "HEAD" ? "GET" : request.method, request.path) {
    case ("GET", "/"), ("GET", "/wall"):
      let isLive = !request.query.split(separator: "&").contains("live=0")
      return page.index(snapshot: state.withLock { $0.json }, live: isLive)
    case ("GET", "/api/wall"): return .json(state.withLock { $0.json })
    case ("GET", "/healthz"): return healthz()
    case ("POST", "/display/ack"): return acknowledge(request.body)
    case (_, "/display/ack"): return Response(status: 405)
    case ("GET", let path): return Page.file(path) ?? Response(status: 404)
    default: return Response(status: 405)
    }
  }

  private func acknowledge(_ body: [UInt8]) -> Response {
    guard let acknowledgement = try? JSONDecoder().decode(Acknowledgement.self, from: Data(body)) else {
      return Response(status: 400)
    }
    let now = time.uptime()
    state.withLock { $0.lastAck = (acknowledgement, now) }
    return Response(status: 204)
  }

  private struct Report: Encodable {
    struct Reader: Encodable {
      var state: String
      @Nullable var fault: String?
    }
    struct Ledger: Encodable {
      var writable: Bool
      @Nullable var message: String?
    }
    struct Sound: Encodable {
      var state: String
      @Nullable var message: String?
    }
    struct Clock: Encodable { var trusted: Bool }
    struct Painted: Encodable, Equatable {
      var v: Int
      var w: Int
      var h: Int
      var visible: Bool
      var ageSeconds: Int
    }
    struct Displays: Encodable {
      var streams: Int
      @Nullable var last: Painted?
    }
    var status: String
    var reader: Reader
    var ledger: Ledger
    var sound: Sound
    var clock: Clock
    var sources: [Snapshot.Source]
    var displays: Displays
  }

  /// 503 only when a dose could not be recorded now.
  private func healthz() -> Response {
    let now = time.uptime()
    let (health, ack, snapshot) = state.withLock { ($0.health, $0.lastAck, $0.snapshot) }
    let canRecord = health.ledger == nil && health.readerState == "ready" && health.readerFault == nil
    let painted = ack.flatMap { ack -> Report.Painted? in
      guard ack.acknowledgement.boot == snapshot?.boot else { return nil }
      return Report.Painted(
        v: ack.acknowledgement.v, w: ack.acknowledgement.w, h: ack.acknowledgement.h,
        visible: ack.acknowledgement.vis == "visible", ageSeconds: Int((now - ack.at).components.seconds))
    }
    let report = Report(
      status: canRecord ? "ok" : "cannot record",
      reader: .init(state: health.readerState, fault: health.readerFault),
      ledger: .init(writable: health.ledger == nil, message: health.ledger),
      sound: .init(state: health.soundState, message: health.soundSentence), clock: .init(trusted: health.clockTrusted),
      sources: snapshot?.sources ?? [], displays: .init(streams: streams(), last: painted))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = (try? encoder.encode(report)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    return .json(text, status: canRecord ? 200 : 503)
  }
}
