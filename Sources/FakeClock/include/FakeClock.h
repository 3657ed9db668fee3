// LD_PRELOAD for tests of the real binary: moves the wall clock of one process and nothing else.
//
// KIOSK_FAKE_CLOCK names a file of 8 or 16 bytes, native int64s: the seconds to add to CLOCK_REALTIME, and those to add to
// CLOCK_BOOTTIME, as after a sleep of the machine. The test may change it while the process runs; that is a clock step.
// CLOCK_MONOTONIC, timers and file times are the machine's own.
// KIOSK_FAKE_CLOCK_STATE: the kernel says that somebody (set) or nobody (unset) has synchronised its clock.
#pragma once
