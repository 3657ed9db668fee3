// LD_PRELOAD for tests of the real binary: moves the wall clock of one process and nothing else.
//
// KIOSK_FAKE_CLOCK names a file of 8 bytes, a native int64: the seconds to add to CLOCK_REALTIME. The test may change
// it while the process runs; that is a clock step. Monotonic clocks, timers and file times are the machine's own.
// KIOSK_FAKE_CLOCK_STATE: the kernel says that somebody (set) or nobody (unset) has synchronised its clock.
#pragma once
