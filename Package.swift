// swift-tools-version: 6.2
import PackageDescription

// One section per target, its tests beside it; sections in the order of DESIGN "Structure".

/// Every Swift target is built with these: language mode 6, all warnings are errors, unsafe C is marked `unsafe`.
let house: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// libFuzzer's program over Fuzzing. It has no `main` of its own, so that only `.ci/fuzz`, which sets FUZZ and builds with
/// the sanitizers, can link it.
let fuzz: [Target] =
  Context.environment["FUZZ"] == nil
  ? [] : [.executableTarget(name: "fuzz", dependencies: ["Fuzzing"], swiftSettings: house)]

let package = Package(
  name: "kiosk-agent",
  products: [
    .library(name: "FakeClock", type: .dynamic, targets: ["FakeClock"]),
    .library(name: "FaultyDisk", type: .dynamic, targets: ["FaultyDisk"]),
    .library(name: "PcscdConfinement", type: .dynamic, targets: ["PcscdConfinement"]),
    .library(name: "StopWatch", type: .dynamic, targets: ["StopWatch"]),
    .library(name: "VirtualReader", type: .dynamic, targets: ["VirtualReader"]),
  ],
  targets: [
    // Linux: signals, sd_notify, executors for blocking C, log, clocks, sockets.
    .systemLibrary(name: "CLinux"),
    .target(name: "Linux", dependencies: ["CLinux"], swiftSettings: house),
    .testTarget(name: "LinuxTests", dependencies: ["Linux", "TestSupport"], swiftSettings: house),

    // PCSC: typed, owned libpcsclite.
    .systemLibrary(name: "CPCSCLite", pkgConfig: "libpcsclite", providers: [.apt(["libpcsclite-dev"])]),
    .target(name: "PCSC", dependencies: ["CPCSCLite"], swiftSettings: house),
    .testTarget(name: "PCSCTests", dependencies: ["PCSC"], swiftSettings: house),

    // TagReader: PC/SC events -> TagEvent.
    .target(name: "TagReader", dependencies: ["Linux", "PCSC"], swiftSettings: house),
    .testTarget(
      name: "TagReaderTests", dependencies: ["Linux", "PCSC", "TagReader", "TestSupport", "VirtualTag"],
      swiftSettings: house),

    // Sound: ALSA.
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    .target(name: "Sound", dependencies: ["CALSA", "Linux"], swiftSettings: house),
    .testTarget(name: "SoundTests", dependencies: ["Linux", "Sound", "TestSupport"], swiftSettings: house),

    // Ledger: SQLite.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "Ledger", dependencies: ["CSQLite", "Linux", "Reminders"], swiftSettings: house),
    .testTarget(
      name: "LedgerTests", dependencies: ["Ledger", "Linux", "Reminders", "TestSupport"], swiftSettings: house),

    // Feeds: fetching for all of them, by curl(1).
    .target(name: "Feeds", dependencies: ["Linux"], swiftSettings: house),
    .testTarget(
      name: "FeedsTests", dependencies: ["Feeds", "Linux", "TestSupport", "Transit"],
      exclude: ["blackhole.py", "misbehaving.py"],
      swiftSettings: house),

    // Wall: pure.
    .target(name: "Wall", swiftSettings: house),
    .testTarget(name: "WallTests", dependencies: ["Wall"], swiftSettings: house),

    // Configuration: what people write by hand, checked with line and nearest key.
    .target(name: "Configuration", dependencies: ["BellSchedule", "Reminders", "Wall"], swiftSettings: house),
    .testTarget(
      name: "ConfigurationTests", dependencies: ["BellSchedule", "Configuration", "Reminders"], swiftSettings: house),

    // Reminders: pure.
    .target(name: "Reminders", swiftSettings: house),
    .testTarget(name: "RemindersTests", dependencies: ["Reminders"], swiftSettings: house),

    // BellSchedule: pure.
    .target(name: "BellSchedule", swiftSettings: house),
    .testTarget(name: "BellScheduleTests", dependencies: ["BellSchedule", "Configuration"], swiftSettings: house),

    // Transit: pure.
    .target(name: "Transit", swiftSettings: house),
    .testTarget(name: "TransitTests", dependencies: ["Transit"], swiftSettings: house),

    // Agenda: pure.
    .target(name: "Agenda", swiftSettings: house),
    .testTarget(name: "AgendaTests", dependencies: ["Agenda"], swiftSettings: house),

    // HTTP: HTTP/1.1 and server-sent events on loopback.
    .target(name: "WallPage", exclude: ["wall.html", "wall.css", "wall.js"]),
    .target(name: "HTTP", dependencies: ["Linux", "WallPage"], swiftSettings: house),
    .testTarget(name: "HTTPTests", dependencies: ["HTTP", "Linux", "TestSupport"], swiftSettings: house),

    // Agent: the services, what wires them, how they are kept running.
    .target(
      name: "Agent",
      dependencies: [
        "Agenda", "BellSchedule", "Configuration", "Feeds", "HTTP", "Ledger", "Linux", "Reminders", "Transit", "Wall",
      ], swiftSettings: house),
    .testTarget(
      name: "AgentTests",
      dependencies: [
        "Agent", "BellSchedule", "Configuration", "Feeds", "HTTP", "Ledger", "Linux", "Reminders", "TestSupport",
        "Transit", "Wall",
      ],
      swiftSettings: house),

    // Diagnose: the checks behind --diagnose and their report.
    .target(
      name: "Diagnose",
      dependencies: [
        "Agenda", "Agent", "BellSchedule", "Configuration", "Feeds", "Ledger", "Linux", "PCSC", "Reminders", "Sound",
        "TagReader", "Transit",
      ],
      swiftSettings: house),
    .testTarget(
      name: "DiagnoseTests",
      dependencies: [
        "Agent", "BellSchedule", "Configuration", "Diagnose", "FakeClock", "Feeds", "Linux", "PCSC", "Sound",
        "TestSupport", "VirtualTag", "kiosk-agent", "virtual-tag",
      ], swiftSettings: house),

    // kiosk-agent: arguments, exit codes, the real dependencies.
    .executableTarget(
      name: "kiosk-agent",
      dependencies: [
        "Agenda", "Agent", "BellSchedule", "Configuration", "Diagnose", "Feeds", "Ledger", "Linux", "PCSC",
        "Reminders", "Sound",
        "TagReader", "Transit", "Wall",
      ], swiftSettings: house),

    // CommandTests: the built kiosk-agent and its contract of DESIGN 4.1.
    .testTarget(
      name: "CommandTests",
      dependencies: ["Agent", "FakeClock", "Ledger", "Linux", "Reminders", "TestSupport", "VirtualTag", "kiosk-agent"],
      swiftSettings: house),

    // FakeClock: LD_PRELOAD for tests of the real binary.
    .target(name: "FakeClock"),

    // FaultyDisk: LD_PRELOAD that records what a program does to its disk and makes it fail; ledger-load is a wall under
    // taps for it. The tests do not depend on it: they would be linked with it, and it takes the place of `open`.
    .target(name: "FaultyDisk", cSettings: [.define("_GNU_SOURCE")]),
    .executableTarget(
      name: "ledger-load", dependencies: ["Agent", "Ledger", "Linux", "Reminders", "TestSupport", "Wall"],
      swiftSettings: house),
    .testTarget(
      name: "DurabilityTests",
      dependencies: [
        "Agent", "Ledger", "Linux", "PCSC", "Reminders", "Sound", "TagReader", "TestSupport", "VirtualTag", "Wall",
        "kiosk-agent", "ledger-load",
      ],
      swiftSettings: house),

    // VirtualReader: an IFD driver for pcscd. PcscdConfinement keeps a test's pcscd to itself, VirtualTag drives both,
    // uid-monitor is the yardstick in C.
    .target(name: "VirtualReader", dependencies: ["CPCSCLite"], cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "PcscdConfinement", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "VirtualTag", dependencies: ["Linux"], swiftSettings: house),
    .executableTarget(name: "virtual-tag", dependencies: ["Linux", "VirtualTag"], swiftSettings: house),
    .executableTarget(name: "uid-monitor", dependencies: ["CPCSCLite"], cSettings: [.define("_GNU_SOURCE")]),
    .testTarget(
      name: "VirtualReaderTests",
      dependencies: ["TestSupport", "VirtualTag", "PcscdConfinement", "VirtualReader", "uid-monitor", "virtual-tag"],
      swiftSettings: house),

    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "FakeClock", "HTTP", "Linux", "Reminders", "TagReader", "TestSupport", "VirtualTag", "Wall", "kiosk-agent",
      ],
      exclude: ["audit.py", "link.py"], swiftSettings: house),

    // Fuzzing: what every parser promises of any bytes; the tests hold it to what `make fuzz` has kept.
    .target(
      name: "Fuzzing", dependencies: ["Agenda", "BellSchedule", "Configuration", "HTTP", "Reminders", "Sound"],
      swiftSettings: house),
    .testTarget(
      name: "FuzzingTests", dependencies: ["BellSchedule", "Configuration", "Fuzzing"], swiftSettings: house),

    // bench: the budgets, measured. StopWatch is its LD_PRELOAD.
    .target(name: "StopWatch"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "Agenda", "Agent", "BellSchedule", "Configuration", "Ledger", "Linux", "Reminders", "TagReader", "TestSupport",
        "Transit", "VirtualTag", "Wall",
      ],
      swiftSettings: house),

    // doctor-score: faults made outside the agent, and what --diagnose says of them.
    .executableTarget(name: "doctor-score", dependencies: ["TestSupport"], swiftSettings: house),

    // demo-feeds: what `make run` shows of buses, from Fixtures/demo.
    .executableTarget(name: "demo-feeds", dependencies: ["Linux", "TestSupport"], swiftSettings: house),

    // TestSupport: manual clock, fakes, a private pcscd.
    .target(
      name: "TestSupport", dependencies: ["CLinux", "HTTP", "Linux", "PCSC", "Sound", "VirtualTag"],
      swiftSettings: house),
  ] + fuzz,
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x
)
