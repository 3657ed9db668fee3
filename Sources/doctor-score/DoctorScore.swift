import Foundation
import Glibc
import TestSupport

/// `make doctor-score`: how often `kiosk-agent --diagnose` names the right first cause of a fault that was made outside it,
/// whether it finds something at a kiosk that is well, how long it takes, and whether it gives anything away.
@main
enum DoctorScore {
  static func main() {
    let wanted = CommandLine.arguments.dropFirst()
    var score = Score(isWhole: wanted.isEmpty)
    score.table("a kiosk that is well", chosen(DoctorCase.healthy, wanted))
    score.table("fault", chosen(DoctorCase.faults, wanted))
    say("")
    for line in score.summary { say(line) }
    exit(score.isGood ? 0 : 1)
  }

  /// `doctor-score S5 full` looks only at cases with such an id, or with such a word in what was done.
  private static func chosen(_ cases: [DoctorCase], _ words: ArraySlice<String>) -> [DoctorCase] {
    words.isEmpty
      ? cases : cases.filter { found in words.contains { found.first == $0 || found.description.contains($0) } }
  }
}

/// Writes a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
