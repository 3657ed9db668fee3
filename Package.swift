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
    .library(name: "FakeClock", type: .dynamic, targets: ["FakeClock"])
  ],
  targets: [
    // Linux: signals, sd_notify, executors for blocking C, log, clocks, sockets.
    .systemLibrary(name: "CLinux"),
    .target(name: "Linux", dependencies: ["CLinux"], swiftSettings: house),
    .testTarget(name: "LinuxTests", dependencies: ["Linux", "TestSupport"], swiftSettings: house),

    // Ledger: SQLite.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "Ledger", dependencies: ["CSQLite", "Linux", "Reminders"], swiftSettings: house),
    .testTarget(
      name: "LedgerTests", dependencies: ["Ledger", "Linux", "Reminders", "TestSupport"], swiftSettings: house),

    // Reminders: pure.
    .target(name: "Reminders", swiftSettings: house),
    .testTarget(name: "RemindersTests", dependencies: ["Reminders"], swiftSettings: house),

    // Agent: the services, what wires them, how they are kept running.
    .target(name: "Agent", dependencies: ["Linux"], swiftSettings: house),
    .testTarget(name: "AgentTests", dependencies: ["Agent", "Linux", "TestSupport"], swiftSettings: house),

    // FakeClock: LD_PRELOAD for tests of the real binary.
    .target(name: "FakeClock"),

    // TestSupport: manual clock, fakes, a private pcscd.
    .target(name: "TestSupport", dependencies: ["Linux"], swiftSettings: house),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x
)
