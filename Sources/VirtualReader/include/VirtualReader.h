// An IFD handler for pcscd (pcsc-lite's ifdhandler 3.0): a contactless reader that exists only in memory.
//
// Event-driven like a USB reader with an interrupt endpoint, so taps of a few milliseconds arrive. In reader.conf:
//
//   FRIENDLYNAME "ACS ACR122U PICC Interface"
//   DEVICENAME   /dev/null:/path/of/the/control/socket     (pcscd looks for the file before the colon)
//   LIBPATH      /path/of/libVirtualReader.so
//   CHANNELID    0
//
// The control socket takes one command a line and answers one line, `ok …` or `error: …`, after the reader has taken it:
//
//   in UID [ATR]        a tag enters; hex, UID of 0 to 32 bytes. Answers `ok NS`: CLOCK_MONOTONIC when it was present
//   out                 it leaves
//   tap UID MS          in, and out after MS milliseconds (the answer comes after it left)
//   taps UID N MS       N taps of MS milliseconds, MS apart
//   mute N              the next N power-ups fail (-1: all, 0: none)
//   fail N              the next N transmits fail with a communication error
//   short N BYTES       the next N transmits succeed with 0 or 1 bytes: a torn read
//   sw N HEX            the next N UID requests are answered with these bytes (-1: all, 0: none)
//   long N COUNT        the next N UID requests are answered with COUNT bytes and 90 00
//   slow N MS           the next N transmits take MS milliseconds longer
//   error 0|1           asking for the tag's presence is a communication error
//   gone 0|1            the reader is unplugged but still listed: no such device
//   reset               healthy, no tag
//   state               what is set
//   log                 the last power-ups, APDUs and escape commands, `NS what HEX` separated by `;`; and forgets them
#pragma once
