#include "control.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "commands.h"

enum { CLIENTS = 16, NOBODY = -1 };

struct client {
  int fd;  // -1: a free place
  int64_t heard;
};

struct control {
  struct reader *reader;
  pthread_t thread;
  int listener, stop;
  char path[sizeof((struct sockaddr_un *)0)->sun_path];
  struct client clients[CLIENTS];
  struct tap tap;
  int tapper;  // the client that waits for the tap's end, or NOBODY
  struct answer answer;
  char command[MAX_COMMAND + 1];
};

static void drop(struct control *control, int index) {
  close(control->clients[index].fd);
  control->clients[index].fd = -1;
  if (control->tapper == index) control->tapper = NOBODY;
}

// A client that does not read its answers is dropped: the reader waits for nobody.
static void tell(struct control *control, int index) {
  const struct answer *answer = &control->answer;
  ssize_t sent = send(control->clients[index].fd, answer->text, answer->count, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent != (ssize_t)answer->count) drop(control, index);
}

static void obey(struct control *control, int index) {
  struct client *client = &control->clients[index];
  ssize_t count = recv(client->fd, control->command, MAX_COMMAND, MSG_DONTWAIT | MSG_TRUNC);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    drop(control, index);
    return;
  }
  client->heard = monotonic_ns();
  control->answer.count = 0;
  if (count > MAX_COMMAND) {
    answer_add(&control->answer, "error: a command has at most %d bytes", MAX_COMMAND);
    tell(control, index);
    return;
  }
  int tapper = control->tap.running ? control->tapper : NOBODY;
  enum outcome outcome =
      command(control->reader, control->command, (size_t)count, &control->tap, &control->answer);
  if (outcome == ANSWERED) tell(control, index);
  if (tapper != NOBODY && (!control->tap.running || outcome == TAPPING)) {
    control->answer.count = 0;
    answer_add(&control->answer, "error: another command ended the tap");
    if (control->tapper == tapper) tell(control, tapper);
    control->tapper = NOBODY;
  }
  if (outcome == TAPPING) control->tapper = index;
}

static void finish_tap(struct control *control) {
  control->answer.count = 0;
  tap_end(control->reader, &control->tap, &control->answer);
  int tapper = control->tapper;
  control->tapper = NOBODY;
  if (tapper != NOBODY) tell(control, tapper);
}

// When all places are taken, whoever was silent the longest makes room: nobody can keep others out by saying nothing.
static void welcome(struct control *control) {
  int fd = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0) return;
  int place = 0;
  for (int i = 0; i < CLIENTS; i++) {
    if (control->clients[i].fd < 0) {
      place = i;
      break;
    }
    if (control->clients[i].heard < control->clients[place].heard) place = i;
  }
  if (control->clients[place].fd >= 0) drop(control, place);
  control->clients[place] = (struct client){.fd = fd, .heard = monotonic_ns()};
}

static void *serve(void *argument) {
  struct control *control = argument;
  for (;;) {
    struct pollfd waits[2 + CLIENTS] = {{control->stop, POLLIN, 0}, {control->listener, POLLIN, 0}};
    for (int i = 0; i < CLIENTS; i++) waits[2 + i] = (struct pollfd){control->clients[i].fd, POLLIN, 0};
    struct timespec left, *timeout = NULL;
    if (control->tap.running) {
      int64_t ns = control->tap.due - monotonic_ns();
      if (ns < 0) ns = 0;
      left = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
      timeout = &left;
    }
    int ready = ppoll(waits, 2 + CLIENTS, timeout, NULL);
    if (ready < 0 && errno != EINTR) return NULL;
    if (control->tap.running && monotonic_ns() >= control->tap.due) finish_tap(control);
    if (ready <= 0) continue;
    if (waits[0].revents) return NULL;
    for (int i = 0; i < CLIENTS; i++) {
      // A client dropped in this round has another descriptor by now, or none.
      if (waits[2 + i].revents && waits[2 + i].fd == control->clients[i].fd) obey(control, i);
    }
    if (waits[1].revents) welcome(control);
  }
}

static bool address_of(const char *path, struct sockaddr_un *address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  if (path[0] != '/' || strlen(path) >= sizeof address->sun_path) {
    errno = path[0] == '/' ? ENAMETOOLONG : EINVAL;
    return false;
  }
  strcpy(address->sun_path, path);
  return true;
}

// A socket that a dead pcscd left behind goes; one that answers, or anything else, stays.
static bool clear_path(const struct sockaddr_un *address) {
  struct stat old;
  if (lstat(address->sun_path, &old)) return errno == ENOENT;
  if (!S_ISSOCK(old.st_mode)) {
    errno = EEXIST;
    return false;
  }
  int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  bool dead = connect(probe, (const struct sockaddr *)address, sizeof *address) && errno == ECONNREFUSED;
  close(probe);
  if (!dead) {
    errno = EADDRINUSE;
    return false;
  }
  return unlink(address->sun_path) == 0;
}

static bool listen_at(struct control *control, const char *path) {
  struct sockaddr_un address;
  if (!address_of(path, &address) || !clear_path(&address)) return false;
  control->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (control->listener < 0) return false;
  // Linux gives the file the mode of the unbound socket: it is never open to others, and no umask is touched.
  if (fchmod(control->listener, 0600)) return false;
  if (bind(control->listener, (struct sockaddr *)&address, sizeof address)) return false;
  strcpy(control->path, path);
  return listen(control->listener, CLIENTS) == 0;
}

static void discard(struct control *control) {
  for (int i = 0; i < CLIENTS; i++) {
    if (control->clients[i].fd >= 0) close(control->clients[i].fd);
  }
  if (control->path[0]) unlink(control->path);
  if (control->listener >= 0) close(control->listener);
  if (control->stop >= 0) close(control->stop);
  free(control);
}

struct control *control_start(struct reader *reader, const char *path) {
  struct control *control = calloc(1, sizeof *control);
  if (!control) return NULL;
  control->reader = reader;
  control->listener = -1;
  control->tapper = NOBODY;
  for (int i = 0; i < CLIENTS; i++) control->clients[i].fd = -1;
  control->stop = eventfd(0, EFD_CLOEXEC);
  if (control->stop >= 0 && listen_at(control, path)) {
    errno = pthread_create(&control->thread, NULL, serve, control);
    if (!errno) return control;
  }
  fprintf(stderr, "VirtualReader: cannot listen at %s: %s\n", path, strerror(errno));
  discard(control);
  return NULL;
}

void control_stop(struct control *control) {
  uint64_t one = 1;
  if (write(control->stop, &one, sizeof one) < 0) return;
  pthread_join(control->thread, NULL);
  discard(control);
}
