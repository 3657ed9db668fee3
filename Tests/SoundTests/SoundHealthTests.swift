import Foundation
import TestSupport
import Testing

@testable import Sound

@Suite(.timeLimit(.minutes(5))) struct SoundHealthTests {
  private static func device(_ names: String) -> ALSALibrary.Device {
    .init(pcm: 1, rate: 48_000, channels: 1, period: 2400, card: 0, names: names)
  }

  static let screens: [(names: String, Bool)] = [
    ("MAI PCM i2s-hifi-0 MAI PCM i2s-hifi-0 vc4-hdmi-0", true), ("HDMI 0 DELL U2412M HDA Intel PCH", true),
    ("DisplayPort 1  HDA NVidia", true), ("bcm2835 HDMI 1 bcm2835 HDMI 1 bcm2835 HDMI 1", true),
    ("USB Audio USB Audio USB Audio Device", false), ("bcm2835 Headphones bcm2835 Headphones", false), ("", false),
  ]

  @Test(arguments: screens) func `a sound device in the screen is known by its names`(names: String, isScreen: Bool) {
    #expect(Self.device(names).isScreen == isScreen)
  }

  @Test func `of several things the worst is told`() {
    func health(_ names: String, _ verdict: MixerVerdict?, _ badFile: String?) -> SoundHealth {
      .ofWorking(Self.device(names), mixer: "hw:0", verdict: verdict, badFile: badFile)
    }
    #expect(health("USB", nil, nil) == .ok)
    #expect(health("USB", .audible, nil) == .ok)
    #expect(health("HDMI", .audible, nil) == .hdmi)
    #expect(health("HDMI", .muted(control: "PCM"), "f") == .muted(mixer: "hw:0", control: "PCM"))
    #expect(health("USB", .quiet(percent: 3, control: "PCM"), "f") == .quiet(percent: 3, mixer: "hw:0", control: "PCM"))
    #expect(health("HDMI", .audible, "f") == .hdmi)
    #expect(health("USB", .audible, "f") == .badFile("f"))
  }

  @Test func `why a device did not open`() {
    func health(_ errno: Int32, wasThere: Bool = false, node: String? = nil) -> SoundHealth {
      .of(.init(errno: errno, call: "snd_pcm_open"), wasThere: wasThere, forbiddenNode: { node })
    }
    for code in [ENODEV, ENOENT, ENXIO] {
      #expect(health(code) == .noDevice)
      #expect(health(code, wasThere: true) == .lost)
      #expect(health(code, wasThere: true, node: "/dev/snd/controlC0") == .noPermission(node: "/dev/snd/controlC0"))
    }
    #expect(health(EACCES) == .noPermission(node: "/dev/snd"))
    #expect(health(EPERM, node: "/dev/snd/controlC1") == .noPermission(node: "/dev/snd/controlC1"))
    #expect(health(EBUSY, node: "/dev/snd/controlC0") == .busy)
    #expect(health(EIO) == .failing(errno: EIO))
  }

  static let all: [(SoundHealth, name: String, canPlay: Bool, remedy: String?)] = [
    (.ok, "ok", true, nil), (.starting, "starting", false, nil),
    (.noDevice, "noDevice", false, "no sound device hw:CARD=Kitchen: plug the speaker in"),
    (.busy, "busy", false, "fuser -v /dev/snd/*"), (.lost, "lost", false, "plug the speaker in again"),
    (.noPermission(node: "/dev/snd/controlC0"), "noPermission", false, "(/dev/snd/controlC0): add the agent's user"),
    (.muted(mixer: "hw:1", control: "PCM"), "muted", false, "amixer -D hw:1 sset 'PCM' 80% unmute"),
    (.quiet(percent: 3, mixer: "hw:1", control: "PCM"), "quiet", true, "3 %"),
    (.hdmi, "hdmi", true, "ends when the screen sleeps: name another card"),
    (.badFile("f.wav: it is no WAV file"), "badFile", true, "f.wav: it is no WAV file: put a plain 16-bit PCM WAV"),
    (.failing(errno: EINVAL), "failing", false, "plughw:"),
    (.failing(errno: 5), "failing", false, "errno 5): unplug the speaker"),
    (.hung, "hung", false, "does not come back from a command"),
  ]

  @Test(arguments: all) func `every state has a name, and a sentence with the remedy`(
    health: SoundHealth, name: String, canPlay: Bool, remedy: String?
  ) {
    #expect(health.name == name)
    #expect(health.canPlay == canPlay)
    let sentence = health.sentence(device: "hw:CARD=Kitchen")
    if let remedy {
      #expect(sentence?.contains(remedy) == true, "\(sentence ?? "nil")")
    } else {
      #expect(sentence == nil)
    }
  }

  @Test func `a control file that may not be opened is found, and only control files are touched`() throws {
    let folder = ScratchFolder()
    for name in ["controlC0", "controlC1", "pcmC0D0p", "timer"] { try folder.write(name, []) }
    func forbidden(_ open: (String) -> Int32) -> String? {
      DeviceNodes.forbidden(in: folder.root, open: open).map { String($0.dropFirst(folder.root.count + 1)) }
    }
    #expect(forbidden { $0.hasSuffix("C1") ? EACCES : 0 } == "controlC1")
    #expect(forbidden { $0.contains("control") ? EPERM : 0 } == "controlC0")
    #expect(forbidden { $0.contains("control") ? ENODEV : EACCES } == nil)
    #expect(DeviceNodes.forbidden(in: folder.root) == nil)
    #expect(DeviceNodes.forbidden(in: folder.path("missing")) == nil)
  }

  @Test func `a sound card in the screen is said while it plays`() async throws {
    let sound = try SoundHarness { $0.shape.names = "MAI PCM i2s-hifi-0 vc4-hdmi-0" }
    await sound.player.reach(.hdmi)
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .finished(.success)])
  }

  @Test func `every listener hears the present health first and then each change, and one that is late the newest`()
    async throws
  {
    let sound = try SoundHarness { $0.isAbsent = true }
    try sound.alsa.waitForRest(1)
    let listeners = [sound.player.healths(), sound.player.healths()]
    sound.alsa.with { $0.isAbsent = false }
    var heard: [[SoundHealth]] = []
    for listener in listeners {
      var mine: [SoundHealth] = []
      for await health in listener {
        mine.append(health)
        if health == .ok { break }
        sound.alsa.pass()
      }
      heard.append(mine)
      // The change was told to all when this answers.
      #expect(sound.player.health == .ok)
    }
    #expect(heard == [[.noDevice, .ok], [.ok]])
  }
}
