internal import Foundation
internal import Linux
internal import TestSupport

/// The feeds of the demo: `demo-feeds FOLDER` serves `FOLDER/buses.json` as a OneBusAway server, its buses running now, and
/// says on its first line where. Its key is DEMO. It ends with SIGTERM.
@main
enum DemoFeeds {
  private struct Buses: Decodable {
    var zone: String
    var lines: [SimulatedBuses.Line]
  }

  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    guard let folder = words.first, words.count == 1 else {
      FileHandle.standardError.write(Data("demo-feeds: no folder: say demo-feeds FOLDER\n".utf8))
      exit(64)
    }
    let bytes = try Data(contentsOf: URL(filePath: folder + "/buses.json"))
    let buses = try JSONDecoder().decode(Buses.self, from: bytes)
    let zone = TimeZone(identifier: buses.zone) ?? .current
    let server = try FakeOneBusAway(SimulatedBuses(buses.lines, zone: zone), key: "DEMO", time: SystemTime())
    FileHandle.standardOutput.write(Data("onebusaway \(server.address)\n".utf8))
    while true { try await SystemTime().sleep(for: .seconds(3600)) }
  }
}
