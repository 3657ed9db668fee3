#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, which Swift cannot import: SQLite copies the bytes before these return. An empty Swift
// buffer may have no address, and SQLite would store NULL for that.
static inline int kiosk_bind_text(sqlite3_stmt *statement, int index, const unsigned char *text, int count) {
  return sqlite3_bind_text(statement, index, text ? (const char *)text : "", count, SQLITE_TRANSIENT);
}
static inline int kiosk_bind_blob(sqlite3_stmt *statement, int index, const unsigned char *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes ? (const void *)bytes : "", count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic. A reader must never checkpoint: only one process may write the database file.
static inline int kiosk_never_checkpoint_on_close(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Whether the path no longer leads to the file that is open: moved, deleted or replaced. 0 also when SQLite cannot say.
static inline int kiosk_has_moved(sqlite3 *db) {
  int moved = 0;
  return sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}
