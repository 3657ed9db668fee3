#define _GNU_SOURCE
#include "virtual.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void say(char *answer, size_t capacity, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(answer, capacity, format, arguments);
  va_end(arguments);
}

// Whole bytes of hex, nothing else; -1 when it is not, or when it is longer than `most`.
static int hex(const char *text, unsigned char *bytes, size_t most) {
  size_t digits = strlen(text);
  if (digits % 2 || digits / 2 > most) return -1;
  for (size_t i = 0; i < digits; i++) {
    if (!isxdigit((unsigned char)text[i])) return -1;
  }
  for (size_t i = 0; i < digits / 2; i++) {
    char pair[3] = {text[2 * i], text[2 * i + 1], 0};
    bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
  }
  return (int)(digits / 2);
}

// A whole number in a range; false when it is none.
static bool number(const char *text, long least, long most, int *value) {
  if (!text || !*text) return false;
  char *end;
  errno = 0;
  long parsed = strtol(text, &end, 10);
  if (errno || *end || parsed < least || parsed > most) return false;
  *value = (int)parsed;
  return true;
}

static bool enter(struct reader *reader, const char *uid, const char *atr, char *answer, size_t capacity) {
  unsigned char uid_bytes[MAX_UID], atr_bytes[MAX_ATR];
  int uid_count = uid ? hex(strcmp(uid, "-") ? uid : "", uid_bytes, MAX_UID) : -1;
  int atr_count = atr ? hex(atr, atr_bytes, MAX_ATR) : 0;
  if (uid_count < 0 || atr_count < 0) {
    say(answer, capacity, "error: a UID is hex of 0 to 32 bytes (- for none), an ATR of 1 to 33");
    return false;
  }
  pthread_mutex_lock(&reader->lock);
  memcpy(reader->uid, uid_bytes, (size_t)uid_count);
  reader->uid_count = (size_t)uid_count;
  if (atr_count > 0) {
    memcpy(reader->atr, atr_bytes, (size_t)atr_count);
    reader->atr_count = (size_t)atr_count;
  }
  reader->present = true;
  int64_t at = monotonic_ns();
  pthread_mutex_unlock(&reader->lock);
  reader_wake(reader);
  say(answer, capacity, "ok %lld", (long long)at);
  return true;
}

static void leave(struct reader *reader) {
  pthread_mutex_lock(&reader->lock);
  reader->present = false;
  pthread_mutex_unlock(&reader->lock);
  reader_wake(reader);
}

static void pause_ms(int ms) {
  struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
  while (nanosleep(&time, &time) < 0 && errno == EINTR) {
  }
}

static void taps(struct reader *reader, const char *uid, int count, int ms, char *answer, size_t capacity) {
  for (int i = 0; i < count; i++) {
    if (i) pause_ms(ms);
    char one[64];
    if (!enter(reader, uid, NULL, i ? one : answer, i ? sizeof one : capacity)) return;
    pause_ms(ms);
    leave(reader);
  }
}

static void print_log(struct reader *reader, char *answer, size_t capacity) {
  size_t used = (size_t)snprintf(answer, capacity, "ok");
  for (unsigned i = 0; i < reader->log_count && used + 80 < capacity; i++) {
    struct log_line *line = &reader->log[(reader->log_next + LOG_LINES - reader->log_count + i) % LOG_LINES];
    const char *what = line->what == 'p' ? "power" : line->what == 'a' ? "apdu" : "escape";
    used += (size_t)snprintf(answer + used, capacity - used, "%s%lld %s ", i ? ";" : " ", (long long)line->at, what);
    for (size_t k = 0; k < line->count; k++) {
      used += (size_t)snprintf(answer + used, capacity - used, "%02X", line->bytes[k]);
    }
  }
  reader->log_count = 0;
}

// The commands that only set something; with the lock held. False when the words are not one of them.
static bool set(struct reader *reader, const char *name, char *word[3]) {
  int value, extra = 0;
  if (!strcmp(name, "mute")) return number(word[0], -1, 1000, &reader->mute);
  if (!strcmp(name, "fail")) return number(word[0], -1, 1000, &reader->fail);
  if (!strcmp(name, "short")) {
    if (!number(word[0], -1, 1000, &value) || !number(word[1], 0, 1, &extra)) return false;
    reader->torn = value;
    reader->torn_bytes = (size_t)extra;
    return true;
  }
  if (!strcmp(name, "slow")) {
    if (!number(word[0], -1, 1000, &value) || !number(word[1], 0, 60000, &extra)) return false;
    reader->slow = value;
    reader->slow_ms = extra;
    return true;
  }
  if (!strcmp(name, "sw")) {
    unsigned char bytes[MAX_ANSWER];
    if (!number(word[0], -1, 1000, &value)) return false;
    int count = word[1] ? hex(word[1], bytes, MAX_ANSWER) : value ? -1 : 0;
    if (count < 0) return false;
    memcpy(reader->answer, bytes, (size_t)count);
    reader->answer_count = (size_t)count;
    reader->answers = value;
    return true;
  }
  if (!strcmp(name, "long")) {
    if (!number(word[0], -1, 1000, &value) || !number(word[1], 0, MAX_ANSWER - 2, &extra)) return false;
    memset(reader->answer, 0x5A, (size_t)extra);
    memcpy(reader->answer + extra, "\x90", 2);
    reader->answer_count = (size_t)extra + 2;
    reader->answers = value;
    return true;
  }
  if (!strcmp(name, "error") && number(word[0], 0, 1, &value)) return reader->error = value, true;
  if (!strcmp(name, "gone") && number(word[0], 0, 1, &value)) return reader->gone = value, true;
  if (!strcmp(name, "reset")) return reader_reset(reader), true;
  return false;
}

void command(struct reader *reader, const char *line, char *answer, size_t capacity) {
  char copy[1400];
  if (strlen(line) >= sizeof copy) {
    say(answer, capacity, "error: a command has at most 1399 bytes");
    return;
  }
  strcpy(copy, line);
  char *rest = copy, *name = strsep(&rest, " "), *word[3] = {0};
  for (int i = 0; i < 3 && rest; i++) word[i] = strsep(&rest, " ");
  int count, ms;
  if (!strcmp(name, "in") && !word[2]) {
    enter(reader, word[0], word[1], answer, capacity);
  } else if (!strcmp(name, "out") && !word[0]) {
    leave(reader);
    say(answer, capacity, "ok");
  } else if (!strcmp(name, "tap") && number(word[1], 0, 60000, &ms)) {
    taps(reader, word[0], 1, ms, answer, capacity);
  } else if (!strcmp(name, "taps") && number(word[1], 1, 1000, &count) && number(word[2], 0, 1000, &ms)) {
    taps(reader, word[0], count, ms, answer, capacity);
  } else {
    pthread_mutex_lock(&reader->lock);
    if (!strcmp(name, "log")) {
      print_log(reader, answer, capacity);
    } else if (!strcmp(name, "state")) {
      say(answer, capacity, "ok present=%d mute=%d fail=%d short=%d sw=%d slow=%d error=%d gone=%d", reader->present,
          reader->mute, reader->fail, reader->torn, reader->answers, reader->slow, reader->error, reader->gone);
    } else if (set(reader, name, word)) {
      say(answer, capacity, "ok");
    } else {
      say(answer, capacity, "error: no such command, or not with these words: see VirtualReader.h");
    }
    pthread_mutex_unlock(&reader->lock);
    reader_wake(reader);
  }
}
