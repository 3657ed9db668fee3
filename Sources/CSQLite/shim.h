#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, which Swift cannot import: SQLite copies the bytes before these return.
static inline int kiosk_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
static inline int kiosk_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, count ? bytes : "", count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic. A reader must never checkpoint: only one process may write the database file.
static inline int kiosk_never_checkpoint_on_close(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
