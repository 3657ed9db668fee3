import Foundation

/// `HH:MM` in UTC, so many minutes from now.
func clock(_ minutes: Int, from now: Date = Date()) -> String {
  let seconds = Int(now.timeIntervalSince1970) + minutes * 60
  return String(format: "%02d:%02d", (seconds / 3600) % 24, (seconds / 60) % 60)
}

/// Ann's dose has been late for 10 minutes; Bob's is half a day away. Ann has two tags for the same box.
func household(now: Date = Date()) -> String {
  """
  { people: [{ id: 'ann', name: 'Ann' }, { id: 'bob', name: 'Bob' }],
    medications: [
      { id: 'levo', person: 'ann', name: 'Levothyroxine', dose: '1 tablet',
        times: [{ at: '\(clock(-10, from: now))', opensBefore: 120, closesAfter: 240, since: '2019-01-01T00:00:00+00:00' }] },
      { id: 'drops', person: 'bob', name: 'Eye drops',
        times: [{ at: '\(clock(720, from: now))', opensBefore: 60, closesAfter: 60, since: '2019-01-01T00:00:00+00:00' }] } ],
    tags: [{ uid: '04A1B2C3D4E5F6', medications: ['levo'] }, { uid: '04A1A1A1A1A1A1', medications: ['levo'] },
      { uid: '04B0B0B0B0B0B0', medications: ['drops'] }] }
  """
}

let annTag: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]
let annOtherTag: [UInt8] = [0x04, 0xA1, 0xA1, 0xA1, 0xA1, 0xA1, 0xA1]
let bobTag: [UInt8] = [0x04, 0xB0, 0xB0, 0xB0, 0xB0, 0xB0, 0xB0]
let unknownTag: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]
