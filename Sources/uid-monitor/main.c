// The smallest correct UID monitor on libpcsclite: the yardstick that kiosk-agent's latency is measured beside, and what
// the virtual reader's own tests see taps with. One line an event: `UID NS HEX`, `MUTE NS`, `FAIL NS CODE`, `OUT NS`,
// NS being CLOCK_MONOTONIC.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <winscard.h>

enum { MOST = 8 };

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void read_uid(SCARDCONTEXT context, const char *reader) {
  static const BYTE get_uid[] = {0xFF, 0xCA, 0x00, 0x00, 0x00};
  SCARDHANDLE card;
  DWORD protocol;
  LONG code = SCardConnect(context, reader, SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1, &card, &protocol);
  BYTE answer[512];
  DWORD count = sizeof answer;
  if (code == SCARD_S_SUCCESS) {
    code = SCardTransmit(card, protocol == SCARD_PROTOCOL_T1 ? SCARD_PCI_T1 : SCARD_PCI_T0, get_uid, sizeof get_uid, NULL,
                         answer, &count);
    long long at = now();
    SCardDisconnect(card, SCARD_LEAVE_CARD);
    if (code == SCARD_S_SUCCESS && count > 2 && answer[count - 2] == 0x90 && answer[count - 1] == 0x00) {
      printf("UID %lld ", at);
      for (DWORD i = 0; i < count - 2; i++) printf("%02X", answer[i]);
      printf("\n");
      return;
    }
  }
  printf("FAIL %lld %08lX %lu\n", now(), (unsigned long)code & 0xFFFFFFFF, (unsigned long)count);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  SCARDCONTEXT context;
  LONG code = SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context);
  if (code != SCARD_S_SUCCESS) return printf("END %08lX\n", (unsigned long)code & 0xFFFFFFFF), 1;
  char names[4096];
  SCARD_READERSTATE states[MOST];
  DWORD count = 0, length = sizeof names;
  memset(states, 0, sizeof states);
  if (SCardListReaders(context, NULL, names, &length) == SCARD_S_SUCCESS) {
    for (char *name = names; *name && count < MOST; name += strlen(name) + 1) states[count++].szReader = name;
  }
  printf("READY %lu\n", (unsigned long)count);
  for (;;) {
    code = SCardGetStatusChange(context, 1000, states, count);
    if (code == SCARD_E_TIMEOUT) continue;
    if (code != SCARD_S_SUCCESS) return printf("END %08lX\n", (unsigned long)code & 0xFFFFFFFF), 1;
    for (DWORD i = 0; i < count; i++) {
      DWORD before = states[i].dwCurrentState, state = states[i].dwEventState;
      if (!(state & SCARD_STATE_CHANGED)) continue;
      states[i].dwCurrentState = state & ~(DWORD)SCARD_STATE_CHANGED;
      if (state & SCARD_STATE_MUTE) {
        printf("MUTE %lld\n", now());
      } else if (state & SCARD_STATE_PRESENT && (!(before & SCARD_STATE_PRESENT) || state >> 16 != before >> 16)) {
        read_uid(context, states[i].szReader);
      } else if (state & SCARD_STATE_EMPTY && before & SCARD_STATE_PRESENT) {
        printf("OUT %lld\n", now());
      }
    }
  }
}
