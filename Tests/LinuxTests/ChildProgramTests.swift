import Glibc
import TestSupport
import Testing

/// The programs that the tests start.
struct ChildProgramTests {
  @Test func `the end of a program is seen, whatever else was started meanwhile and inherited all it could`() throws {
    let program = try ChildProgram("/bin/sh", ["-c", "head -c 1000000 /dev/zero; echo begun; exec sleep 60"])
    var heir: pid_t = 0
    let argv = unsafe [strdup("sleep"), strdup("60"), nil]
    defer { for index in unsafe argv.indices { unsafe free(argv[index]) } }
    try #require(unsafe posix_spawn(&heir, "/bin/sleep", nil, nil, argv, environ) == 0)
    defer {
      kill(heir, SIGKILL)
      // Swift Testing waits for any child, and sees no other end while one that has ended is not waited for.
      while waitpid(heir, nil, 0) < 0, errno == EINTR {}
    }
    try program.waitFor("begun")
    program.signal(SIGTERM)
    #expect(try program.waitForExit() == -SIGTERM)
    #expect(program.text.utf8.count == 1_000_006)
  }

  @Test func `what it leaves behind does not hold up its end, and all that it said is there`() throws {
    let program = try ChildProgram("/bin/sh", ["-c", "sleep 60 & echo $!; exit 3"])
    #expect(try program.waitForExit() == 3)
    kill(try #require(Int32(program.text.dropLast())), SIGKILL)
  }
}
