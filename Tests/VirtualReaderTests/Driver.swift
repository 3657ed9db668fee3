import Foundation
import Glibc
import TestSupport
import VirtualTag

/// The driver loaded into the test itself: pcscd's side of <ifdhandler.h>, where no pcscd is wanted.
final class Driver: Sendable {
  struct Failure: Error { let description: String }

  typealias Bytes = UnsafeMutablePointer<UInt8>
  typealias Count = UnsafeMutablePointer<UInt>

  /// Results of <ifdhandler.h>.
  enum Result {
    static let success = 0
    static let errorTag = 600
    static let powerAction = 608
    static let communicationError = 612
    static let notSupported = 606
    static let present = 615
    static let notPresent = 616
    static let noSuchDevice = 617
    static let insufficientBuffer = 618
  }

  private let lun: UInt
  private let folder: Folder
  private let watch: Watch?
  let tag: VirtualTag

  /// - Parameters:
  ///   - number: one of the test's own; the driver holds eight readers at a time.
  ///   - watched: a thread waits for events, as pcscd's does.
  init(number: UInt, watched: Bool = true) throws {
    lun = number << 16
    folder = try Folder()
    tag = VirtualTag(socketPath: folder.path + "/reader")
    let result = try Self.open(lun: lun, device: "/dev/null:" + tag.socketPath)
    guard result == Result.success else { throw Failure(description: "the driver refuses reader \(number): \(result)") }
    watch = watched ? try Watch(lun: lun) : nil
  }

  deinit {
    watch?.end()
    typealias Close = @convention(c) (UInt) -> Int
    if let close = try? Self.function("IFDHCloseChannel", as: Close.self) { _ = close(lun) }
  }

  static func open(lun: UInt, device: String) throws -> Int {
    typealias Create = @convention(c) (UInt, UnsafeMutablePointer<CChar>) -> Int
    let create = try unsafe function("IFDHCreateChannelByName", as: Create.self)
    var name = Array(device.utf8CString)
    return unsafe create(lun, &name)
  }

  static func function<F>(_ name: String, as type: F.Type) throws -> F {
    let library = unsafe dlopen(BuildProducts.path("libVirtualReader.so"), RTLD_NOW)
    guard let symbol = unsafe dlsym(library, name) else {
      throw Failure(description: "no \(name) in the driver")
    }
    return unsafe unsafeBitCast(symbol, to: F.self)
  }

  var presence: Int {
    get throws {
      typealias Presence = @convention(c) (UInt) -> Int
      return try Self.function("IFDHICCPresence", as: Presence.self)(lun)
    }
  }

  /// IFD_POWER_UP 500, IFD_POWER_DOWN 501, IFD_RESET 502.
  func power(_ action: UInt) throws -> (result: Int, atr: [UInt8]) {
    typealias Power = @convention(c) (UInt, UInt, Bytes, Count) -> Int
    var atr = [UInt8](repeating: 0, count: 33)
    var count: UInt = 33
    let result = try unsafe Self.function("IFDHPowerICC", as: Power.self)(lun, action, &atr, &count)
    return (result, action == 501 ? [] : Array(atr[..<Int(count)]))
  }

  func transmit(_ apdu: [UInt8], room: Int = 258) throws -> (result: Int, answer: [UInt8]) {
    // The second parameter is a SCARD_IO_HEADER (protocol, length): x86-64 and AArch64 pass its two words as two words.
    typealias Transmit = @convention(c) (UInt, UInt, UInt, Bytes, UInt, Bytes, Count, UnsafeMutableRawPointer?) -> Int
    var apdu = apdu
    let apduCount = UInt(apdu.count)
    var answer = [UInt8](repeating: 0, count: room)
    var count = UInt(room)
    let transmit = try unsafe Self.function("IFDHTransmitToICC", as: Transmit.self)
    let result = unsafe transmit(lun, 1, 16, &apdu, apduCount, &answer, &count, nil)
    return (result, Array(answer[..<Int(count)]))
  }

  /// - Parameter code: SCARD_CTL_CODE(n) is 0x42000000 + n.
  func control(_ code: UInt, _ command: [UInt8], room: Int) throws -> (result: Int, answer: [UInt8]) {
    typealias Control = @convention(c) (UInt, UInt, Bytes, UInt, Bytes, UInt, Count) -> Int
    var command = command
    let commandCount = UInt(command.count)
    var answer = [UInt8](repeating: 0, count: max(room, 1))
    var count: UInt = 99
    let control = try unsafe Self.function("IFDHControl", as: Control.self)
    let result = unsafe control(lun, code, &command, commandCount, &answer, UInt(room), &count)
    return (result, Array(answer[..<Int(count)]))
  }

  /// TAG_IFD_… as a byte; the result when there is none.
  func capability(_ tag: UInt) throws -> (result: Int, value: UInt8) {
    typealias Get = @convention(c) (UInt, UInt, Count, Bytes) -> Int
    var value = [UInt8](repeating: 0, count: 64)
    var count: UInt = 64
    let result = try unsafe Self.function("IFDHGetCapabilities", as: Get.self)(lun, tag, &count, &value)
    return (result, value[0])
  }
}
