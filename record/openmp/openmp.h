/* openmp.h - OpenMP in the library that is loaded before a program: what is told of its threads, whichever
 * compiler's runtime calls us (gomp.c, ompt.c). */
#ifndef PS_RECORD_OPENMP_H
#define PS_RECORD_OPENMP_H

#include "record/shim/shim.h"

typedef enum ps_construct {
#define PS_CONSTRUCT(id, shown, role) PS_OMP_##id,
#include "record/raw/constructs.def"
#undef PS_CONSTRUCT
        PS_OMP_CONSTRUCTS
} ps_construct;

/* A visit of a parallel region: its number, and its site in the lower half. */
typedef uint64_t ps_parallel;

/* `body`: the function that all run, whose line the region has; NULL: unknown. */
ps_parallel ps_openmp_fork(uint32_t function, const void *caller, const void *body);
/* In each thread of the team: it begins its part, and is done with it. */
void ps_openmp_begin(ps_parallel region);
void ps_openmp_end(ps_parallel region);
void ps_openmp_join(ps_parallel region);

/* A construct that others have to do with; `function` as ps_openmp_functions has it, from PS_SHIM_OPENMP on.
 */
void ps_openmp_enter(uint32_t function, const void *caller, uint64_t now);
void ps_openmp_leave(uint64_t now);

/* Locks, and sections that one thread at a time is in, which stay entered until they are given. Of a lock
 * that was only tried `since` is when. */
void ps_openmp_taken(const void *lock, bool is_section, uint64_t now);
void ps_openmp_tried(uint32_t function, const void *caller, const void *lock, uint64_t since, uint64_t now);
void ps_openmp_given(uint32_t function, const void *caller, const void *lock, uint64_t now);
void ps_openmp_left(const void *section, uint64_t now);

/* The runtime tells all itself: what gcc's functions would tell is known already. */
extern bool ps_openmp_is_told;
/* Then what it takes for the caller of such a function is ours; this is who called that. NULL: nobody. */
extern __thread const void *ps_openmp_caller __attribute__((tls_model("initial-exec")));

/* alone.c: a program without MPI begins to be recorded; in no other library. */
void ps_openmp_start(void);
#pragma weak ps_openmp_start

#endif
