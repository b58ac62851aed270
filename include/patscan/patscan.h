/* patscan.h - the whole public interface of libpatscan.
 *
 * A trace is loaded once, matched, and frozen; everything that is handed out after that is borrowed from it
 * and lives until ps_trace_close(). The library never prints, never exits and keeps no mutable globals: two
 * threads may work on two traces, or read one, without a lock.
 *
 * Every function that can fail returns a ps_status and, where a ps_error is given, leaves the reasons there,
 * innermost first. An `out` pointer comes first and is the caller's to free; a direct return is borrowed. */
#ifndef PATSCAN_PATSCAN_H
#define PATSCAN_PATSCAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PS_PUBLIC          __attribute__((visibility("default")))
#define PS_FORMAT(fmt, va) __attribute__((format(printf, fmt, va)))
#else
#define PS_PUBLIC
#define PS_FORMAT(fmt, va)
#endif

typedef enum ps_status {
        PS_OK = 0,
        PS_E_USAGE = -1,    /* the caller asked for something that cannot be */
        PS_E_INPUT = -2,    /* the input cannot be read or is corrupt */
        PS_E_NOMEM = -3,    /* no memory for it */
        PS_E_OUTPUT = -4,   /* a result cannot be written */
        PS_E_INTERNAL = -5, /* a defect of patscan itself */
        PS_E_CANCELLED = -6 /* the progress callback asked to stop */
} ps_status;

enum { PS_ERROR_CAUSES = 6, PS_ERROR_TEXT = 192 };

/* Lives on the caller's stack; initialise with {0}. When more layers fail than there is room for, the
 * outermost cause replaces the last row, so that the innermost reasons are never lost. */
typedef struct ps_error {
        ps_status status;
        int n_causes;
        struct {
                const char *file; /* the place in patscan's source, for bug reports */
                int line;
                char text[PS_ERROR_TEXT];
        } cause[PS_ERROR_CAUSES]; /* innermost first */
} ps_error;

/* How times that contradict causality are treated. */
typedef enum ps_clock_mode {
        PS_CLOCK_AUTO,  /* repair only what is impossible as it stands */
        PS_CLOCK_AS_IS, /* never change a time */
        PS_CLOCK_REPAIR /* always estimate the offsets of the ranks' clocks */
} ps_clock_mode;

/* What the numbers of upc_flag_t mean in a trace that has nothing better: each of UPC's compilers has its
 * own. */
typedef enum ps_upc_flags {
        PS_UPC_FLAGS_UNKNOWN, /* numbers tell nothing */
        PS_UPC_FLAGS_NEW,     /* IN: ALL 1, MY 2, NO 4; OUT: ALL 8, MY 16, NO 32 */
        PS_UPC_FLAGS_OLD,     /* IN: NO 1, MY 2, ALL 16; OUT: NO 4, MY 8, ALL 32 */
        PS_UPC_FLAGS_MTU      /* as the old ones, but both ALL are 0 */
} ps_upc_flags;

typedef struct ps_load_options {
        unsigned n_threads; /* 0: one for each processor */
        int strict;         /* the first issue of the trace becomes an error */
        ps_clock_mode clock;
        /* Called now and then from the calling thread; a non-zero answer cancels the load. May be NULL. */
        int (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
        void *progress_ctx;
        ps_upc_flags upc_flags;
        const struct ps_piece_options *pieces; /* for patscan's own predictions; NULL */
        const struct ps_focus_wish *focus;     /* the part of the run that is told of; NULL: the whole run */
        int call_stacks;                       /* for patscan's own page; 0 */
} ps_load_options;

typedef struct ps_trace ps_trace;

/* What a loaded trace amounts to; times are picoseconds since the first event. */
typedef struct ps_summary {
        const char *format, *creator;
        uint64_t n_processes, n_locations, n_events, n_operations, n_messages, n_collectives, n_issues;
        int64_t duration_ps;
} ps_summary;

PS_PUBLIC const char *ps_version(void);

/* Reads, matches and freezes the trace at `path` (a file, or a folder that holds one archive). */
PS_PUBLIC ps_status ps_trace_load(ps_trace **out, const char *path, const ps_load_options *options,
                                  ps_error *err);
PS_PUBLIC void ps_trace_close(ps_trace *trace);
PS_PUBLIC void ps_trace_summary(const ps_trace *trace, ps_summary *out);

#ifdef __cplusplus
}
#endif

#endif
