#pragma once
#include <alsa/asoundlib.h>

// The handler's type is variadic. alsa-lib writes its troubles to stderr by itself; ours are errors with a remedy.
static inline void kiosk_no_message(const char *file, int line, const char *function, int code, const char *format,
                                    ...) {
  (void)file;
  (void)line;
  (void)function;
  (void)code;
  (void)format;
}
static inline int kiosk_silence_alsa(void) { return snd_lib_error_set_handler(kiosk_no_message); }
