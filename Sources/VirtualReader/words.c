#include "words.h"

#include <string.h>

bool split(char *text, size_t count, struct words *words) {
  words->count = 0;
  bool in_word = false;
  for (size_t i = 0; i < count; i++) {
    if (text[i] == ' ') {
      if (!in_word) return false;
      text[i] = 0;
      in_word = false;
      continue;
    }
    if (text[i] < 0x21 || text[i] > 0x7E) return false;
    if (in_word) continue;
    if (words->count == MAX_WORDS) return false;
    words->word[words->count++] = text + i;
    in_word = true;
  }
  text[count] = 0;
  return in_word;
}

bool read_number(const char *word, int64_t least, int64_t most, int64_t *number) {
  size_t digits = strlen(word);
  if (!digits || digits > 18) return false;
  int64_t value = 0;
  for (size_t i = 0; i < digits; i++) {
    if (word[i] < '0' || word[i] > '9') return false;
    value = value * 10 + (word[i] - '0');
  }
  if (value < least || value > most) return false;
  *number = value;
  return true;
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool read_hex(const char *word, size_t least, size_t most, unsigned char *bytes, size_t *count) {
  size_t digits = strcmp(word, "-") ? strlen(word) : 0;
  if (digits % 2 || digits / 2 < least || digits / 2 > most) return false;
  for (size_t i = 0; i < digits / 2; i++) {
    int high = digit(word[2 * i]), low = digit(word[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = (unsigned char)(high << 4 | low);
  }
  *count = digits / 2;
  return true;
}

bool read_switch(const char *word, bool *on) {
  bool yes = !strcmp(word, "on");
  if (!yes && strcmp(word, "off")) return false;
  *on = yes;
  return true;
}

bool read_times(const char *word, times_t *times) {
  bool always;
  if (read_switch(word, &always)) {
    *times = always ? ALWAYS : 0;
    return true;
  }
  int64_t number;
  if (!read_number(word, 1, 1000000, &number)) return false;
  *times = (times_t)number;
  return true;
}
