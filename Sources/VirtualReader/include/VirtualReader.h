// An IFD handler for pcscd (ifdhandler 3.0, <ifdhandler.h>): a contactless reader that is not there, for demos and tests.
//
// It reports events as a USB reader with an interrupt endpoint does (TAG_IFD_POLLING_THREAD_WITH_TIMEOUT), so taps of a
// few milliseconds arrive. One pcscd may have up to 8 of them, each with an entry in its reader.conf:
//
//   FRIENDLYNAME "ACS ACR122U PICC Interface"
//   DEVICENAME   /dev/null:/absolute/path/of/the/control/socket
//   LIBPATH      /absolute/path/of/libVirtualReader.so
//   CHANNELID    0
//
// (pcscd insists that the part of DEVICENAME before the colon exists.) The control socket is of type SOCK_SEQPACKET and
// mode 0600: each packet is one command in printable ASCII, each answer is one packet, `ok …` or `error: …`, and comes
// after the reader has taken the command. It lives as long as pcscd does.
//
//   in UID [ATR]         a tag is in the field. UID is hex of 0 to 32 bytes, `-` for none; ATR hex of 1 to 33 bytes
//   out                  the field is empty
//   tap MS UID [ATR]     in, and out after MS (0 to 60000) milliseconds; answered when the tag is out
//   mute TIMES           power-ups fail though the tag is present
//   comm TIMES           transmits fail with a communication error
//   torn TIMES 0|1       transmits succeed with 0 or 1 bytes
//   slow TIMES MS        transmits take MS (1 to 60000) milliseconds longer; nothing interrupts that
//   answer TIMES HEX     requests for the UID are answered with these 1 to 1024 bytes, status word included
//   fill TIMES COUNT     … with COUNT (2 to 65538) bytes, the last two 90 00
//   status on|off        asking for the tag's presence is a communication error
//   unavailable on|off   the reader no longer answers its host (IFD_NO_SUCH_DEVICE) but stays listed
//   reset                every fault off, the field empty
//   state                what is set, as `name=value` words; TIMES as the number left, -1 for always
//   log [AFTER]          one line a power-up, power-down, APDU, answer or escape command with a number above AFTER:
//                        `NUMBER NANOSECONDS WHAT LENGTH HEX`; at most the last 256, at most 64 bytes of each
//
// TIMES is a number from 1 to 1000000, `on` (always) or `off`; with `off` nothing follows.
//
// `in`, `out` and `tap` answer with CLOCK_MONOTONIC nanoseconds of the moments when the field changed. Such a change
// first waits until pcscd has dealt with the one before, so that no tap melts into its neighbours on a busy machine. If
// pcscd does not within 2 s, the change is made all the same and the answer ends in `unnoticed`.
#pragma once
