// One virtual reader: what is in its field, what is wrong with it, and what happened to it.
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
  READERS = 8,
  MAX_UID = 32,
  MAX_ATR = 33,        // ISO 7816-3; pcscd's MAX_ATR_SIZE
  MAX_ANSWER = 65538,  // pcsc-lite's MAX_BUFFER_SIZE_EXTENDED leaves room for 65536 bytes and a status word
  MAX_COMMAND = 4096,
  LOG_LINES = 256,
  LOG_BYTES = 64,
};

// How often a fault still strikes: 0 never, ALWAYS without end.
typedef int32_t times_t;
enum { ALWAYS = -1 };

struct log_line {
  uint64_t number;
  int64_t at;  // CLOCK_MONOTONIC, ns
  const char *what;
  size_t count;  // of the bytes that there were; the first LOG_BYTES are kept
  unsigned char bytes[LOG_BYTES];
};

struct faults {
  times_t mute, comm, torn, slow, answer;
  size_t torn_count;
  int slow_ms;
  size_t answer_count;
  bool status, unavailable;
};

struct reader {
  unsigned long lun;
  bool open;

  pthread_mutex_t lock;  // of all below

  bool present;
  size_t uid_count, atr_count;
  unsigned char uid[MAX_UID], atr[MAX_ATR];
  struct faults faults;
  unsigned char answer[MAX_ANSWER];

  // pcscd's event thread sleeps in reader_await_event and, once woken, looks at the reader and comes back.
  pthread_cond_t event, settled;
  uint64_t changes;  // that an event thread has to hear of
  uint64_t taken;    // as many as it has heard of
  bool waiting, stop;

  uint64_t lines;  // logged so far
  struct log_line log[LOG_LINES];

  struct control *control;
};

struct moment {
  int64_t at;  // CLOCK_MONOTONIC, ns
  bool noticed;  // pcscd had dealt with the change before this one
};

int64_t monotonic_ns(void);

// The reader that pcscd calls by this logical unit number; NULL when there is none.
struct reader *reader_find(unsigned long lun);

// Makes a healthy reader with an empty field whose control socket has this path. NULL, and a line on stderr, when it
// cannot: a number in use, too many readers, a path that cannot be bound.
struct reader *reader_open(unsigned long lun, const char *socket_path);
void reader_close(struct reader *reader);

// The rest wants the lock held.

// Waits until pcscd's event thread has dealt with all changes, at most 2 s; false when it has not.
bool reader_settle(struct reader *reader);

// To be called after a change that pcscd can see.
void reader_changed(struct reader *reader);

struct moment reader_enter(struct reader *reader, const unsigned char *uid, size_t uid_count, const unsigned char *atr,
                           size_t atr_count);
struct moment reader_leave(struct reader *reader);
void reader_heal(struct reader *reader);

// True if a fault strikes now, and counts it down.
bool strikes(times_t *left);

void reader_note(struct reader *reader, const char *what, const unsigned char *bytes, size_t count);
