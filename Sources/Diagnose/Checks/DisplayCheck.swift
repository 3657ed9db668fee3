internal import Linux

/// W4: whether a browser shows the page.
enum DisplayCheck {
  static let check = Check(
    "W4", "Page on the wall", needs: ["W2", "W3"], impact: .wall, eyes: .service
  ) { look($0) }

  private static let unit = "kiosk-display.service"
  /// A page tells every 10 s what it has painted.
  private static let longest = 60

  private static func look(_ box: Surroundings) -> Finding {
    guard box.agent != nil else { return Surroundings.noAgent }
    guard let health = box.health() else { return .skip("The page is not served (W1).") }
    let unit = box.properties(of: unit, "LoadState,UnitFileState,ActiveState")
    let isEnabled = unit?["LoadState"] == "loaded" && unit?["UnitFileState"] == "enabled"
    return finding(health.displays, hasService: isEnabled)
  }

  /// - Parameter hasService: whether a browser of this machine is started by systemd.
  static func finding(_ displays: AgentHealth.Displays, hasService: Bool) -> Finding {
    var seen: [Finding.Fact] = [.init("connected pages", displays.streams)]
    if let last = displays.last {
      seen += [
        .init("last painted", "\(last.ageSeconds) s ago"), .init("size", "\(last.w) x \(last.h)"),
        .init("visible", last.visible ? "yes" : "no"),
      ]
    }
    let restart = "sudo systemctl restart kiosk-display"
    let open = "Open the page in the browser of the wall."
    guard displays.streams > 0 else {
      return hasService
        ? .fail(seen, "The wall's browser does not show the page.", restart)
        : .warn(seen, "No browser shows the page.", open)
    }
    guard let last = displays.last, last.ageSeconds < longest else {
      return .warn(seen, "A browser has the page open and does not paint it.", hasService ? restart : open)
    }
    return .pass(seen)
  }
}
