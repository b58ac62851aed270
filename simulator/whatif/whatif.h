/* whatif.h - a recorded run if something were different: edits in words, made fit for one trace and replayed;
 * how much shorter it is if nobody waits here or there; what its length depends on. docs/WHATIF.md tells the
 * model.
 *
 * It does not know what findings and intervals are: its callers hand over operations, marks by region, and
 * trees of intervals. */
#ifndef PS_SIMULATOR_WHATIF_WHATIF_H
#define PS_SIMULATOR_WHATIF_WHATIF_H

#include "core/base/arena.h"
#include "core/model/pieces.h"
#include "core/sums/intervals.h"
#include "core/views/retime.h"
#include "simulator/redo/redo.h"
#include "simulator/replay/replay.h"
#include "simulator/whatif/outcome.h"

/* -- edits: the words that say what is different: `region:solve*0.5`, `L*2`, `balance` -- */

enum { PS_EDITS_MAX = 33 }; /* more are refused */

typedef struct ps_edit_ranks {
        ps_proc first, last;
        double factor;
        const char *text; /* the edit, for messages */
} ps_edit_ranks;

/* Of what is computed somewhere. A name may hold an @ itself: what is behind the last one counts as ranks
 * unless the trace knows the whole. */
typedef struct ps_edit_work {
        const char *name, *bare; /* as it stands there; without "@RANKS" */
        const ps_edit_ranks *ranks;
        unsigned n_ranks; /* 0: all */
        double factor;
        ps_work_change change;
        const char *text;
} ps_edit_work;

typedef struct ps_edit_collective {
        ps_kind kind;
        uint8_t shape[2]; /* the way in, the way out */
} ps_edit_collective;

/* Factors are of times, and those of repeated edits are multiplied. */
typedef struct ps_edits {
        const char *const *text; /* as they were given */
        unsigned n_text;
        ps_edit_work works[PS_EDITS_MAX];
        ps_edit_ranks *ranks; /* of the arena */
        ps_edit_collective collectives[PS_EDITS_MAX];
        struct {
                const char *id, *text;
        } removed[PS_EDITS_MAX];
        unsigned n_works, n_ranks, n_collectives, n_removed;
        ps_edit_ranks *starts; /* who begins with the others; of the arena, without factors; NULL: none */
        unsigned n_starts;
        double latency, per_byte;
        int balanced, overlap, ideal, has_eager, all_start;
        uint64_t eager_bytes;
        /* Patterns, findings or causes whose receives are made in the order of sending. */
        struct {
                const char *id, *text;
        } reordered[PS_EDITS_MAX];
        unsigned n_reordered;
        const char *map; /* file, or NULL */
        ps_arena *arena;
} ps_edits;

/* To be cleared, also after a failure. */
ps_status ps_edits_parse(ps_edits *out, const char *const *texts, unsigned n, ps_error *err);
void ps_edits_clear(ps_edits *edits);

/* The table. */
typedef struct ps_edit_row {
        const char *name, *form, *help;
} ps_edit_row;
extern const ps_edit_row ps_edit_rows[];
extern const unsigned ps_n_edit_rows;

/* -- what is removed: operations that do not wait for their partners -- */

/* Some operations of one location; none: a replay cannot tell what it would be without them. */
typedef struct ps_removal {
        ps_loc loc;
        ps_op *op;
        uint32_t n, cap;
} ps_removal;

/* Operations as ps_scenario.unwaited wants them. */
typedef struct ps_unwaited {
        uint64_t **rows; /* by location; NULL: none */
        uint32_t n_locs;
} ps_unwaited;

/* With the operations of `base`, which may be NULL. To be cleared, also after a failure. */
ps_status ps_unwaited_new(ps_unwaited *out, const ps_trace *trace, const ps_unwaited *base, ps_error *err);
ps_status ps_unwaited_add(ps_unwaited *set, const ps_trace *trace, const ps_removal *removal, ps_error *err);
void ps_unwaited_clear(ps_unwaited *set);

/* -- edits made fit for one trace: names become regions, ranks become factors, a scenario comes out -- */

typedef struct ps_what_if {
        const ps_trace *trace;
        ps_scenario scenario; /* points into what follows */
        double *cpu;          /* by process */
        uint8_t *starts;      /* by process: ps_scenario.starts */
        ps_work_edit *works;
        const ps_reordered *reordered; /* the caller's; NULL: receives stay where they are */
        ps_arena *arena;               /* of what they point to */
} ps_what_if;

/* The machine, which may be NULL (as recorded), gets the mapping and the shapes of the edits. `is_interval`:
 * by region, those that `balance` alone is about; NULL: none. The caller says what is to be removed.
 */
ps_status ps_what_if_make(ps_what_if *out, const ps_edits *edits, const ps_trace *trace, ps_machine *machine,
                          const uint8_t *is_interval, ps_error *err);
void ps_what_if_clear(ps_what_if *what_if);

/* What is computed in the region and below it: PS_WORK_* by path, to be freed. */
ps_status ps_what_if_region(uint8_t **paths, const ps_trace *trace, ps_region region, ps_error *err);

/* -- the replays that reports of one trace rest on, each as a timing with its call tree -- */

typedef enum ps_replays_row {
        PS_REPLAYED_RECORDED, /* without any edit: the measurement, if the replay is right */
        PS_REPLAYED_EDITED,
        PS_REPLAYED_IDEAL, /* edited, and messages cost nothing */
        PS_N_REPLAYED
} ps_replays_row;

