// What the control socket's commands do.
#pragma once
#include "reader-state.h"

// The text of one answer; grows up to its room and no further.
struct answer {
  size_t count;
  char text[65536];
};

void answer_add(struct answer *answer, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A tap under way: when the tag is to leave, and when it came.
struct tap {
  bool running;
  int64_t due;  // CLOCK_MONOTONIC, ns
  struct moment entered;
};

enum outcome {
  ANSWERED,
  TAPPING,  // the answer comes when the tap ends
};

// Carries out one command: `count` bytes of text, which it takes apart. Takes the reader's lock itself.
//
// A running tap is ended by `in`, `out`, `tap` and `reset`: afterwards `tap->running` is false, or it is another tap.
enum outcome command(struct reader *reader, char *text, size_t count, struct tap *tap, struct answer *answer);

// The tag of a tap leaves; adds the answer to the command that began it.
void tap_end(struct reader *reader, struct tap *tap, struct answer *answer);
