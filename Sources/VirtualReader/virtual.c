#define _GNU_SOURCE
#include "virtual.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

// PC/SC storage card, MIFARE Classic 1K: what an ACR122U gives for the commonest tags.
static const unsigned char STORAGE_CARD[] = {0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00,
                                             0x03, 0x06, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x6A};

int64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void reader_reset(struct reader *reader) {
  reader->present = false;
  reader->uid_count = reader->answer_count = 0;
  memcpy(reader->atr, STORAGE_CARD, sizeof STORAGE_CARD);
  reader->atr_count = sizeof STORAGE_CARD;
  reader->mute = reader->fail = reader->torn = reader->answers = reader->slow = 0;
  reader->error = reader->gone = false;
}

void reader_note(struct reader *reader, char what, const unsigned char *bytes, size_t count) {
  struct log_line *line = &reader->log[reader->log_next];
  line->at = monotonic_ns();
  line->what = what;
  line->count = count < LOG_BYTES ? count : LOG_BYTES;
  if (line->count) memcpy(line->bytes, bytes, line->count);
  reader->log_next = (reader->log_next + 1) % LOG_LINES;
  if (reader->log_count < LOG_LINES) reader->log_count++;
}

bool once_more(int *times) {
  if (*times == 0) return false;
  if (*times > 0) (*times)--;
  return true;
}

void reader_wake(struct reader *reader) {
  uint64_t one = 1;
  // An eventfd's write fails only when its counter is full, and then the reader is awake.
  if (write(reader->wake, &one, sizeof one) < 0) return;
}
