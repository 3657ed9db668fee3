package import VirtualTag

extension PrivatePcscd {
  /// A running pcscd of the test's own, with readers from this build, in a folder that goes with it.
  package static func started(readers: [ReaderEntry] = [.acr122]) throws -> PrivatePcscd {
    let pcscd = try PrivatePcscd(readers: readers, libraries: BuildProducts.directory)
    try pcscd.start()
    return pcscd
  }
}
