internal import Fuzzing
internal import Glibc

/// The target that `FUZZ_TARGET` names; nil when it names none.
private let target = unsafe getenv("FUZZ_TARGET").flatMap { name in unsafe FuzzTarget(rawValue: String(cString: name)) }

/// What libFuzzer, which brings `main`, calls with every input it makes up. A broken promise ends the process as a trap
/// does: libFuzzer then writes the input down and says so.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let target else {
    say("fuzz: FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))\n")
    exit(64)
  }
  do throws(BrokenPromise) {
    try target.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    say("fuzz: \(target.rawValue): \(error)\n")
    abort()
  }
  return 0
}

private func say(_ text: String) {
  let bytes = Array(text.utf8)
  _ = unsafe write(2, bytes, bytes.count)
}
