// libpcsclite's client interface. Only the Swift target PCSC imports it; the C targets take its compiler flags.
#pragma once
#include <winscard.h>
