#define _GNU_SOURCE
#include "virtual.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

// One client at a time, line by line, until it closes or says nothing for 10 s.
static void serve(struct reader *reader, int client) {
  char line[1536], answer[16384];
  size_t used = 0;
  for (;;) {
    ssize_t count = recv(client, line + used, sizeof line - 1 - used, 0);
    if (count <= 0) {
      if (count < 0 && errno == EINTR) continue;
      return;
    }
    used += (size_t)count;
    line[used] = 0;
    char *end;
    while ((end = strchr(line, '\n'))) {
      *end = 0;
      command(reader, line, answer, sizeof answer - 1);
      strcat(answer, "\n");
      if (send(client, answer, strlen(answer), MSG_NOSIGNAL) < 0) return;
      used -= (size_t)(end + 1 - line);
      memmove(line, end + 1, used + 1);
    }
    if (used == sizeof line - 1) return;
  }
}

static void *run(void *argument) {
  struct reader *reader = argument;
  for (;;) {
    struct pollfd waits[2] = {{reader->listener, POLLIN, 0}, {reader->stop, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return NULL;
    if (waits[1].revents) return NULL;
    if (!waits[0].revents) continue;
    int client = accept4(reader->listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0) continue;
    struct timeval limit = {10, 0};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    serve(reader, client);
    close(client);
  }
}

bool control_start(struct reader *reader, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path || strlen(path) >= sizeof reader->path) return false;
  strcpy(address.sun_path, path);
  strcpy(reader->path, path);
  reader->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  reader->stop = eventfd(0, EFD_CLOEXEC);
  reader->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  unlink(path);
  mode_t mask = umask(0177);
  bool bound = reader->wake >= 0 && reader->stop >= 0 && reader->listener >= 0 &&
               bind(reader->listener, (struct sockaddr *)&address, sizeof address) == 0;
  umask(mask);
  if (bound && listen(reader->listener, 4) == 0 && pthread_create(&reader->control, NULL, run, reader) == 0) return true;
  fprintf(stderr, "VirtualReader: cannot listen on %s: %s\n", path, strerror(errno));
  if (reader->wake >= 0) close(reader->wake);
  if (reader->stop >= 0) close(reader->stop);
  if (reader->listener >= 0) close(reader->listener);
  return false;
}

void control_stop(struct reader *reader) {
  uint64_t one = 1;
  if (write(reader->stop, &one, sizeof one) < 0) return;
  pthread_join(reader->control, NULL);
  unlink(reader->path);
  close(reader->listener);
  close(reader->wake);
  close(reader->stop);
}
