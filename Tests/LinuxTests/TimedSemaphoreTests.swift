import Foundation
import Linux
import TestSupport
import Testing

struct TimedSemaphoreTests {
  @Test func `each signal ends one wait, whether it comes before it or during it`() {
    let semaphore = TimedSemaphore()
    semaphore.signal()
    semaphore.signal()
    #expect(semaphore.wait(atMost: .zero))
    #expect(semaphore.wait(atMost: .seconds(1_000_000_000_000)))
    #expect(!semaphore.wait(atMost: .milliseconds(1)))
    Threads.start(name: "signal") { semaphore.signal() }
    #expect(semaphore.wait(atMost: .seconds(10)))
  }

  @Test(arguments: [Duration.zero, .seconds(-5), .nanoseconds(1), .milliseconds(30)])
  func `a wait without a signal lasts its time and not less`(limit: Duration) {
    let begun = SystemTime().uptime()
    #expect(!TimedSemaphore().wait(atMost: limit))
    #expect(SystemTime().uptime() - begun >= limit)
  }

  /// Of the wall clock are the time-outs of Dispatch's semaphores and groups, and what waits until a `Date`.
  @Test func `nothing in the product waits by the wall clock`() throws {
    let sources = AgentUnderTest.root + "/Sources"
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
    #expect(files.count > 100)
    for file in files {
      let text = try String(contentsOfFile: sources + "/" + file, encoding: .utf8)
      for wait in ["wait(timeout:", "wait(wallTimeout:", "asyncAfter(", "wait(until: Date", "Thread.sleep("] {
        #expect(!text.contains(wait), "\(file): \(wait)")
      }
    }
  }
}
