/// What became of a result that was to be heard. Instants are uptime.
///
/// While the player runs, every `play` ends in exactly one of `finished`, `cut`, `failed` and `expired`. `started` comes
/// before, unless no sample was written; twice, when the sound was begun again on a device opened anew.
package enum PlayEvent: Equatable, Sendable {
  /// Its first samples are with alsa-lib.
  case started(Chime, at: Duration)
  /// All of it was heard, as far as alsa-lib knows.
  case finished(Chime)
  /// A newer result took its place, or the player was stopped.
  case cut(Chime)
  /// It was not heard, or not to its end; how the speaker is now.
  case failed(Chime, SoundHealth)
  /// The device was away for so long that the sound would have been taken for that of another tap.
  case expired(Chime)
}
