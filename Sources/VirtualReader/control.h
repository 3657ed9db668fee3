// The control socket of one reader.
#pragma once
#include "reader-state.h"

// Binds the socket and starts its thread; NULL, and a line on stderr, when it cannot.
struct control *control_start(struct reader *reader, const char *path);

// Ends the thread and removes the socket.
void control_stop(struct control *control);