typedef struct ps_replays {
        const ps_trace *trace;    /* of what is edited: receives, or tasks, may have changed places */
        const ps_trace *recorded; /* of PS_REPLAYED_RECORDED */
        ps_replay *replay;
        ps_scenario scenario; /* the edited one, or that of the recording */
        ps_replayed run[PS_N_REPLAYED];
        ps_retimed tree[PS_N_REPLAYED]; /* what the timings' `info` points to */
        const ps_what_if *what_if;      /* NULL: nothing is edited */
        const ps_master *redo;          /* what is tried deals its tasks out anew; NULL: the order stays */
        ps_path_times times;            /* of it */
} ps_replays;

/* A run that is stuck is no failure, but has no timing. To be cleared, also after a failure. */
ps_status ps_replays_make(ps_replays *out, const ps_trace *trace, const ps_what_if *what_if,
                          unsigned n_threads, ps_error *err);
/* Of a measured run, which needs no replay: only IDEAL; without `wants_timing` only how long it takes. */
ps_status ps_replays_make_ideal(ps_replays *out, const ps_trace *trace, bool wants_timing, unsigned n_threads,
                                ps_error *err);
/* How long the edited run is at least and at most, if the recording cannot tell what of a transfer is
 * latency. */
ps_status ps_replays_range(ps_time *least, ps_time *most, const ps_replays *replays, ps_error *err);
void ps_replays_clear_runs(ps_replays *replays); /* what is left serves other scenarios */
void ps_replays_clear(ps_replays *replays);

/* -- what the replays tell -- */

/* All but the limit, which the caller sets first. The intervals are those of the measured run and of
 * RECORDED, in trees of the same rows. */
void ps_drift_find(ps_drift *drift, const ps_replays *replays, const ps_intervals *measured,
                   const ps_intervals *replayed);

/* How much shorter the run would be if removals [first, first + n) were gone. What two wishes gain together
 * is neither their sum nor at most their sum. */
typedef struct ps_wish {
        uint32_t first, n;
        uint8_t is_known; /* set: there is something to remove, and the run ends without it */
        ps_time gain;     /* set */
} ps_wish;

typedef struct ps_gains_options {
        const ps_unwaited *removed; /* what the edited run leaves out already, or NULL */
        ps_time length;             /* of the focus, which becomes shorter */
        unsigned n_threads;
} ps_gains_options;

ps_status ps_gains_find(ps_wish *wishes, uint32_t n, const ps_removal *removals, const ps_replays *replays,
                        const ps_gains_options *options, ps_error *err);

/* -- words that are tried, each by itself, on top of what is edited -- */

typedef struct ps_try {
        const char *edit; /* of what is computed, or of the network: region:, rank:, balance:, overlap, ... */
        const ps_reordered *reordered; /* what the word reorders, or NULL */
        uint8_t is_known;              /* set: the run ends */
        ps_time length;                /* set: as ps_replayed.focus */
} ps_try;

ps_status ps_tries_run(ps_try *tries, uint32_t n, const ps_replays *replays, unsigned n_threads,
                       ps_error *err);

/* The name by which edits mean what is computed in the path itself, and in all that end like it from `top` on
 * (0: none but it); NULL: it would be too long, or has a function without a name. To be freed. */
ps_status ps_path_edit_name(char **out, const ps_trace *trace, ps_path path, ps_path top, ps_error *err);

/* The line at which a call stands, or a construct, which is defined with its own; line 0: the trace does not
 * tell. */
typedef struct ps_call_line {
        ps_str file;
        uint32_t line;
} ps_call_line;

static inline ps_call_line ps_call_line_of(const ps_trace *trace, ps_path path)
{
        const ps_path_node *call = &trace->paths[path], *caller = &trace->paths[call->parent];
        if (call->site_line && call->site_file)
                return (ps_call_line){call->site_file, call->site_line};
        const ps_region_def *region = ps_path_region(trace, path);
        if (region && region->paradigm == PS_PARADIGM_OPENMP && region->file && region->line)
                return (ps_call_line){region->file, region->line};
        return (ps_call_line){caller->frame_file, caller->frame_file ? caller->frame_line : 0};
}

/* What is computed between calls, where functions are not entered but known from the calls in them: as it was
 * measured, in what is the focus of the timing. Needs pieces. */
typedef struct ps_stretches ps_stretches;
ps_status ps_stretches_new(ps_stretches **out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_stretches_free(ps_stretches *stretches);

/* Where in a function locations are late. */
typedef struct ps_stretch {
        char *name;            /* by which edits mean it; NULL: there is none; to be freed */
        ps_call_line from, to; /* mostly between these calls */
        uint32_t n_there;      /* locations */
        ps_time own,
                others;  /* how long the first location is there, and the others on average (0: no other) */
        uint64_t visits; /* of the first location */
} ps_stretch;

/* Who is late in a function, and how long in all, compared with those who wait meanwhile. */
typedef struct ps_stretch_late {
        const ps_loc *loc;
        uint32_t n;
        ps_time excess;
        bool hold; /* a lock: what they do then is what counts */
} ps_stretch_late;

/* Where they are longer than others, visit for visit; if that explains less than half of the excess, where
 * they are longest: one after the other takes as long. */
ps_status ps_stretches_find(ps_stretch *out, const ps_stretches *stretches, ps_path path,
                            const ps_stretch_late *of, ps_error *err);

/* Names are the trace's. To be cleared, also after a failure. */
ps_status ps_sensitivity_find(ps_sensitivity *out, const ps_replays *replays, unsigned n_threads,
                              ps_error *err);
void ps_sensitivity_clear(ps_sensitivity *sensitivity);

#endif
