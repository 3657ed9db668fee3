// The entry points pcscd calls, as <ifdhandler.h> describes them.
#include <errno.h>
#include <ifdhandler.h>
#include <reader.h>
#include <string.h>

#include "exchange.h"

_Static_assert(MAX_ATR == MAX_ATR_SIZE, "pcscd's buffers for an ATR");

// pcscd's event thread: sleeps until there is something to look at, `timeout` ms at most. Any result but success would
// make pcscd sleep another 400 ms.
static RESPONSECODE await_event(DWORD lun, int timeout) {
  struct reader *reader = reader_find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  int64_t until = monotonic_ns() + (int64_t)(timeout > 0 ? timeout : 0) * 1000000;
  const struct timespec deadline = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
  pthread_mutex_lock(&reader->lock);
  reader->waiting = true;
  if (reader->taken == reader->changes) pthread_cond_broadcast(&reader->settled);
  while (reader->taken == reader->changes && !reader->stop) {
    if (pthread_cond_timedwait(&reader->event, &reader->lock, &deadline)) break;
  }
  reader->taken = reader->changes;
  reader->waiting = reader->stop = false;
  pthread_mutex_unlock(&reader->lock);
  return IFD_SUCCESS;
}

// Ends the sleep above, or the next one: at a reader's end, and when pcscd wants another timeout.
static RESPONSECODE stop_awaiting(DWORD lun) {
  struct reader *reader = reader_find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  pthread_mutex_lock(&reader->lock);
  reader->stop = true;
  pthread_cond_signal(&reader->event);
  pthread_mutex_unlock(&reader->lock);
  return IFD_SUCCESS;
}

// DEVICENAME is `/dev/null:` and the control socket's path.
RESPONSECODE IFDHCreateChannelByName(DWORD lun, LPSTR device) {
  const char *colon = strchr(device, ':');
  if ((lun & 0xFFFF) || !colon) return IFD_COMMUNICATION_ERROR;
  return reader_open(lun, colon + 1) ? IFD_SUCCESS : IFD_COMMUNICATION_ERROR;
}

RESPONSECODE IFDHCreateChannel(DWORD lun, DWORD channel) {
  (void)lun;
  (void)channel;
  return IFD_COMMUNICATION_ERROR;  // without a name there is no control socket
}

RESPONSECODE IFDHCloseChannel(DWORD lun) {
  struct reader *reader = reader_find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  reader_close(reader);
  return IFD_SUCCESS;
}

static RESPONSECODE give(const void *from, size_t count, DWORD *length, UCHAR *value) {
  if (*length < count || !value) return IFD_ERROR_INSUFFICIENT_BUFFER;
  memcpy(value, from, count);
  *length = count;
  return IFD_SUCCESS;
}

static RESPONSECODE give_byte(UCHAR byte, DWORD *length, UCHAR *value) { return give(&byte, 1, length, value); }

RESPONSECODE IFDHGetCapabilities(DWORD lun, DWORD tag, PDWORD length, PUCHAR value) {
  static RESPONSECODE (*const awaits)(DWORD, int) = await_event, (*const stops)(DWORD) = stop_awaiting;
  struct reader *reader = reader_find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  switch (tag) {
    case TAG_IFD_ATR:  // the same number as SCARD_ATTR_ATR_STRING's low half
    case SCARD_ATTR_ATR_STRING: {
      pthread_mutex_lock(&reader->lock);
      RESPONSECODE result = give(reader->atr, reader->present ? reader->atr_count : 0, length, value);
      pthread_mutex_unlock(&reader->lock);
      return result;
    }
    case TAG_IFD_SLOTS_NUMBER: return give_byte(1, length, value);
    case TAG_IFD_SIMULTANEOUS_ACCESS: return give_byte(READERS, length, value);
    case TAG_IFD_THREAD_SAFE: return give_byte(1, length, value);
    case TAG_IFD_SLOT_THREAD_SAFE: return give_byte(0, length, value);
    case TAG_IFD_POLLING_THREAD_KILLABLE: return give_byte(0, length, value);
    case TAG_IFD_POLLING_THREAD_WITH_TIMEOUT: return give(&awaits, sizeof awaits, length, value);
    case TAG_IFD_STOP_POLLING_THREAD: return give(&stops, sizeof stops, length, value);
    default: *length = 0; return IFD_ERROR_TAG;
  }
}

