// What the tag, or the reader in its place, answers.
#pragma once
#include <ifdhandler.h>

#include "reader-state.h"

// Powers the tag's chip up. The answer to reset goes to `atr`, which has room for MAX_ATR bytes.
RESPONSECODE power_up(struct reader *reader, const char *what, unsigned char *atr, DWORD *atr_count);

// One APDU. `*count` is the room in `answer` before, the answer's length after.
RESPONSECODE exchange(struct reader *reader, const unsigned char *apdu, size_t apdu_count, unsigned char *answer,
                      DWORD *count);
