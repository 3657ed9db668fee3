import Foundation
import Glibc
import TestSupport
import Testing

/// `backup`, `restore`, and a ledger that cannot be used (DESIGN 4.1, 5.6).
struct LedgerFileTests {
  private func furnished() throws -> Kitchen {
    let kitchen = try Kitchen()
    #expect(try kitchen.agent("import", try kitchen.write("household.json5", household)).code == 0)
    return kitchen
  }

  private func people(_ kitchen: Kitchen) throws -> Int {
    try kitchen.agent("export").out.components(separatedBy: "\"remindersEnabled\"").count - 1
  }

  @Test func `a copy is put back, and the ledger before it is kept`() throws {
    let kitchen = try furnished()
    let copy = kitchen.path("copy.sqlite")
    let made = try kitchen.agent("backup", copy, "--json")
    #expect(made.code == 0 && made.out == "{\"file\":\"\(copy)\",\"movedAside\":null}\n", "\(made)")
    let empty = try kitchen.write("empty.json5", "{ people: [], medications: [], tags: [] }")
    #expect(try kitchen.agent("import", empty).code == 0)
    #expect(try people(kitchen) == 0)
    let restored = try kitchen.agent("restore", copy, "--json")
    #expect(restored.code == 0, "\(restored.err)")
    #expect(try people(kitchen) == 2)
    let object = try JSONSerialization.jsonObject(with: Data(restored.out.utf8)) as? [String: Any]
    let aside = try #require(object?["movedAside"] as? String)
    #expect(FileManager.default.fileExists(atPath: aside))
    #expect(try kitchen.agent("restore", aside).code == 0)
    #expect(try people(kitchen) == 0, "and can be put back itself")
  }

  @Test(arguments: ["garbage", "empty", "missing", "folder", "other database"])
  func `what is no ledger is 65, and the one that is there stays`(kind: String) throws {
    let kitchen = try furnished()
    let file = kitchen.path("file.sqlite")
    switch kind {
    case "garbage": try kitchen.write("file.sqlite", String(repeating: "no database ", count: 1000))
    case "empty": try kitchen.write("file.sqlite", "")
    case "folder": try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    case "other database":
      let script = "import sqlite3; c = sqlite3.connect('\(file)'); c.execute('CREATE TABLE t (x)'); c.commit()"
      #expect(try ChildProgram("/usr/bin/env", ["python3", "-c", script]).waitForExit() == 0)
    default: break
    }
    let problem = try kitchen.agent("restore", file).problem(65)
    #expect(problem.contains(file), "\(problem)")
    #expect(try people(kitchen) == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: kitchen.state).allSatisfy { !$0.contains("replaced") })
  }

  @Test func `a copy cannot be the ledger itself`() throws {
    let kitchen = try furnished()
    for command in ["backup", "restore"] {
      let problem = try kitchen.agent(command, kitchen.state + "/ledger.sqlite").problem(64)
      #expect(problem.contains("is the ledger itself"), "\(problem)")
    }
    #expect(try people(kitchen) == 2)
  }

  @Test func `a copy that cannot be written is 74 and leaves nothing half`() throws {
    let kitchen = try furnished()
    _ = try kitchen.agent("backup", kitchen.path("none/copy.sqlite")).problem(74)
    _ = try Kitchen().agent("backup", "/tmp/never-made.sqlite").problem(74)
    #expect(!FileManager.default.fileExists(atPath: "/tmp/never-made.sqlite"))
  }

  @Test(arguments: [["history"], ["export"], ["wall", "--json"], ["backup", "copy.sqlite"]])
  func `a ledger that is damaged is 74 to who reads it, and is left as it is`(words: [String]) throws {
    let kitchen = try furnished()
    let garbage = String(repeating: "no database ", count: 1000)
    try kitchen.write("state/ledger.sqlite", garbage)
    let problem = try kitchen.bare(words + ["--config", kitchen.configuration]).problem(74)
    #expect(problem.contains("restore"), "\(problem)")
    #expect(try kitchen.text("state/ledger.sqlite") == garbage)
  }

  @Test func `an import into a damaged ledger goes into the newest good backup, and the damaged one is kept`() throws {
    let kitchen = try furnished()
    let garbage = String(repeating: "no database ", count: 1000)
    try kitchen.write("state/ledger.sqlite", garbage)
    #expect(try kitchen.agent("import", kitchen.path("household.json5")).code == 0)
    #expect(try people(kitchen) == 2)
    let aside = try FileManager.default.contentsOfDirectory(atPath: kitchen.state).filter {
      $0.hasPrefix("ledger.sqlite") && (try? kitchen.text("state/" + $0)) == garbage
    }
    #expect(aside.count == 1, "\(aside)")
  }

