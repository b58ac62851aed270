/* resolve.h - the line of a call, from the address that it returns to and the DWARF of the file that it is
 * in.
 *
 * A compiler may inline the function that calls, and it may turn the last call of a function into a jump, so
 * that the address is that of a caller further out. The first is told by the scopes around the address, the
 * second by what DWARF says of call sites: the one at the address names another function than the one that
 * was called, and in that one, or further in, is the jump that was taken. Where several could have been, none
 * is claimed. */
#ifndef PS_RECORD_RESOLVE_H
#define PS_RECORD_RESOLVE_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ps_resolver ps_resolver;

enum { PS_RESOLVED_FRAMES = 32 };

typedef struct ps_resolved_frame {
        const char *function;
        const char *file; /* where in it the next one is called, or all is at work; NULL: unknown */
        unsigned line;
} ps_resolved_frame;

typedef struct ps_resolved {
        ps_resolved_frame frame[PS_RESOLVED_FRAMES]; /* the outermost first: inlined into those before them */
        unsigned n_frames;                           /* 0: unknown */
        unsigned n_around;                           /* of them: that called the others by jumps */
        const char *file;                            /* of the call; NULL: unknown */
        unsigned line;
} ps_resolved;

ps_status ps_resolver_new(ps_resolver **out, ps_error *err);
void ps_resolver_free(ps_resolver *resolver);

/* The number of a file with code, a program or shared object. One that is not there, or is not the one with
 * that build id (NULL: unknown), knows nothing. */
ps_status ps_resolver_module(ps_resolver *resolver, const char *path, const char *build_id, uint32_t *out,
                             ps_error *err);
/* The function at an address of the module, or, `is_return`, the call in it that returns there. */
void ps_resolver_frames(ps_resolver *resolver, uint32_t module, uint64_t offset, bool is_return,
                        ps_resolved *out);
/* The call of `callee` (such as "MPI_Send", or what Fortran makes of it; NULL: unknown) that returns to
 * `offset` in the module. Texts live as long as the resolver. */
void ps_resolver_call(ps_resolver *resolver, uint32_t module, uint64_t offset, const char *callee,
                      ps_resolved *out);
/* The same of one that is a jump, somewhere in the function at `offset`. */
void ps_resolver_jump(ps_resolver *resolver, uint32_t module, uint64_t offset, const char *callee,
                      ps_resolved *out);
/* The line of the function at `offset` becomes that of `out`, if it has one. */
void ps_resolver_body(ps_resolver *resolver, uint32_t module, uint64_t offset, ps_resolved *out);

#endif
