#include "reader-state.h"

#include <stdio.h>
#include <string.h>

#include "control.h"

// PC/SC part 3, a storage card of ISO 14443 A part 3: what an ACR122U makes of an NTAG or MIFARE Ultralight.
static const unsigned char storage_card[] = {0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00,
                                             0x03, 0x06, 0x03, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x68};

static struct reader readers[READERS];
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;  // of `open` and `lun`
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

// Once, never undone: pcscd may still be in a call of a reader that is being closed.
static void prepare(void) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  for (int i = 0; i < READERS; i++) {
    pthread_mutex_init(&readers[i].lock, NULL);
    pthread_cond_init(&readers[i].event, &monotonic);
    pthread_cond_init(&readers[i].settled, &monotonic);
  }
  pthread_condattr_destroy(&monotonic);
}

int64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct reader *reader_find(unsigned long lun) {
  struct reader *found = NULL;
  pthread_mutex_lock(&table);
  for (int i = 0; i < READERS && !found; i++) {
    if (readers[i].open && readers[i].lun == lun) found = &readers[i];
  }
  pthread_mutex_unlock(&table);
  return found;
}

// A free place, taken; NULL when there is none or the number is in use.
static struct reader *take_place(unsigned long lun) {
  struct reader *place = NULL;
  pthread_mutex_lock(&table);
  for (int i = 0; i < READERS; i++) {
    if (readers[i].open && readers[i].lun == lun) {
      place = NULL;
      break;
    }
    if (!readers[i].open && !place) place = &readers[i];
  }
  if (place) {
    place->lun = lun;
    place->open = true;
  }
  pthread_mutex_unlock(&table);
  return place;
}

static void leave_place(struct reader *reader) {
  pthread_mutex_lock(&table);
  reader->open = false;
  pthread_mutex_unlock(&table);
}

struct reader *reader_open(unsigned long lun, const char *socket_path) {
  pthread_once(&prepared, prepare);
  struct reader *reader = take_place(lun);
  if (!reader) {
    fprintf(stderr, "VirtualReader: %s: at most %d readers, one entry each\n", socket_path, READERS);
    return NULL;
  }
  pthread_mutex_lock(&reader->lock);
  reader_heal(reader);
  reader->present = false;
  reader->changes = reader->taken = reader->lines = 0;
  reader->waiting = reader->stop = false;
  pthread_mutex_unlock(&reader->lock);
  reader->control = control_start(reader, socket_path);
  if (!reader->control) {
    leave_place(reader);
    return NULL;
  }
  return reader;
}

void reader_close(struct reader *reader) {
  control_stop(reader->control);
  reader->control = NULL;
  leave_place(reader);
}

bool reader_settle(struct reader *reader) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 2;
  while (!reader->waiting || reader->taken != reader->changes) {
    if (pthread_cond_timedwait(&reader->settled, &reader->lock, &deadline)) return false;
  }
  return true;
}

void reader_changed(struct reader *reader) {
  reader->changes++;
  pthread_cond_signal(&reader->event);
}

struct moment reader_enter(struct reader *reader, const unsigned char *uid, size_t uid_count, const unsigned char *atr,
                           size_t atr_count) {
  struct moment moment = {.noticed = reader_settle(reader)};
  if (!atr_count) {
    atr = storage_card;
    atr_count = sizeof storage_card;
  }
  memcpy(reader->uid, uid, uid_count);
  memcpy(reader->atr, atr, atr_count);
  reader->uid_count = uid_count;
  reader->atr_count = atr_count;
  reader->present = true;
  moment.at = monotonic_ns();
  reader_changed(reader);
  return moment;
}

struct moment reader_leave(struct reader *reader) {
  struct moment moment = {.noticed = reader_settle(reader)};
  reader->present = false;
  moment.at = monotonic_ns();
  reader_changed(reader);
  return moment;
}

void reader_heal(struct reader *reader) { reader->faults = (struct faults){0}; }

bool strikes(times_t *left) {
  if (*left == 0) return false;
  if (*left != ALWAYS) --*left;
  return true;
}

void reader_note(struct reader *reader, const char *what, const unsigned char *bytes, size_t count) {
  struct log_line *line = &reader->log[reader->lines++ % LOG_LINES];
  *line = (struct log_line){.number = reader->lines, .at = monotonic_ns(), .what = what, .count = count};
  if (count) memcpy(line->bytes, bytes, count < LOG_BYTES ? count : LOG_BYTES);
}
