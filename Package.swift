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

let package = Package(
  name: "kiosk-agent",
  products: [
    .library(name: "FakeClock", type: .dynamic, targets: ["FakeClock"]),
    .library(name: "PcscdConfinement", type: .dynamic, targets: ["PcscdConfinement"]),
    .library(name: "VirtualReader", type: .dynamic, targets: ["VirtualReader"]),
  ],
  targets: [
    // Linux: signals, sd_notify, executors for blocking C, log, clocks, sockets.
    .systemLibrary(name: "CLinux"),
    .target(name: "Linux", dependencies: ["CLinux"], swiftSettings: house),
    .testTarget(name: "LinuxTests", dependencies: ["Linux", "TestSupport"], swiftSettings: house),

    // Reminders: pure.
    .target(name: "Reminders", swiftSettings: house),
    .testTarget(name: "RemindersTests", dependencies: ["Reminders"], swiftSettings: house),

    // Agent: the services, what wires them, how they are kept running.
    .target(name: "Agent", dependencies: ["Linux"], swiftSettings: house),
    .testTarget(name: "AgentTests", dependencies: ["Agent", "Linux", "TestSupport"], swiftSettings: house),

    // VirtualReader: an IFD driver for pcscd. PcscdConfinement keeps a test's pcscd to itself, VirtualTag drives both,
    // uid-monitor is the yardstick in C.
    .systemLibrary(name: "CPCSCLite", pkgConfig: "libpcsclite", providers: [.apt(["libpcsclite-dev"])]),
    .target(name: "VirtualReader", dependencies: ["CPCSCLite"], cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "PcscdConfinement", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "VirtualTag", dependencies: ["Linux"], swiftSettings: house),
    .executableTarget(name: "virtual-tag", dependencies: ["Linux", "VirtualTag"], swiftSettings: house),
    .executableTarget(name: "uid-monitor", dependencies: ["CPCSCLite"], cSettings: [.define("_GNU_SOURCE")]),
    .testTarget(
      name: "VirtualReaderTests",
      dependencies: ["TestSupport", "VirtualTag", "PcscdConfinement", "VirtualReader", "uid-monitor", "virtual-tag"],
      swiftSettings: house),

    // FakeClock: LD_PRELOAD for tests of the real binary.
    .target(name: "FakeClock"),

    // TestSupport: manual clock, fakes, a private pcscd.
    .target(name: "TestSupport", dependencies: ["Linux", "VirtualTag"], swiftSettings: house),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x
)
