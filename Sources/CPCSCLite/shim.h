#pragma once
#include <reader.h>
#include <winscard.h>
#include <wintypes.h>

// Macros that Swift cannot import: casts and expressions.
static inline const SCARD_IO_REQUEST *kiosk_pci(DWORD protocol) {
  return protocol == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0 : SCARD_PCI_T1;
}
