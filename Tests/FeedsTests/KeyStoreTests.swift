import Foundation
import Glibc
import Testing

@testable import Feeds

/// DESIGN 4.2: the credential, then the file, then the variable.
struct KeyStoreTests {
  private let folder = TemporaryFolder()
  private let variable = "KIOSK_AGENT_ONEBUSAWAY_KEY"

  private func store(file: String? = nil, _ environment: [String: String] = [:]) -> KeyStore {
    KeyStore(source: "onebusaway", keyFile: file, environment: environment)
  }

  private func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
    let path = "\(folder.path)/\(name)"
    try Data(text.utf8).write(to: URL(filePath: path))
    unsafe chmod(path, mode)
    return path
  }

  @Test func `the three places are asked in order`() throws {
    let file = try write("key", "of-the-file\n")
    let environment = [variable: "of-the-variable", "CREDENTIALS_DIRECTORY": folder.path]
    #expect(try store([variable: " of-the-variable\n"]).key().text == "of-the-variable")
    #expect(try store(file: file, environment).key().text == "of-the-file")
    _ = try write("onebusaway-key", "of-the-credential", mode: 0o440)
    #expect(try store(file: file, environment).key().text == "of-the-credential")
  }

  @Test func `without a key all places are named`() {
    #expect(throws: KeyStore.Fault.missing(source: "onebusaway", variable: variable)) { try store().key() }
    #expect(throws: KeyStore.Fault.missing(source: "onebusaway", variable: variable)) {
      try store([variable: ""]).key()
    }
    #expect(throws: KeyStore.Fault.missing(source: "calendar:a-b", variable: "KIOSK_AGENT_CALENDAR_A_B_KEY")) {
      try KeyStore(source: "calendar:a-b", keyFile: nil, environment: [:]).key()
    }
  }

  @Test(arguments: [0o644, 0o604, 0o602, 0o666] as [mode_t]) func `a file that others can open is refused`(mode: mode_t)
    throws
  {
    let file = try write("key", "secret", mode: mode)
    #expect(throws: KeyStore.Fault.openToOthers(path: file)) { try store(file: file, [variable: "other"]).key() }
  }

  @Test(arguments: [0o600, 0o640, 0o440, 0o400] as [mode_t]) func `owner and group may read it`(mode: mode_t) throws {
    #expect(try store(file: try write("key", "secret", mode: mode)).key().text == "secret")
  }

  @Test(arguments: ["", " \n\n", "two\nkeys", "a key", "schlüssel", String(repeating: "k", count: 513)])
  func `what cannot be a key is refused, not passed over`(text: String) throws {
    let file = try write("key", text)
    #expect(throws: KeyStore.Fault.malformed(place: file)) { try store(file: file, [variable: "other"]).key() }
  }

  @Test func `a file that is missing, a folder and a pipe are errors that name it`() throws {
    let missing = "\(folder.path)/missing"
    #expect(throws: KeyStore.Fault.unreadable(path: missing, errno: ENOENT)) { try store(file: missing).key() }
    #expect(throws: KeyStore.Fault.malformed(place: folder.path)) { try store(file: folder.path).key() }
    let pipe = "\(folder.path)/pipe"
    unsafe mkfifo(pipe, 0o600)
    #expect(throws: KeyStore.Fault.malformed(place: pipe)) { try store(file: pipe).key() }
  }

  @Test func `a key cannot be shown`() throws {
    let key = try #require(FeedKey("SECRET"))
    var dumped = ""
    dump(key, to: &dumped)
    #expect(!"\(key) \(String(reflecting: key)) \(dumped) \([key]) \(Optional(key) as Any)".contains("SECRET"))
  }

  @Test func `it is taken out of what a server says, plain and encoded`() throws {
    let key = try #require(FeedKey("a+b/c="))
    #expect(key.scrub("no key a+b/c= or a%2Bb%2Fc%3D here, A+B/C=") == "no key … or … here, …")
  }
}
