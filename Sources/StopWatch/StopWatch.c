#define _GNU_SOURCE
#include "StopWatch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int file = -1;
static int (*next_fdatasync)(int);
static int (*next_fsync)(int);
static long (*next_writei)(void *, const void *, unsigned long);

__attribute__((constructor)) static void start(void) {
  next_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  next_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  next_writei = (long (*)(void *, const void *, unsigned long))dlsym(RTLD_NEXT, "snd_pcm_writei");
  const char *path = getenv("KIOSK_STOP_WATCH");
  if (path) file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void note(const char *what) {
  if (file < 0) return;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  char line[64];
  int length = snprintf(line, sizeof line, "%s %lld\n", what, t.tv_sec * 1000000000LL + t.tv_nsec);
  if (write(file, line, (size_t)length) != length) _exit(70);
}

int fdatasync(int fd) {
  int result = next_fdatasync(fd);
  note("sync");
  return result;
}

int fsync(int fd) {
  int result = next_fsync(fd);
  note("sync");
  return result;
}

long snd_pcm_writei(void *pcm, const void *frames, unsigned long count) {
  long result = next_writei(pcm, frames, count);
  if (result > 0) note("write");
  return result;
}
