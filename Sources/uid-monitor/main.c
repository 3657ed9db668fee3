// The smallest correct UID monitor on libpcsclite: what one C program needs from "tag in the field" to "UID known". It is
// the yardstick for the agent's latency and the eyes of the virtual reader's tests. One line for each thing that happens:
//
//   READY COUNT                 connected to pcscd, COUNT readers (again at each change of their number)
//   UID NS HEX NS' READER       a tap: CLOCK_MONOTONIC when the UID was known, and when pcscd woke us for it
//   FAIL NS CALL CODE READER    a tap without a UID: the call and its PC/SC code or, for CALL `answer`, what came, in hex
//   MUTE NS READER              a tag that does not power up
//   SHORT NS READER             a tap that was over before we looked
//   REMOVED NS READER           the field is empty
//   LYING NS READER             a tag was there before us: not a tap
//   UNAVAILABLE NS READER       the reader does not answer
//   GONE NS CODE                pcscd left us; looking for it
//
// It ends with its parent.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <winscard.h>

enum { MAX_READERS = 16, SLICE_MS = 1000 };

static SCARDCONTEXT context;
static SCARD_READERSTATE states[MAX_READERS + 1];  // the last one in use is pcscd's own: a reader came or went
static char names[MAX_READERS][MAX_READERNAME + 1];
static int count = -1;
static pid_t parent;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL); }

static void put_hex(const BYTE *bytes, DWORD length) {
  if (!length) putchar('-');
  for (DWORD i = 0; i < length; i++) printf("%02X", bytes[i]);
}

// Lists the readers; what is known of those that were there before is kept.
static LONG list_readers(void) {
  static char list[MAX_READERS * (MAX_READERNAME + 1) + 1];
  SCARD_READERSTATE old[MAX_READERS];
  static char old_names[MAX_READERS][MAX_READERNAME + 1];
  DWORD length = sizeof list;
  LONG code = SCardListReaders(context, NULL, list, &length);
  if (code == SCARD_E_NO_READERS_AVAILABLE) list[0] = 0;
  else if (code != SCARD_S_SUCCESS) return code;
  int old_count = count < 0 ? 0 : count;
  SCARD_READERSTATE pnp = count < 0 ? (SCARD_READERSTATE){.szReader = "\\\\?PnP?\\Notification"} : states[count];
  memcpy(old, states, sizeof old);
  memcpy(old_names, names, sizeof names);
  int found = 0;
  for (const char *name = list; *name && found < MAX_READERS; name += strlen(name) + 1, found++) {
    SCARD_READERSTATE state = {.dwCurrentState = SCARD_STATE_UNAWARE};
    for (int i = 0; i < old_count; i++) {
      if (!strcmp(old_names[i], name)) state = old[i];
    }
    snprintf(names[found], sizeof names[found], "%s", name);
    state.szReader = names[found];
    states[found] = state;
  }
  states[found] = pnp;
  if (found != count) printf("READY %d\n", found);
  count = found;
  return SCARD_S_SUCCESS;
}

static void read_uid(const char *reader, long long woken) {
  static const BYTE get_uid[] = {0xFF, 0xCA, 0x00, 0x00, 0x00};
  static BYTE answer[MAX_BUFFER_SIZE_EXTENDED];
  SCARDHANDLE card;
  DWORD protocol, length = sizeof answer;
  LONG code = SCardConnect(context, reader, SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1, &card, &protocol);
  if (code != SCARD_S_SUCCESS) {
    printf("FAIL %lld connect %08lX %s\n", now(), (unsigned long)code, reader);
    return;
  }
  const SCARD_IO_REQUEST *pci = protocol == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0 : SCARD_PCI_T1;
  code = SCardTransmit(card, pci, get_uid, sizeof get_uid, NULL, answer, &length);
  long long known = now();
  SCardDisconnect(card, SCARD_LEAVE_CARD);
  if (code != SCARD_S_SUCCESS) {
    printf("FAIL %lld transmit %08lX %s\n", known, (unsigned long)code, reader);
  } else if (length < 2 || answer[length - 2] != 0x90 || answer[length - 1] != 0x00) {
    printf("FAIL %lld answer ", known);
    put_hex(answer, length);
    printf(" %s\n", reader);
  } else {
    printf("UID %lld ", known);
    put_hex(answer, length - 2);
    printf(" %lld %s\n", woken, reader);
  }
}

// The upper half counts tags in and out. pcsc-lite compares it only when the old one is not 0, so a first tap that is
// over before we wait again is no change to it: we compare, at every end of a wait.
static void look(SCARD_READERSTATE *state) {
  DWORD old = state->dwCurrentState, new = state->dwEventState & ~(DWORD)SCARD_STATE_CHANGED;
  long long woken = now();
  if (new == SCARD_STATE_UNAWARE) return;
  state->dwCurrentState = new;
  if (old == SCARD_STATE_UNAWARE) {
    if (new & SCARD_STATE_PRESENT) printf("LYING %lld %s\n", woken, state->szReader);
    return;
  }
  int present = !!(new & SCARD_STATE_PRESENT), was_present = !!(old & SCARD_STATE_PRESENT);
  if (new & (SCARD_STATE_UNAVAILABLE | SCARD_STATE_UNKNOWN)) {  // the counter is 0 meanwhile
    if (!(old & SCARD_STATE_UNAVAILABLE)) printf("UNAVAILABLE %lld %s\n", woken, state->szReader);
    return;
  }
  int steps = old & SCARD_STATE_UNAVAILABLE ? present : (int)((new >> 16) - (old >> 16) & 0xFFFF);
  int arrivals = (steps + present) / 2;
  for (int i = present; i < arrivals; i++) printf("SHORT %lld %s\n", woken, state->szReader);
  if (present && arrivals) {
    if (new & SCARD_STATE_MUTE) printf("MUTE %lld %s\n", woken, state->szReader);
    else read_uid(state->szReader, woken);
  } else if (!present && (was_present || old & SCARD_STATE_UNAVAILABLE)) {
    printf("REMOVED %lld %s\n", woken, state->szReader);
  }
}

// Until pcscd leaves us.
static LONG watch(void) {
  for (;;) {
    LONG code = list_readers();
    if (code != SCARD_S_SUCCESS) return code;
    code = SCardGetStatusChange(context, SLICE_MS, states, (DWORD)count + 1);
    if (getppid() != parent) exit(0);
    if (code == SCARD_E_UNKNOWN_READER) continue;
    if (code != SCARD_S_SUCCESS && code != SCARD_E_TIMEOUT) return code;
    for (int i = 0; i < count; i++) look(&states[i]);
    states[count].dwCurrentState = states[count].dwEventState & ~(DWORD)SCARD_STATE_CHANGED;
  }
}

int main(void) {
  parent = getppid();
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (;;) {
    LONG code = SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context);
    if (code == SCARD_S_SUCCESS) {
      count = -1;
      code = watch();
      printf("GONE %lld %08lX\n", now(), (unsigned long)code);
      SCardReleaseContext(context);
    }
    if (getppid() != parent) return 0;
    pause_ms(50);
  }
}
