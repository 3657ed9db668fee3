#include "commands.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "words.h"

void answer_add(struct answer *answer, const char *format, ...) {
  size_t room = sizeof answer->text - answer->count;
  va_list arguments;
  va_start(arguments, format);
  int wanted = vsnprintf(answer->text + answer->count, room, format, arguments);
  va_end(arguments);
  if (wanted > 0) answer->count += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

// All of one command's surroundings. The reader's lock is held.
struct call {
  struct reader *reader;
  const struct words *words;  // the command's name is the first
  struct tap *tap;
  struct answer *answer;
};

static void add_moments(struct answer *answer, const struct moment *moments, int count) {
  bool noticed = true;
  answer_add(answer, "ok");
  for (int i = 0; i < count; i++) {
    answer_add(answer, " %lld", (long long)moments[i].at);
    noticed = noticed && moments[i].noticed;
  }
  if (!noticed) answer_add(answer, " unnoticed");
}

static void add_hex(struct answer *answer, const unsigned char *bytes, size_t count) {
  if (!count) answer_add(answer, "-");
  for (size_t i = 0; i < count; i++) answer_add(answer, "%02X", bytes[i]);
}

// `UID [ATR]` from word `first` on.
static bool enter(const struct call *call, int first, struct moment *moment) {
  unsigned char uid[MAX_UID], atr[MAX_ATR];
  size_t uid_count, atr_count = 0;
  const struct words *words = call->words;
  if (words->count <= first || words->count > first + 2) return false;
  if (!read_hex(words->word[first], 0, MAX_UID, uid, &uid_count)) return false;
  if (words->count == first + 2 && !read_hex(words->word[first + 1], 1, MAX_ATR, atr, &atr_count)) return false;
  call->tap->running = false;
  *moment = reader_enter(call->reader, uid, uid_count, atr, atr_count);
  return true;
}

static bool in(const struct call *call) {
  struct moment moment;
  if (!enter(call, 1, &moment)) return false;
  add_moments(call->answer, &moment, 1);
  return true;
}

static bool out(const struct call *call) {
  if (call->words->count != 1) return false;
  call->tap->running = false;
  struct moment moment = reader_leave(call->reader);
  add_moments(call->answer, &moment, 1);
  return true;
}

static bool tap(const struct call *call) {
  int64_t ms;
  struct moment entered;
  if (call->words->count < 3 || !read_number(call->words->word[1], 0, 60000, &ms)) return false;
  if (!enter(call, 2, &entered)) return false;
  *call->tap = (struct tap){.running = true, .due = entered.at + ms * 1000000, .entered = entered};
  return true;
}

void tap_end(struct reader *reader, struct tap *tap, struct answer *answer) {
  pthread_mutex_lock(&reader->lock);
  struct moment moments[2] = {tap->entered, reader_leave(reader)};
  pthread_mutex_unlock(&reader->lock);
  tap->running = false;
  add_moments(answer, moments, 2);
}

static bool reset(const struct call *call) {
  if (call->words->count != 1) return false;
  call->tap->running = false;
  reader_settle(call->reader);
  reader_heal(call->reader);
  call->reader->present = false;
  reader_changed(call->reader);
  answer_add(call->answer, "ok");
  return true;
}

// `TIMES` and, unless it is `off`, so many words more.
static bool times_and(const struct call *call, int more, times_t *times) {
  return call->words->count >= 2 && read_times(call->words->word[1], times) &&
         call->words->count == (*times ? 2 + more : 2);
}

static bool mute(const struct call *call) {
  times_t times;
  if (!times_and(call, 0, &times)) return false;
  call->reader->faults.mute = times;
  answer_add(call->answer, "ok");
  return true;
}

static bool comm(const struct call *call) {
  times_t times;
  if (!times_and(call, 0, &times)) return false;
  call->reader->faults.comm = times;
  answer_add(call->answer, "ok");
  return true;
}

static bool torn(const struct call *call) {
  times_t times;
  int64_t count = 0;
  if (!times_and(call, 1, &times) || (times && !read_number(call->words->word[2], 0, 1, &count))) return false;
  call->reader->faults.torn = times;
  call->reader->faults.torn_count = (size_t)count;
  answer_add(call->answer, "ok");
  return true;
}

static bool slow(const struct call *call) {
  times_t times;
  int64_t ms = 0;
  if (!times_and(call, 1, &times) || (times && !read_number(call->words->word[2], 1, 60000, &ms))) return false;
  call->reader->faults.slow = times;
  call->reader->faults.slow_ms = (int)ms;
  answer_add(call->answer, "ok");
  return true;
}

static bool answer_with(const struct call *call) {
  times_t times;
  unsigned char bytes[1024];
  size_t count = 0;
  if (!times_and(call, 1, &times)) return false;
  if (times && !read_hex(call->words->word[2], 1, sizeof bytes, bytes, &count)) return false;
  struct reader *reader = call->reader;
  memcpy(reader->answer, bytes, count);
  reader->faults.answer = times;
  reader->faults.answer_count = count;
  answer_add(call->answer, "ok");
  return true;
}

static bool fill(const struct call *call) {
  times_t times;
  int64_t count = 0;
  if (!times_and(call, 1, &times)) return false;
  if (times && !read_number(call->words->word[2], 2, MAX_ANSWER, &count)) return false;
  struct reader *reader = call->reader;
  for (int64_t i = 0; i < count; i++) reader->answer[i] = (unsigned char)i;
  if (times) memcpy(reader->answer + count - 2, "\x90", 2);
  reader->faults.answer = times;
  reader->faults.answer_count = (size_t)count;
  answer_add(call->answer, "ok");
  return true;
}

// A fault of the reader itself, which pcscd is to hear of.
static bool toggle(const struct call *call, bool *fault) {
  bool on;
  if (call->words->count != 2 || !read_switch(call->words->word[1], &on)) return false;
  reader_settle(call->reader);
  *fault = on;
  reader_changed(call->reader);
  answer_add(call->answer, "ok");
  return true;
}

static bool status(const struct call *call) { return toggle(call, &call->reader->faults.status); }

static bool unavailable(const struct call *call) { return toggle(call, &call->reader->faults.unavailable); }

static bool state(const struct call *call) {
  if (call->words->count != 1) return false;
  const struct reader *reader = call->reader;
  const struct faults *faults = &reader->faults;
  answer_add(call->answer, "ok present=%d uid=", reader->present);
  add_hex(call->answer, reader->uid, reader->present ? reader->uid_count : 0);
  answer_add(call->answer, " mute=%d comm=%d torn=%d slow=%d answer=%d status=%d unavailable=%d watched=%d lines=%llu",
             faults->mute, faults->comm, faults->torn, faults->slow, faults->answer, faults->status,
             faults->unavailable, reader->waiting, (unsigned long long)reader->lines);
  return true;
}

static bool show_log(const struct call *call) {
  int64_t after = 0;
  if (call->words->count > 2) return false;
  if (call->words->count == 2 && !read_number(call->words->word[1], 0, INT64_MAX, &after)) return false;
  const struct reader *reader = call->reader;
  uint64_t first = reader->lines > LOG_LINES ? reader->lines - LOG_LINES : 0;
  if ((uint64_t)after > first) first = (uint64_t)after;
  answer_add(call->answer, "ok");
  for (uint64_t i = first; i < reader->lines; i++) {
    const struct log_line *line = &reader->log[i % LOG_LINES];
    answer_add(call->answer, "\n%llu %lld %s %zu ", (unsigned long long)line->number, (long long)line->at, line->what,
               line->count);
    add_hex(call->answer, line->bytes, line->count < LOG_BYTES ? line->count : LOG_BYTES);
  }
  return true;
}

static const struct {
  const char *name, *form;
  bool (*run)(const struct call *);  // false, and nothing done, when the words do not fit the form
} commands[] = {
    {"in", "in UID [ATR], in hex: a UID of 0 to 32 bytes (- for none), an ATR of 1 to 33", in},
    {"out", "out", out},
    {"tap", "tap MS UID [ATR], 0 to 60000 ms; UID and ATR as for in", tap},
    {"mute", "mute TIMES, which is on, off or 1 to 1000000", mute},
    {"comm", "comm TIMES, which is on, off or 1 to 1000000", comm},
    {"torn", "torn TIMES 0|1, or torn off", torn},
    {"slow", "slow TIMES MS, 1 to 60000 ms, or slow off", slow},
    {"answer", "answer TIMES HEX, 1 to 1024 bytes, or answer off", answer_with},
    {"fill", "fill TIMES COUNT, 2 to 65538 bytes (pcsc-lite carries no more), or fill off", fill},
    {"status", "status on|off", status},
    {"unavailable", "unavailable on|off", unavailable},
    {"reset", "reset", reset},
    {"state", "state", state},
    {"log", "log [AFTER], the number of a line", show_log},
};

enum outcome command(struct reader *reader, char *text, size_t count, struct tap *tap, struct answer *answer) {
  struct words words;
  if (!split(text, count, &words)) {
    answer_add(answer, "error: a command is 1 to %d words of printable ASCII, a space between", MAX_WORDS);
    return ANSWERED;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(words.word[0], commands[i].name)) continue;
    const struct call call = {.reader = reader, .words = &words, .tap = tap, .answer = answer};
    pthread_mutex_lock(&reader->lock);
    bool fits = commands[i].run(&call);
    pthread_mutex_unlock(&reader->lock);
    if (!fits) answer_add(answer, "error: say %s", commands[i].form);
    return fits && answer->count == 0 ? TAPPING : ANSWERED;
  }
  answer_add(answer, "error: no such command: say");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    answer_add(answer, "%s %s", i ? "," : "", commands[i].name);
  }
  return ANSWERED;
}
