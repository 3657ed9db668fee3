package import Agenda
package import Configuration
internal import Feeds
package import Foundation
internal import Linux

/// Reads the calendars and the picks that are files, and works out what takes place.
///
/// A disk may be slow, a calendar long and its rules many: all of it happens on a thread of its own, and not on the pool on
/// which taps are decided.
package actor CalendarShelf {
  /// How a file stands.
  package struct FileStanding: Equatable, Sendable {
    package var path: String
    /// When its last good content was read; nil: there is none.
    package var readAt: Date?
    package var trouble: FileTrouble?
    package var failingSince: Date?
  }

  /// What the files say of one calendar.
  package struct Look: Sendable {
    /// nil: it is no file, or there is nothing good of it.
    package var feed: CalendarFeed?
    /// nil: it is no file.
    package var file: FileStanding?
    /// What is chosen of it; nil: there are no files for that.
    package var picks: PicksFile?
    package var picksFiles: [FileStanding] = []
  }

  private let executor = QueueExecutor(label: "calendars")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  private var files: [String: WatchedFile<CalendarFeed>] = [:]
  private var picks: [String: [WatchedFile<PicksFile>]] = [:]
  private let calendars: [Configuration.CalendarSource]

  /// - Parameters:
  ///   - stateDirectory: where last good copies are kept; nil: nothing is kept, and what was is not looked at.
  package init(_ calendars: [Configuration.CalendarSource], stateDirectory: String?) {
    self.calendars = calendars
    for calendar in calendars {
      // An id is opaque, and may hold a slash.
      let copy = stateDirectory.map { "\($0)/calendars/\(Address.encoded(calendar.id).prefix(180))" }
      if let path = calendar.file {
        let owners = calendar.owners
        files[calendar.id] = WatchedFile(
          path, copy: copy.map { $0 + ".ics" }, limit: CalendarFeed.mostBytes,
          parse: { bytes throws(FileTrouble) in
            do throws(CalendarError) { return try CalendarFeed.parse(bytes, owners: owners) } catch {
              throw .wrong(error.sentence)
            }
          })
      }
      picks[calendar.id] = calendar.picks?.files?.enumerated().map { number, path in
        WatchedFile(
          path, copy: copy.map { "\($0)-\(number).json" }, limit: PicksFile.mostBytes,
          parse: { bytes throws(FileTrouble) in
            do throws(PicksError) { return try PicksFile(bytes) } catch { throw .wrong(error.sentence) }
          })
      }
    }
  }

  /// Looks at all files.
  ///
  /// - Returns: by calendar, and whether anything is new since the last look.
  package func look(at now: Date) -> (looks: [String: Look], isNew: Bool) {
    var isNew = false
    var looks: [String: Look] = [:]
    for calendar in calendars {
      var look = Look()
      if var file = files[calendar.id] {
        isNew = file.look(at: now) || isNew
        files[calendar.id] = file
        look.feed = file.value
        look.file = FileStanding(file)
      }
      if var chosen = picks[calendar.id] {
        for index in chosen.indices { isNew = chosen[index].look(at: now) || isNew }
        picks[calendar.id] = chosen
        look.picks = Self.merged(chosen.compactMap(\.value))
        look.picksFiles = chosen.map(FileStanding.init)
      }
      looks[calendar.id] = look
    }
    return (looks, isNew)
  }

  /// Picks of several places: for each event the last word counts, whoever said it. A list without removals takes nothing
  /// back that another place has.
  private static func merged(_ files: [PicksFile]) -> PicksFile {
    var picks = PickSet()
    for file in files { picks.merge(file.picks) }
    return PicksFile(picks: picks, venue: files.flatMap(\.venue))
  }

  /// What takes place around now.
  package func plan(_ sheets: [CalendarSheet], at now: Date, in zone: TimeZone) -> AgendaPlan {
    AgendaPlan(sheets, at: now, in: zone)
  }
}

extension CalendarShelf.FileStanding {
  fileprivate init(_ file: WatchedFile<some Sendable>) {
    self.init(path: file.path, readAt: file.readAt, trouble: file.trouble, failingSince: file.failingSince)
  }
}
