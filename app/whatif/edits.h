/* edits.h - the words that say what is different in a prediction: `region:solve*0.5`, `L*2`, `balance`. */
#ifndef PS_APP_WHATIF_EDITS_H
#define PS_APP_WHATIF_EDITS_H

#include "core/base/arena.h"
#include "core/base/types.h"
#include "core/model/kinds.h"

enum { PS_EDITS_MAX = 33 }; /* more are refused */

typedef struct ps_edit_region {
        const char *name;
        double factor;
        int balanced;
        const char *text; /* the edit, for messages */
} ps_edit_region;

typedef struct ps_edit_ranks {
        ps_proc first, last;
        double factor;
        const char *text;
} ps_edit_ranks;

typedef struct ps_edit_collective {
        ps_kind kind;
        uint8_t shape[2]; /* the way in, the way out */
} ps_edit_collective;

/* Factors are of times, and those of repeated edits are multiplied. */
typedef struct ps_edits {
        const char *const *text; /* as they were given */
        unsigned n_text;
        ps_edit_region regions[PS_EDITS_MAX];
        ps_edit_ranks *ranks; /* of the arena */
        ps_edit_collective collectives[PS_EDITS_MAX];
        struct {
                const char *id, *text;
        } removed[PS_EDITS_MAX];
        unsigned n_regions, n_ranks, n_collectives, n_removed;
        double latency, per_byte;
        int balanced, overlap, ideal, has_eager;
        uint64_t eager_bytes;
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

#endif
