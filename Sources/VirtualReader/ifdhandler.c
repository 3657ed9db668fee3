// The functions that pcscd calls (pcsc-lite, ifdhandler.h). A lun's upper half numbers the reader.
#define _GNU_SOURCE
#include "VirtualReader.h"

#include <ifdhandler.h>
#include <poll.h>
#include <reader.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "virtual.h"

static struct reader readers[MAX_READERS];

static struct reader *find(DWORD lun) {
  unsigned index = (unsigned)(lun >> 16) & 0xFFFF;
  return index < MAX_READERS && readers[index].used ? &readers[index] : NULL;
}

RESPONSECODE IFDHCreateChannelByName(DWORD lun, LPSTR name) {
  unsigned index = (unsigned)(lun >> 16) & 0xFFFF;
  const char *colon = strchr(name, ':');
  if (index >= MAX_READERS || readers[index].used || !colon) return IFD_COMMUNICATION_ERROR;
  struct reader *reader = &readers[index];
  memset(reader, 0, sizeof *reader);
  pthread_mutex_init(&reader->lock, NULL);
  reader_reset(reader);
  if (!control_start(reader, colon + 1)) return IFD_COMMUNICATION_ERROR;
  reader->used = true;
  return IFD_SUCCESS;
}

RESPONSECODE IFDHCreateChannel(DWORD lun, DWORD channel) {
  (void)lun;
  (void)channel;
  return IFD_COMMUNICATION_ERROR;  // a reader without a name has no control socket
}

RESPONSECODE IFDHCloseChannel(DWORD lun) {
  struct reader *reader = find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  reader->used = false;
  control_stop(reader);
  pthread_mutex_destroy(&reader->lock);
  return IFD_SUCCESS;
}

// pcscd's event thread of this reader waits here.
static RESPONSECODE wait_for_event(DWORD lun, int timeout_ms) {
  struct reader *reader = find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  struct pollfd wait = {reader->wake, POLLIN, 0};
  uint64_t count;
  if (poll(&wait, 1, timeout_ms) > 0 && read(reader->wake, &count, sizeof count) < 0) return IFD_SUCCESS;
  return IFD_SUCCESS;
}

static RESPONSECODE stop_waiting(DWORD lun) {
  struct reader *reader = find(lun);
  if (reader) reader_wake(reader);
  return IFD_SUCCESS;
}

static RESPONSECODE give(PDWORD length, PUCHAR value, const void *bytes, size_t count) {
  if (*length < count) return IFD_ERROR_INSUFFICIENT_BUFFER;
  memcpy(value, bytes, count);
  *length = count;
  return IFD_SUCCESS;
}

