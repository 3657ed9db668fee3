// LD_PRELOAD for tests of the real programs: records what one does to its disk and shows to people, makes single operations
// of the disk fail, and lets SQLite flush less than it was asked to. Only files below KIOSK_DISK_ROOT count.
//
//   KIOSK_DISK_LOG     records are appended to this file: `struct disk_record`, then its bytes
//   KIOSK_DISK_MARK    a file of 8 bytes, a native int64, that goes into every record: the test's own counter
//   KIOSK_DISK_SOUND   a write to this file is recorded as an acknowledgement
//   KIOSK_DISK_WALL    a socket send that contains this text is recorded as an acknowledgement
//   KIOSK_DISK_FAULTS  a file of `struct disk_faults`; test and program may both change it meanwhile
//   KIOSK_DISK_SYNCHRONOUS  NORMAL or OFF: what `PRAGMA synchronous = FULL` sets, unseen by who asks: the control that
//                      shows that a loss is found
//
// Records are made with one lock held over operation and record: their order is that of the operations. SQLite's shared
// memory (-shm) is made anew after a crash and is not recorded.
#pragma once
#include <stdint.h>

// What was done. `inode` names a file through every rename.
enum disk_operation {
  DISK_CREATE = 'C',    // `name` is a file now
  DISK_WRITE = 'W',     // the bytes, at `offset`
  DISK_TRUNCATE = 'T',  // to `offset` bytes
  DISK_SYNC = 'S',      // a file
  DISK_SYNC_FOLDER = 'D',
  DISK_UNLINK = 'U',
  DISK_RENAME = 'R',  // `name`, to the bytes
  DISK_SOUND = 'A',   // the sound's file was written; the first 32 bytes
  DISK_WALL = 'P',    // the bytes were sent to a page
};

struct disk_record {
  uint64_t operation;
  int64_t mark;
  uint64_t inode;
  uint64_t offset;
  uint64_t length;  // of the bytes that follow
  char name[88];    // below the root
};

// Operations that write, flush, make, remove or rename are counted in `seen`; those from number `first` on, `count` of
// them, fail with `error`; the first is number 1, and 0 lets all succeed.
struct disk_faults {
  int64_t first, count, error, seen, failed;
};
