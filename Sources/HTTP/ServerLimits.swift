/// The limits of DESIGN 4.4 and display 3.6.
struct ServerLimits: Sendable {
  /// Open event streams.
  var streams = 128
  /// Other connections that are answered. One more makes the one give way that its peer leaves waiting longest.
  var others = 64
  /// Connections beyond those, so that who is one too many can be told so. Further ones wait in the kernel.
  var spare = 32
  /// Connections that are taken at once, before those that are there have their turn again.
  var welcomes = 32
  /// From the first byte of a request, or from connecting, to the end of its head.
  var head: Duration = .seconds(5)
  var body: Duration = .seconds(10)
  /// Between two requests.
  var idle: Duration = .seconds(15)
  /// From an answer's start until the peer has taken all of it.
  var answer: Duration = .seconds(30)
  /// How long a peer may take nothing while something waits for it.
  var stall: Duration = .seconds(10)
  /// How long a peer may take nothing when others want its place; and how much longer than half of a request a connection
  /// may wait that has said nothing yet.
  var patience: Duration = .seconds(1)
  var heartbeat: Duration = .seconds(10)
  /// From the last byte of ours to the end of a connection.
  var linger: Duration = .seconds(1)
}
