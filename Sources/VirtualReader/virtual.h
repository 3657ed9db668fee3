// The state of one virtual reader. Everything in it is guarded by `lock`.
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_READERS = 8, MAX_UID = 32, MAX_ATR = 33, MAX_ANSWER = 512, LOG_LINES = 128, LOG_BYTES = 20 };

struct log_line {
  int64_t at;
  char what;
  size_t count;
  unsigned char bytes[LOG_BYTES];
};

struct reader {
  bool used;
  pthread_mutex_t lock;
  pthread_t control;
  int listener;
  int wake;  // eventfd: something changed, or the wait is to stop
  int stop;  // eventfd: the control thread is to end
  char path[108];

  bool present;
  unsigned char uid[MAX_UID], atr[MAX_ATR], answer[MAX_ANSWER];
  size_t uid_count, atr_count, answer_count;
  int mute, fail, torn, answers, slow;  // how many times more; -1: for ever
  size_t torn_bytes;
  int slow_ms;
  bool error, gone;

  struct log_line log[LOG_LINES];
  unsigned log_next, log_count;
};

int64_t monotonic_ns(void);

// Both with the lock held.
void reader_reset(struct reader *reader);
void reader_note(struct reader *reader, char what, const unsigned char *bytes, size_t count);

// True once for each of `*times`, for ever when negative.
bool once_more(int *times);

// Wakes whoever waits for an event of this reader.
void reader_wake(struct reader *reader);

// Opens the control socket and starts its thread; false when it cannot.
bool control_start(struct reader *reader, const char *path);
void control_stop(struct reader *reader);

// Carries out one command line and writes the answer line without its end. Takes the lock itself.
void command(struct reader *reader, const char *line, char *answer, size_t capacity);