RESPONSECODE IFDHSetCapabilities(DWORD lun, DWORD tag, DWORD length, PUCHAR value) {
  (void)lun;
  (void)tag;
  (void)length;
  (void)value;
  return IFD_NOT_SUPPORTED;
}

RESPONSECODE IFDHSetProtocolParameters(DWORD lun, DWORD protocol, UCHAR flags, UCHAR pts1, UCHAR pts2, UCHAR pts3) {
  (void)protocol;
  (void)flags;
  (void)pts1;
  (void)pts2;
  (void)pts3;
  return reader_find(lun) ? IFD_SUCCESS : IFD_COMMUNICATION_ERROR;
}

RESPONSECODE IFDHPowerICC(DWORD lun, DWORD action, PUCHAR atr, PDWORD length) {
  struct reader *reader = reader_find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  switch (action) {
    case IFD_POWER_UP: return power_up(reader, "power-up", atr, length);
    case IFD_RESET: return power_up(reader, "reset", atr, length);
    case IFD_POWER_DOWN:
      pthread_mutex_lock(&reader->lock);
      reader_note(reader, "power-down", NULL, 0);
      pthread_mutex_unlock(&reader->lock);
      return IFD_SUCCESS;
    default: return IFD_NOT_SUPPORTED;
  }
}

RESPONSECODE IFDHTransmitToICC(DWORD lun, SCARD_IO_HEADER send, PUCHAR apdu, DWORD apdu_count, PUCHAR answer,
                               PDWORD count, PSCARD_IO_HEADER received) {
  struct reader *reader = reader_find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  if (received) received->Protocol = send.Protocol;
  return exchange(reader, apdu, apdu_count, answer, count);
}

// What an escape command says is only noted; the answer is always 90 00. PC/SC part 10's list of features names the
// escape command, as libccid's does when ifdDriverOptions allow it.
RESPONSECODE IFDHControl(DWORD lun, DWORD code, PUCHAR send, DWORD send_count, PUCHAR answer, DWORD room,
                         LPDWORD count) {
  static const UCHAR features[] = {FEATURE_CCID_ESC_COMMAND, 4, 0x42, 0x00, 0x00, 0x01};
  struct reader *reader = reader_find(lun);
  *count = 0;
  if (!reader) return IFD_COMMUNICATION_ERROR;
  bool escape = code == SCARD_CTL_CODE(1);
  if (!escape && code != CM_IOCTL_GET_FEATURE_REQUEST) return IFD_ERROR_NOT_SUPPORTED;
  pthread_mutex_lock(&reader->lock);
  if (escape) reader_note(reader, "escape", send, send_count);
  bool unavailable = reader->faults.unavailable;
  pthread_mutex_unlock(&reader->lock);
  if (unavailable) return IFD_NO_SUCH_DEVICE;
  *count = room;
  RESPONSECODE result =
      escape ? give("\x90", 2, count, answer) : give(features, sizeof features, count, answer);
  if (result != IFD_SUCCESS) *count = 0;
  return result;
}

RESPONSECODE IFDHICCPresence(DWORD lun) {
  struct reader *reader = reader_find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  pthread_mutex_lock(&reader->lock);
  RESPONSECODE result = reader->present ? IFD_ICC_PRESENT : IFD_ICC_NOT_PRESENT;
  if (reader->faults.status) result = IFD_COMMUNICATION_ERROR;
  if (reader->faults.unavailable) result = IFD_NO_SUCH_DEVICE;
  pthread_mutex_unlock(&reader->lock);
  return result;
}
