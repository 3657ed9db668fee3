#include "PcscdConfinement.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;

// SIGKILL: a frozen pcscd (SIGSTOP) would never get to a gentler one. And systemd's protocol wants pcscd's own process
// number, which nobody knows before this process exists (sd_listen_fds(3)).
__attribute__((constructor)) static void confine(void) {
  const char *own = getenv("KIOSK_PCSCD_FOLDER"), *parent = getenv("KIOSK_PCSCD_PARENT");
  if (!own || !parent) return;
  folder = own;
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != (pid_t)strtol(parent, NULL, 10)) _exit(1);  // it died before it could be watched
  char pid[16];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  setenv("LISTEN_PID", pid, 1);
  setenv("LISTEN_FDS", "1", 1);
  unsetenv("LD_PRELOAD");
  close_range(4, ~0u, 0);  // what the parent had open is not ours
}

struct path {
  char text[512];
};

// Where the path leads in a confined pcscd: `path` itself, or into the folder.
static const char *lead(const char *path, struct path *room) {
  static const char run[] = "/run/pcscd", drivers[] = "/usr/lib/pcsc/drivers";
  if (!folder || !path) return path;
  const char *rest;
  if (!strncmp(path, run, sizeof run - 1) && (path[sizeof run - 1] == '/' || !path[sizeof run - 1])) {
    rest = path + sizeof run - 1;
  } else if (!strcmp(path, drivers)) {
    rest = "/drivers";
  } else {
    return path;
  }
  int count = snprintf(room->text, sizeof room->text, "%s%s", folder, rest);
  return count > 0 && (size_t)count < sizeof room->text ? room->text : path;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  struct path room;
  return REAL(open)(lead(path, &room), flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
  struct path room;
  return REAL(fopen)(lead(path, &room), mode);
}

int mkdir(const char *path, mode_t mode) {
  struct path room;
  return REAL(mkdir)(lead(path, &room), mode);
}

int chmod(const char *path, mode_t mode) {
  struct path room;
  return REAL(chmod)(lead(path, &room), mode);
}

int remove(const char *path) {
  struct path room;
  return REAL(remove)(lead(path, &room));
}

DIR *opendir(const char *path) {
  struct path room;
  return REAL(opendir)(lead(path, &room));
}
