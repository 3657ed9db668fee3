internal import Agent
internal import Sound

/// The real player as the agent's speaker.
struct PlayerSpeaker: Speaker {
  let player: Player

  func play(_ chime: Agent.Chime) {
    switch chime {
    case .success: player.play(.success)
    case .failure: player.play(.failure)
    case .reminder: player.play(.reminder)
    }
  }

  func reports() -> AsyncStream<SpeakerReport> {
    let healths = player.healths()
    let device = player.device
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let forwarding = Task {
        for await health in healths {
          continuation.yield(
            SpeakerReport(state: health.name, canPlay: health.canPlay, sentence: health.sentence(device: device)))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in forwarding.cancel() }
    }
  }

  func checkMixer() async { player.checkMixer() }

  func heartbeats() -> [String: Duration] { ["sound": player.heartbeat()] }
}
