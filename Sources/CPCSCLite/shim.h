#pragma once
#include <reader.h>
#include <winscard.h>
#include <wintypes.h>

// Macros that Swift cannot import: casts and expressions.
static inline const SCARD_IO_REQUEST *kiosk_pci(DWORD protocol) {
  return protocol == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0 : SCARD_PCI_T1;
}

static const DWORD kiosk_attribute_vendor = SCARD_ATTR_VENDOR_NAME;
static const DWORD kiosk_attribute_version = SCARD_ATTR_VENDOR_IFD_VERSION;
static const DWORD kiosk_attribute_serial = SCARD_ATTR_VENDOR_IFD_SERIAL_NO;
