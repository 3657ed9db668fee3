// Preloaded into a pcscd that a test or the demo started (LD_PRELOAD), keeps that pcscd to itself. pcscd has its folders
// compiled in: it would want /run/pcscd (which an ordinary user may not make), overwrite and remove the machine's pid file,
// signal the machine's pcscd when a reader fails, and take every USB reader that is plugged in.
//
//   KIOSK_PCSCD_FOLDER   stands for /run/pcscd, and holds an empty `drivers` for the folder of USB drivers
//   KIOSK_PCSCD_PARENT   the process to die with; it hands over its listening socket as descriptor 3
//
// Without either nothing is changed. This is a library of its own because a preloaded library's names take the place of
// other drivers': vpcd would call the virtual reader's IFDHCreateChannel for its own.
#pragma once
