#include "FaultyDisk.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum watched { NOTHING, A_FILE, A_FOLDER, THE_SOUND };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *sound, *wall;
static int log_file = -1;
static const volatile int64_t *mark;
static volatile struct disk_faults *faults;
static struct {
  enum watched what;
  uint64_t inode;
} files[4096];

static void *mapped(const char *variable, size_t size, int protection) {
  const char *path = getenv(variable);
  int fd = path ? REAL(open)(path, (protection & PROT_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC) : -1;
  if (fd < 0) return NULL;
  void *page = mmap(NULL, size, protection, MAP_SHARED, fd, 0);
  REAL(close)(fd);
  return page == MAP_FAILED ? NULL : page;
}

__attribute__((constructor)) static void begin(void) {
  root = getenv("KIOSK_DISK_ROOT");
  sound = getenv("KIOSK_DISK_SOUND");
  wall = getenv("KIOSK_DISK_WALL");
  mark = mapped("KIOSK_DISK_MARK", sizeof *mark, PROT_READ);
  faults = mapped("KIOSK_DISK_FAULTS", sizeof *faults, PROT_READ | PROT_WRITE);
  const char *path = getenv("KIOSK_DISK_LOG");
  if (path) log_file = REAL(open)(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
}

// The part of a path below the root; NULL: not of interest.
static const char *below(const char *path) {
  size_t length = root ? strlen(root) : 0;
  if (!length || !path || strncmp(path, root, length)) return NULL;
  if (!path[length]) return path + length;
  if (path[length] != '/') return NULL;
  size_t rest = strlen(path);
  return rest >= 4 && !strcmp(path + rest - 4, "-shm") ? NULL : path + length + 1;
}

static void record(enum disk_operation operation, const char *name, uint64_t inode, uint64_t offset, const void *bytes,
                   uint64_t length) {
  if (log_file < 0) return;
  struct disk_record header = {operation, mark ? *mark : 0, inode, offset, length, {0}};
  if (name) strncpy(header.name, name, sizeof header.name - 1);
  REAL(write)(log_file, &header, sizeof header);
  if (length) REAL(write)(log_file, bytes, length);
}

// Counts an operation; true when it is to fail, with errno set.
static int fails(void) {
  if (!faults) return 0;
  int64_t number = ++faults->seen;
  if (!faults->first || number < faults->first || number - faults->first >= faults->count) return 0;
  faults->failed++;
  errno = (int)faults->error;
  return 1;
}

static uint64_t inode_at(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_ino : 0;
}

// Looks at a path that is about to be opened and at what came of it. Called with the lock held.
static int opened(const char *path, int flags, mode_t mode, int (*real)(const char *, int, ...)) {
  const char *name = below(path);
  int is_new = name && (flags & O_CREAT) && access(path, F_OK) != 0;
  if (name && (is_new || (flags & O_TRUNC)) && fails()) return -1;
  int fd = real(path, flags, mode);
  if (fd < 0 || fd >= (int)(sizeof files / sizeof *files)) return fd;
  files[fd].what = NOTHING;
  struct stat status;
  if (fstat(fd, &status) != 0) return fd;
  files[fd].inode = status.st_ino;
  if (sound && !strcmp(path, sound)) files[fd].what = THE_SOUND;
  if (!name) return fd;
  files[fd].what = S_ISDIR(status.st_mode) ? A_FOLDER : A_FILE;
  if (is_new) record(DISK_CREATE, name, status.st_ino, 0, NULL, 0);
  if (flags & O_TRUNC) record(DISK_TRUNCATE, NULL, status.st_ino, 0, NULL, 0);
  return fd;
}

#define OPEN(symbol)                                                                      \
  int symbol(const char *path, int flags, ...) {                                          \
    va_list arguments;                                                                    \
    va_start(arguments, flags);                                                           \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;          \
    va_end(arguments);                                                                    \
    pthread_mutex_lock(&lock);                                                            \
    int fd = opened(path, flags, mode, (int (*)(const char *, int, ...))REAL(symbol));    \
    pthread_mutex_unlock(&lock);                                                          \
    return fd;                                                                            \
  }
OPEN(open)
OPEN(open64)

static enum watched what(int fd) {
  return fd >= 0 && fd < (int)(sizeof files / sizeof *files) ? files[fd].what : NOTHING;
}

int close(int fd) {
  if (what(fd) == NOTHING) return REAL(close)(fd);
  pthread_mutex_lock(&lock);
  files[fd].what = NOTHING;
  int result = REAL(close)(fd);
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  if (what(fd) != A_FILE) return REAL(pwrite64)(fd, bytes, count, offset);
  pthread_mutex_lock(&lock);
  ssize_t result = fails() ? -1 : REAL(pwrite64)(fd, bytes, count, offset);
  if (result > 0) record(DISK_WRITE, NULL, files[fd].inode, (uint64_t)offset, bytes, (uint64_t)result);
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return pwrite64(fd, bytes, count, offset); }

ssize_t write(int fd, const void *bytes, size_t count) {
  enum watched kind = what(fd);
  if (kind != A_FILE && kind != THE_SOUND) return REAL(write)(fd, bytes, count);
  pthread_mutex_lock(&lock);
  ssize_t result = kind == A_FILE && fails() ? -1 : REAL(write)(fd, bytes, count);
  if (result > 0 && kind == THE_SOUND) record(DISK_SOUND, NULL, 0, 0, bytes, result < 32 ? (uint64_t)result : 32);
  if (result > 0 && kind == A_FILE) {
    // Where it went: behind what was there for a file that is appended to, and so for every other.
    uint64_t end = (uint64_t)lseek64(fd, 0, SEEK_CUR);
    record(DISK_WRITE, NULL, files[fd].inode, end - (uint64_t)result, bytes, (uint64_t)result);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate64(int fd, off64_t size) {
  if (what(fd) != A_FILE) return REAL(ftruncate64)(fd, size);
  pthread_mutex_lock(&lock);
  int result = fails() ? -1 : REAL(ftruncate64)(fd, size);
  if (result == 0) record(DISK_TRUNCATE, NULL, files[fd].inode, (uint64_t)size, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int flushed(int fd, int (*real)(int)) {
  if (what(fd) != A_FILE && what(fd) != A_FOLDER) return real(fd);
  pthread_mutex_lock(&lock);
  int result = fails() ? -1 : real(fd);
  if (result == 0) {
    record(files[fd].what == A_FILE ? DISK_SYNC : DISK_SYNC_FOLDER, NULL, files[fd].inode, 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { return flushed(fd, REAL(fsync)); }
int fdatasync(int fd) { return flushed(fd, REAL(fdatasync)); }

int unlink(const char *path) {
  const char *name = below(path);
  if (!name) return REAL(unlink)(path);
  pthread_mutex_lock(&lock);
  int result = access(path, F_OK) == 0 && fails() ? -1 : REAL(unlink)(path);
  if (result == 0) record(DISK_UNLINK, name, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int rename(const char *from, const char *to) {
  const char *old = below(from), *new = below(to);
  if (!old || !new) return REAL(rename)(from, to);
  pthread_mutex_lock(&lock);
  int result = fails() ? -1 : REAL(rename)(from, to);
  if (result == 0) record(DISK_RENAME, old, inode_at(to), 0, new, strlen(new));
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
  ssize_t result = REAL(send)(socket, bytes, count, flags);
  if (result > 0 && wall && memmem(bytes, (size_t)result, wall, strlen(wall))) {
    pthread_mutex_lock(&lock);
    record(DISK_WALL, NULL, 0, 0, bytes, (uint64_t)result);
    pthread_mutex_unlock(&lock);
  }
  return result;
}

// SQLite's own declaration, by hand: the library must not be loaded into programs that do not use it.
struct sqlite3;
struct sqlite3_stmt;
int sqlite3_prepare_v3(struct sqlite3 *db, const char *sql, int length, unsigned flags, struct sqlite3_stmt **statement,
                       const char **tail);

int sqlite3_prepare_v3(struct sqlite3 *db, const char *sql, int length, unsigned flags, struct sqlite3_stmt **statement,
                       const char **tail) {
  const char *level = getenv("KIOSK_DISK_SYNCHRONOUS");
  char other[64];
  if (level && sql && !strcmp(sql, "PRAGMA synchronous = FULL")) {
    snprintf(other, sizeof other, "PRAGMA synchronous = %s", level);
    sql = other;
  } else if (level && sql && !strcmp(sql, "PRAGMA synchronous")) {
    sql = "SELECT 2";
  }
  return REAL(sqlite3_prepare_v3)(db, sql, sql == other ? -1 : length, flags, statement, tail);
}
