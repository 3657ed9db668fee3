import Glibc
import Linux
import Testing

struct ClockStepsTests {
  @Test(.timeLimit(.minutes(1)))
  func `setting the wall clock wakes whoever watches it, every time`() async {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    // Setting the clock to the time it shows is a step to the kernel and to nobody else.
    guard unsafe clock_settime(CLOCK_REALTIME, &now) == 0 else {
      print("SKIP setting the wall clock wakes whoever watches it: may not set the clock here (errno \(errno))")
      return
    }
    let steps = ClockSteps.watch()
    let setter = Task {
      while !Task.isCancelled {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        unsafe clock_settime(CLOCK_REALTIME, &now)
        await Task.yield()
      }
    }
    var iterator = steps.makeAsyncIterator()
    // Many, since some of them come while the one before is being told.
    for number in 1...1000 {
      guard await iterator.next() != nil else {
        Issue.record("nothing is told any more after \(number - 1)")
        break
      }
    }
    setter.cancel()
  }
}
