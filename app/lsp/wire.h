/* wire.h - messages of a language server: a header that tells how long it is, then JSON. */
#ifndef PS_APP_LSP_WIRE_H
#define PS_APP_LSP_WIRE_H

#include "core/base/error.h"
#include "core/base/types.h"

/* A message with a large source file in it is longer than the file; what is longer than this is passed over.
 */
enum { PS_WIRE_MOST = 64 << 20 };

/* Begin with {0}; `held` and `text` are freed by ps_wire_clear(). */
typedef struct ps_wire {
        char *held; /* read, and not taken yet */
        size_t n, cap;
        size_t to_skip; /* bytes of a message that is too long */
        bool is_closed;
} ps_wire;

typedef enum ps_frame {
        PS_FRAME_NONE,  /* more has to be read first */
        PS_FRAME_TEXT,  /* a message */
        PS_FRAME_BROKEN /* something that is none; what follows may be well again */
} ps_frame;

/* Takes the next message that is whole. *text is malloc'ed, of *n bytes and a NUL. */
ps_status ps_wire_take(ps_wire *wire, ps_frame *frame, char **text, size_t *n, ps_error *err);
/* Room for what is read next, and how much of it was used. */
ps_status ps_wire_room(ps_wire *wire, char **room, size_t *n, ps_error *err);
void ps_wire_put(ps_wire *wire, size_t n);
void ps_wire_clear(ps_wire *wire);

#endif
