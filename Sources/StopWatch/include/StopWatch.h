// LD_PRELOAD for `make bench`: notes when a process had its data on disk and when it gave samples to ALSA.
//
// KIOSK_STOP_WATCH names a file; each line is what happened and CLOCK_MONOTONIC in ns when the call returned:
//
//   sync NS      fdatasync or fsync
//   write NS     snd_pcm_writei took frames
#pragma once
