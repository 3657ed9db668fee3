#define _GNU_SOURCE
#include "FakeClock.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

// Seconds that the wall clock is off; and, when the file goes on, seconds that the machine has slept.
static const volatile int64_t *offset;

__attribute__((constructor)) static void map_offset(void) {
  const char *path = getenv("KIOSK_FAKE_CLOCK");
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *page = mmap(NULL, 2 * sizeof *offset, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (page != MAP_FAILED) offset = page;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *offset;
  if (result == 0 && offset && clock == CLOCK_BOOTTIME) time->tv_sec += offset[1];
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

// Deadlines made from the moved clock are the kernel's own again: libdispatch's waits with a time-out are of this kind.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  struct timespec real = *deadline;
  if (offset) real.tv_sec -= *offset;
  return sem_clockwait(semaphore, CLOCK_REALTIME, &real);
}

int adjtimex(struct timex *state) {
  const char *told = getenv("KIOSK_FAKE_CLOCK_STATE");
  if (!told) return (int)syscall(SYS_adjtimex, state);
  int is_set = strcmp(told, "set") == 0;
  state->status = is_set ? STA_PLL : STA_UNSYNC;
  return is_set ? TIME_OK : TIME_ERROR;
}
