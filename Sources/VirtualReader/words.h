// Reading the words of a command, strictly: what is not exactly right is refused.
#pragma once
#include "reader-state.h"

enum { MAX_WORDS = 4 };

struct words {
  int count;
  char *word[MAX_WORDS];
};

// Cuts at single spaces. False for no word, an empty word, too many words, or a byte that is not printable ASCII.
bool split(char *text, size_t count, struct words *words);

// Decimal digits only, within the range.
bool read_number(const char *word, int64_t least, int64_t most, int64_t *number);

// Pairs of hex digits in any case; `least` to `most` bytes. `-` is none at all.
bool read_hex(const char *word, size_t least, size_t most, unsigned char *bytes, size_t *count);

bool read_switch(const char *word, bool *on);

// `off`, `on` or 1 to 1000000.
bool read_times(const char *word, times_t *times);
