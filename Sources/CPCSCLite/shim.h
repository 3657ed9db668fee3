// libpcsclite's client interface. Only the Swift target PCSC imports it; the C targets take its compiler flags.
#pragma once
#include <winscard.h>

// SCARD_PCI_T0 and SCARD_PCI_T1 are addresses behind macros, which Swift cannot import.
static inline const SCARD_IO_REQUEST *kiosk_pci(DWORD protocol) {
  return protocol == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0 : SCARD_PCI_T1;
}