RESPONSECODE IFDHGetCapabilities(DWORD lun, DWORD tag, PDWORD length, PUCHAR value) {
  struct reader *reader = find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  const UCHAR yes = 1, most = MAX_READERS, no = 0;
  void *function;
  switch (tag) {
  case TAG_IFD_ATR:
  case SCARD_ATTR_ATR_STRING: {
    pthread_mutex_lock(&reader->lock);
    RESPONSECODE code = give(length, value, reader->atr, reader->atr_count);
    pthread_mutex_unlock(&reader->lock);
    return code;
  }
  case TAG_IFD_SLOTS_NUMBER: return give(length, value, &yes, 1);
  case TAG_IFD_THREAD_SAFE: return give(length, value, &yes, 1);
  case TAG_IFD_SLOT_THREAD_SAFE: return give(length, value, &no, 1);
  case TAG_IFD_SIMULTANEOUS_ACCESS: return give(length, value, &most, 1);
  case TAG_IFD_POLLING_THREAD_WITH_TIMEOUT:
    function = (void *)wait_for_event;
    *length = sizeof function;
    if (value) memcpy(value, &function, sizeof function);
    return IFD_SUCCESS;
  case TAG_IFD_STOP_POLLING_THREAD:
    function = (void *)stop_waiting;
    *length = sizeof function;
    if (value) memcpy(value, &function, sizeof function);
    return IFD_SUCCESS;
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
  (void)lun;
  (void)protocol;
  (void)flags;
  (void)pts1;
  (void)pts2;
  (void)pts3;
  return IFD_SUCCESS;
}

RESPONSECODE IFDHPowerICC(DWORD lun, DWORD action, PUCHAR atr, PDWORD length) {
  struct reader *reader = find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  pthread_mutex_lock(&reader->lock);
  unsigned char byte = action == IFD_POWER_DOWN ? 0 : action == IFD_POWER_UP ? 1 : 2;
  reader_note(reader, 'p', &byte, 1);
  RESPONSECODE code = IFD_SUCCESS;
  if (action == IFD_POWER_DOWN) {
    *length = 0;
  } else if (reader->gone) {
    code = IFD_NO_SUCH_DEVICE;
  } else if (!reader->present || once_more(&reader->mute)) {
    *length = 0;
    code = IFD_ERROR_POWER_ACTION;
  } else {
    memcpy(atr, reader->atr, reader->atr_count);
    *length = reader->atr_count;
  }
  pthread_mutex_unlock(&reader->lock);
  return code;
}

// The answer to a command, with the lock held; its length is never more than `capacity`.
static size_t answer(struct reader *reader, const UCHAR *apdu, DWORD count, UCHAR *bytes, size_t capacity) {
  static const unsigned char fine[] = {0x90, 0x00}, unknown[] = {0x6A, 0x81};
  unsigned char whole[MAX_UID + 2];
  const unsigned char *source = unknown;
  size_t length = sizeof unknown;
  if (count >= 5 && apdu[0] == 0xFF && apdu[1] == 0xCA && apdu[2] == 0 && apdu[3] == 0) {
    if (once_more(&reader->answers)) {
      source = reader->answer;
      length = reader->answer_count;
    } else {
      memcpy(whole, reader->uid, reader->uid_count);
      memcpy(whole + reader->uid_count, fine, sizeof fine);
      source = whole;
      length = reader->uid_count + sizeof fine;
    }
  } else if (count >= 2 && apdu[0] == 0xFF) {
    source = fine;
    length = sizeof fine;
  }
  if (once_more(&reader->torn) && length > reader->torn_bytes) length = reader->torn_bytes;
  if (length > capacity) length = capacity;
  memcpy(bytes, source, length);
  return length;
}

RESPONSECODE IFDHTransmitToICC(DWORD lun, SCARD_IO_HEADER send, PUCHAR apdu, DWORD count, PUCHAR bytes, PDWORD length,
                               PSCARD_IO_HEADER receive) {
  struct reader *reader = find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  (void)send;
  if (receive) receive->Protocol = 1;
  pthread_mutex_lock(&reader->lock);
  reader_note(reader, 'a', apdu, count);
  int slow_ms = once_more(&reader->slow) ? reader->slow_ms : 0;
  pthread_mutex_unlock(&reader->lock);
  if (slow_ms) {
    struct timespec time = {slow_ms / 1000, (long)(slow_ms % 1000) * 1000000};
    nanosleep(&time, NULL);
  }
  pthread_mutex_lock(&reader->lock);
  RESPONSECODE code = IFD_SUCCESS;
  if (reader->gone) {
    code = IFD_NO_SUCH_DEVICE;
  } else if (!reader->present || once_more(&reader->fail)) {
    code = IFD_COMMUNICATION_ERROR;
  }
  *length = code == IFD_SUCCESS ? answer(reader, apdu, count, bytes, *length) : 0;
  pthread_mutex_unlock(&reader->lock);
  return code;
}

RESPONSECODE IFDHControl(DWORD lun, DWORD code, PUCHAR send, DWORD count, PUCHAR bytes, DWORD capacity,
                         LPDWORD length) {
  struct reader *reader = find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  *length = 0;
  if (code == SCARD_CTL_CODE(3400)) return IFD_SUCCESS;  // CM_IOCTL_GET_FEATURE_REQUEST: no features
  pthread_mutex_lock(&reader->lock);
  reader_note(reader, 'e', send, count);
  bool gone = reader->gone;
  pthread_mutex_unlock(&reader->lock);
  if (gone) return IFD_NO_SUCH_DEVICE;
  if (capacity < 2) return IFD_ERROR_INSUFFICIENT_BUFFER;
  bytes[0] = 0x90;
  bytes[1] = 0x00;
  *length = 2;
  return IFD_SUCCESS;
}

RESPONSECODE IFDHICCPresence(DWORD lun) {
  struct reader *reader = find(lun);
  if (!reader) return IFD_COMMUNICATION_ERROR;
  pthread_mutex_lock(&reader->lock);
  RESPONSECODE code = reader->gone      ? IFD_NO_SUCH_DEVICE
                      : reader->error   ? IFD_COMMUNICATION_ERROR
                      : reader->present ? IFD_ICC_PRESENT
                                        : IFD_ICC_NOT_PRESENT;
  pthread_mutex_unlock(&reader->lock);
  return code;
}
