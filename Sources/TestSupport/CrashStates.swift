internal import Foundation

/// The states that a power cut can leave of a disk: after each operation of a write log, in four ways (reliability.md 3.4).
///
/// What was flushed stays. Of what was not, nothing stays, or all, or a random part; the last write of a random part may be
/// torn at a sector. Making, renaming, removing and truncating files keep their order and are flushed by any flush, as a
/// journalling file system does it (ext4, `data=ordered`).
package struct CrashStates: Sendable {
  package enum Variant: Int, CaseIterable, Sendable {
    case nothingUnflushed, everything, part, partAndTorn
  }

  package struct State: Sendable {
    package let disk: DiskImage
    /// How many operations were done, and how many acknowledgements are among them.
    package let point: Int
    package let acknowledged: Int
    package let variant: Variant
    /// Equal for equal disks of one run.
    package let key: Int
  }

  private let operations: [WriteLog.Operation]
  private let seed: UInt64
  private let draws: Int

  /// - Parameter draws: how many random parts are drawn after each operation, whole and torn each.
  package init(_ log: WriteLog, seed: UInt64, draws: Int = 1) {
    operations = log.operations
    self.seed = seed
    self.draws = draws
  }

  package static let sector = 512

  /// Visits the states of one of `parts` consecutive parts of the log: so they can be visited side by side.
  package func visit(part: Int = 0, of parts: Int = 1, _ body: (State) async throws -> Void) async throws {
    let points = operations.count * part / parts..<operations.count * (part + 1) / parts
    var durable = DiskImage()
    var flushes = 0
    var pending: [(number: Int, operation: WriteLog.Operation)] = []
    var acknowledged = 0
    for (number, operation) in operations[..<points.upperBound].enumerated() {
      switch operation {
      case .acknowledged: acknowledged += 1
      case .sync(let inode):
        flush(inode, &durable, &pending)
        flushes += 1
      case .syncFolder:
        flush(nil, &durable, &pending)
        flushes += 1
      case .create, .write, .truncate, .unlink, .rename: pending.append((number, operation))
      }
      // Of acknowledgements in a row the last is enough: the disk is the same, and it expects the most.
      guard points.contains(number), !(isAcknowledgement(number) && isAcknowledgement(number + 1)) else { continue }
      let variants = Variant.allCases.flatMap { variant in
        (0..<(variant == .part || variant == .partAndTorn ? draws : 1)).map { (variant, draw: $0) }
      }
      for (variant, draw) in variants {
        let (kept, torn) = kept(of: pending, variant, UInt64(number * draws + draw))
        var disk = durable
        for (_, operation) in kept { disk.apply(operation) }
        var hasher = Hasher()
        hasher.combine(flushes)
        hasher.combine(kept.map(\.number))
        hasher.combine(torn)
        try await body(
          State(
            disk: disk, point: number + 1, acknowledged: acknowledged, variant: variant, key: hasher.finalize()))
      }
    }
  }

  private func isAcknowledgement(_ number: Int) -> Bool {
    guard number < operations.count, case .acknowledged = operations[number] else { return false }
    return true
  }

  /// A flush of one file, or of a folder, makes all that changed names and sizes before it durable as well.
  private func flush(
    _ flushed: UInt64?, _ durable: inout DiskImage, _ pending: inout [(number: Int, operation: WriteLog.Operation)]
  ) {
    var later: [(number: Int, operation: WriteLog.Operation)] = []
    for (number, operation) in pending {
      switch operation {
      case .write(let inode, _, _) where inode != flushed: later.append((number, operation))
      case .truncate(let inode, let size):
        durable.apply(operation)
        // What was written beyond the new end is never written out.
        later = later.compactMap { entry in
          guard case .write(inode, let offset, let bytes) = entry.operation, offset + bytes.count > size else {
            return entry
          }
          guard offset < size else { return nil }
          return (entry.number, .write(inode: inode, offset: offset, bytes: bytes.prefix(size - offset)))
        }
      default: durable.apply(operation)
      }
    }
    pending = later
  }

  private func kept(
    of pending: [(number: Int, operation: WriteLog.Operation)], _ variant: Variant, _ draw: UInt64
  ) -> (kept: [(number: Int, operation: WriteLog.Operation)], torn: Int) {
    if variant == .nothingUnflushed { return ([], 0) }
    if variant == .everything { return (pending, 0) }
    var random = SplitMix(seed: seed ^ draw &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(variant.rawValue))
    let isName = { (operation: WriteLog.Operation) in if case .write = operation { false } else { true } }
    var names = Int.random(in: 0...pending.count { isName($0.operation) }, using: &random)
    var kept = pending.filter { entry in
      guard isName(entry.operation) else { return Bool.random(using: &random) }
      names -= 1
      return names >= 0
    }
    guard variant == .partAndTorn, let last = kept.last, case .write(let inode, let offset, let bytes) = last.operation,
      bytes.count > Self.sector
    else { return (kept, 0) }
    let torn = Int.random(in: 1...(bytes.count - 1) / Self.sector, using: &random) * Self.sector
    kept[kept.count - 1].operation = .write(inode: inode, offset: offset, bytes: bytes.prefix(torn))
    return (kept, torn)
  }
}

/// The random numbers of a printed seed: the same on every machine.
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
