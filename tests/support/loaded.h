/* loaded.h - what a load made of an archive, in a form that a test can state: each operation is a line.
 *
 *   "10-20 isend 1.0 comm0 #5 100B done2"   enter and leave in ns, kind, flags as +words, partner's row (or
 *                                           ?location when unmatched), communicator, tag, bytes, completion
 *   "30-40 wait [0 1]"                      what it completed
 *   "50-60 bcast coll3 comm0 root1 8/0"     instance, communicator, root's process, bytes sent and received
 *   "70-80 put >1 win0 64B done5"           one-sided: target, window; syncs have the lock or the group's
 * members as #tag
 *
 * What is unknown is left out. Times count from the trace's first event. */
#ifndef PS_TESTS_LOADED_H
#define PS_TESTS_LOADED_H

#include "core/load/load.h"
#include "tests/support/tracegen.h"

/* Closes the archive and loads it with one thread; dies when that fails. */
ps_trace *loaded(ps_gen *g, ps_clock_mode clock);
ps_trace *loaded_by(const char *path, unsigned n_threads, ps_clock_mode clock);

/* An archive in which each rank is in main from the begin; out of it at `end`, and loaded; both checked and
 * freed. */
ps_gen *loaded_begin(ps_gen_options options);
ps_trace *loaded_end(ps_gen *g, uint32_t n_ranks, uint64_t end);
void loaded_free(ps_gen *g, ps_trace *trace);

/* The lines of a location; the caller's to free. */
char *loaded_ops(const ps_trace *trace, ps_loc loc);
void loaded_expect(const char *file, int line, const ps_trace *trace, ps_loc loc, const char *lines);
#define EXPECT_OPS(trace, loc, lines) loaded_expect(__FILE__, __LINE__, trace, loc, lines)

/* "kind-of-issue=count kind=count ...", in the order of issues.def; "" for none. */
void loaded_expect_issues(const char *file, int line, const ps_trace *trace, const char *list);
#define EXPECT_ISSUES(trace, list) loaded_expect_issues(__FILE__, __LINE__, trace, list)

/* "main/exchange@a.c:7/MPI_Send": the names of a path's regions, with the places of their calls if known. */
void loaded_expect_path(const char *file, int line, const ps_trace *trace, ps_ref ref, const char *path);
#define EXPECT_PATH(trace, loc, op, path)                                                                    \
        loaded_expect_path(__FILE__, __LINE__, trace, (ps_ref){loc, op}, path)

/* What a location did in a region of that name; of several call paths the first; NULL: nothing. */
const ps_path_use *loaded_use(const ps_trace *trace, ps_loc loc, const char *region);

/* NULL when all that a load makes is the same, byte for byte; else what is not. Without `times`, clocks and
 * what follows from them may differ. */
const char *loaded_difference(const ps_trace *a, const ps_trace *b, int times);

/* An OTF2 archive, loaded as it is and with every record made an event: NULL when both fail alike or give the
 * same; else what is not. */
const char *loaded_difference_of_batches(const char *path, const ps_load_options *options);

/* Pieces, and visits of all regions. */
extern const struct ps_piece_options loaded_pieces;

/* Loads what may be broken, then looks at every index that the trace hands out; dies when one leads nowhere.
 * NULL when the load failed with a status that a broken trace may cause and a reason. */
ps_trace *loaded_hostile(const char *path, unsigned n_threads);
void loaded_check(const ps_trace *trace);

#endif
