// What the Glibc module hides or Swift cannot import. `_GNU_SOURCE` must not be defined here: it changes the layout
// of types that other Clang modules have already built, so GNU functions are declared by hand.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

extern int pthread_setname_np(pthread_t thread, const char *name);
extern pid_t gettid(void);
extern int pipe2(int ends[2], int flags);
extern int memfd_create(const char *name, unsigned int flags);
extern int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline);
extern int pidfd_open(pid_t process, unsigned int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

// pthread_self() is declared `const`, so the optimiser reuses its value across `await`; the kernel's number is not.
static inline int kiosk_thread_id(void) { return (int)gettid(); }

// At most 15 bytes, or the kernel refuses it.
static inline int kiosk_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

// struct timex is not in the Glibc module. Returns adjtimex's state, or -1 with errno (a sandbox may refuse with EPERM).
static inline int kiosk_clock_state(int *status) {
  struct timex t = {0};
  int state = adjtimex(&t);
  if (state >= 0) *status = t.status;
  return state;
}

// MFD_CLOEXEC of memfd_create(2), which needs _GNU_SOURCE.
static const unsigned int kiosk_mfd_cloexec = 1;

static const int kiosk_sta_unsync = STA_UNSYNC;
static const int kiosk_time_error = TIME_ERROR;

// prctl is variadic. The signal comes when the thread that started this process ends; a change of user takes it back.
static inline int kiosk_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }
