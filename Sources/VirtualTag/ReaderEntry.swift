/// One reader of a private pcscd: an entry of its reader.conf(5).
package struct ReaderEntry: Sendable, Equatable {
  /// What drives the reader.
  package enum Driver: Sendable, Equatable {
    /// A virtual reader, moved through a control socket.
    case virtualReader

    /// Any other driver.
    /// - Parameters:
    ///   - library: the absolute path of its shared object.
    ///   - device: pcscd wants the part before the first colon to exist.
    ///   - channel: what the driver makes of it; vpcd's is the first of its two TCP ports.
    case other(library: String, device: String, channel: UInt32)
  }

  /// What clients see, followed by two numbers (`… 00 00`). No line breaks or quotes.
  package let name: String
  package let driver: Driver

  package init(name: String, driver: Driver = .virtualReader) {
    self.name = name
    self.driver = driver
  }

  /// What libccid calls the reader this product is made for.
  package static let acr122 = ReaderEntry(name: "ACS ACR122U PICC Interface")

  /// The lines for the `index`-th entry.
  func lines(index: Int, library: String, controlSocket: String) -> String {
    let (path, device, channel) =
      switch driver {
      case .virtualReader: (library, "/dev/null:\(controlSocket)", UInt32(index))
      case .other(let library, let device, let channel): (library, device, channel)
      }
    let name = String(self.name.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" }.map(Character.init))
    return """
      FRIENDLYNAME "\(name)"
      DEVICENAME \(device)
      LIBPATH \(path)
      CHANNELID \(channel)


      """
  }
}
