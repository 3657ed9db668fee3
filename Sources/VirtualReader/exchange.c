#include "exchange.h"

#include <errno.h>
#include <string.h>

RESPONSECODE power_up(struct reader *reader, const char *what, unsigned char *atr, DWORD *atr_count) {
  RESPONSECODE result = IFD_SUCCESS;
  pthread_mutex_lock(&reader->lock);
  *atr_count = 0;
  if (reader->faults.unavailable) {
    result = IFD_NO_SUCH_DEVICE;
  } else if (!reader->present || strikes(&reader->faults.mute)) {
    result = IFD_ERROR_POWER_ACTION;
  } else {
    memcpy(atr, reader->atr, reader->atr_count);
    *atr_count = reader->atr_count;
  }
  reader_note(reader, result == IFD_SUCCESS ? what : "no-power", atr, *atr_count);
  pthread_mutex_unlock(&reader->lock);
  return result;
}

// Delays as a stuck USB transfer does: nothing ends it early. The lock is not held meanwhile: the tag may leave.
static void be_slow(struct reader *reader) {
  if (!strikes(&reader->faults.slow)) return;
  int64_t until = monotonic_ns() + (int64_t)reader->faults.slow_ms * 1000000;
  const struct timespec deadline = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
  pthread_mutex_unlock(&reader->lock);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR) {
  }
  pthread_mutex_lock(&reader->lock);
}

struct reply {
  RESPONSECODE result;
  const unsigned char *bytes;
  size_t count;
};

static struct reply say(const void *bytes, size_t count) { return (struct reply){IFD_SUCCESS, bytes, count}; }

// PC/SC part 3 (3.2.2.1.3, Get Data) for the UID; any other command of class FF is one of the reader's own (ACS
// API-ACR122U: LED, buzzer, parameters) and is obeyed; a storage tag knows nothing else.
static struct reply think(struct reader *reader, const unsigned char *apdu, size_t count, unsigned char *room) {
  struct faults *faults = &reader->faults;
  if (faults->unavailable) return (struct reply){.result = IFD_NO_SUCH_DEVICE};
  if (!reader->present || strikes(&faults->comm)) return (struct reply){.result = IFD_COMMUNICATION_ERROR};
  if (strikes(&faults->torn)) return say(reader->uid_count ? reader->uid : (const unsigned char *)"\x63", faults->torn_count);
  if (count < 4) return say("\x67\x00", 2);
  bool wants_uid = apdu[0] == 0xFF && apdu[1] == 0xCA && apdu[2] == 0x00 && apdu[3] == 0x00;
  if (wants_uid && strikes(&faults->answer)) return say(reader->answer, faults->answer_count);
  if (wants_uid) {
    memcpy(room, reader->uid, reader->uid_count);
    memcpy(room + reader->uid_count, "\x90", 2);
    return say(room, reader->uid_count + 2);
  }
  if (apdu[0] == 0xFF && apdu[1] != 0xCA) return say("\x90", 2);
  return say("\x6A\x81", 2);
}

RESPONSECODE exchange(struct reader *reader, const unsigned char *apdu, size_t apdu_count, unsigned char *answer,
                      DWORD *count) {
  unsigned char room[MAX_UID + 2];
  pthread_mutex_lock(&reader->lock);
  reader_note(reader, "apdu", apdu, apdu_count);
  be_slow(reader);
  struct reply reply = think(reader, apdu, apdu_count, room);
  if (reply.result == IFD_SUCCESS && reply.count > *count) {
    // As libccid has it: pcscd passes on an error, never a part of an answer.
    reader_note(reader, "overrun", reply.bytes, reply.count);
    reply = (struct reply){.result = IFD_ERROR_INSUFFICIENT_BUFFER};
  } else {
    reader_note(reader, reply.result == IFD_SUCCESS ? "answer" : "no-answer", reply.bytes, reply.count);
  }
  if (reply.count) memcpy(answer, reply.bytes, reply.count);
  *count = reply.count;
  pthread_mutex_unlock(&reader->lock);
  return reply.result;
}