  @Test func `a ledger of a newer agent is 74 and says which to install`() throws {
    let kitchen = try furnished()
    let script = """
      import sqlite3; c = sqlite3.connect('\(kitchen.state)/ledger.sqlite'); c.execute('PRAGMA user_version = 999')
      c.commit()
      """
    #expect(try ChildProgram("/usr/bin/env", ["python3", "-c", script]).waitForExit() == 0)
    #expect(try kitchen.agent("history").problem(74).contains("newer"))
    #expect(try kitchen.agent("import", kitchen.path("household.json5")).problem(74).contains("newer"))
  }

  @Test func `a row that the ledger's own rules refuse is a fault of the program: 70`() throws {
    let kitchen = try furnished()
    let script = """
      import sqlite3; c = sqlite3.connect('\(kitchen.state)/ledger.sqlite')
      for (t,) in c.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'").fetchall():
        c.execute(f"CREATE TRIGGER planted_{t} BEFORE INSERT ON {t} BEGIN SELECT RAISE(ABORT, 'planted'); END")
      c.commit()
      """
    let planting = try ChildProgram("/usr/bin/env", ["python3", "-c", script])
    #expect(try planting.waitForExit() == 0, "\(planting.text)")
    let file = try kitchen.write("more.json5", "{ people: [{ id: 'ann', name: 'Anna' }, { id: 'bob', name: 'Bob' }] }")
    #expect(try kitchen.agent("import", file).problem(70).contains("report this as a fault of kiosk-agent"))
    #expect(try people(kitchen) == 2)
  }

  @Test func `a state directory that cannot be made or opened is said, and is not an empty household`() throws {
    let kitchen = try Kitchen("{ stateDirectory: 'file/state' }")
    let file = try kitchen.write("household.json5", household)
    try kitchen.write("file", "")
    #expect(try kitchen.agent("import", file).problem(74).contains("cannot be made"))
    #expect(try kitchen.agent("restore", file).problem(74).contains("cannot be made"))
    #expect(try kitchen.agent("run").problem(75).contains("cannot be made"), "74 is never from run")
  }

  @Test func `a full disk refuses the import, and is no half of one`() throws {
    let kitchen = try furnished()
    let people = (0..<8000).map { "{ id: 'p\($0)', name: 'Person \($0)' }" }.joined(separator: ",")
    let file = try kitchen.write(
      "many.json5", "{ people: [\(people)], medications: [], tags: [] }")
    // A limit on the size of files is what a full disk is to SQLite.
    let program = try ChildProgram(
      "/bin/bash",
      [
        "-c", "ulimit -f 64; exec \"$0\" \"$@\"", BuildProducts.path("kiosk-agent"), "import", file, "--config",
        kitchen.configuration,
      ], environment: kitchen.environment)
    #expect(try program.waitForExit() == 74, "\(program.text)")
    #expect(program.text.hasPrefix("kiosk-agent: "), "\(program.text)")
    #expect(try self.people(kitchen) == 2)
    #expect(try kitchen.agent("import", file).code == 0, "with room it goes in")
  }

  @Test func `what root makes in the agent's state directory belongs to the agent`() throws {
    guard geteuid() == 0 else {
      print("SKIP what root makes in the agent's state directory belongs to the agent: needs root to be another user's")
      return
    }
    let nobody: uid_t = 65534
    let kitchen = try Kitchen()
    try FileManager.default.createDirectory(atPath: kitchen.state, withIntermediateDirectories: true)
    #expect(unsafe chown(kitchen.state, nobody, nobody) == 0)
    func owners() throws -> Set<uid_t> {
      Set(
        try FileManager.default.subpathsOfDirectory(atPath: kitchen.state).compactMap { name in
          try FileManager.default.attributesOfItem(atPath: kitchen.state + "/" + name)[.ownerAccountID] as? uid_t
        })
    }
    #expect(try kitchen.agent("import", kitchen.write("household.json5", household)).code == 0)
    #expect(try owners() == [nobody])
    #expect(try kitchen.agent("backup", kitchen.path("copy")).code == 0)
    #expect(try kitchen.agent("restore", kitchen.path("copy")).code == 0)
    #expect(try owners() == [nobody])
  }
}
