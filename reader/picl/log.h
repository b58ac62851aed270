/* log.h - the records of a PICL trace, sorted by where they happened.
 *
 * A PICL trace is one file for all processes, so that it is read once, front to back, into one compact row a
 * record and one row of records a place. What a record means to the rest of patscan is decided when its place
 * is streamed (events.c). */
#ifndef PS_READER_PICL_LOG_H
#define PS_READER_PICL_LOG_H

#include "core/base/map.h"
#include "core/model/format.h"
#include "reader/picl/record.h"

typedef struct ps_picl_region {
        int64_t number; /* of the event; of a block of an old trace PS_PICL_BLOCK and more */
        ps_str name;    /* given by a label; 0: none */
        ps_str file;    /* given by a message; 0: none */
        uint32_t source_line;
        uint8_t row;
} ps_picl_region;

#define PS_PICL_BLOCK (INT64_C(1) << 40)

/* A named set of processes or of nodes. */
typedef struct ps_picl_subset {
        int32_t id;
        uint32_t first, n; /* in log.members */
} ps_picl_subset;

typedef enum ps_picl_form { PS_PICL_NOT, PS_PICL_NEW, PS_PICL_COMPACT, PS_PICL_VERBOSE } ps_picl_form;

/* Memory for blocks of records, freed together. */
typedef struct ps_picl_slab {
        struct ps_picl_slab *older;
        size_t used, size; /* with this head */
} ps_picl_slab;

typedef struct ps_picl_deal ps_picl_deal;

typedef struct ps_picl_log {
        ps_picl_deal *deal; /* records of other processes go there; NULL: there are none */
        ps_defs *defs;      /* for its strings, and the codes */
        ps_issues *issues;
        ps_str file;
        ps_picl_form form;
        ps_picl_slab *slab; /* the newest */
        ps_picl_place *place;
        uint32_t n_places, cap_places;
        ps_map place_of;                /* (node, pid) -> place */
        uint32_t near_of[PS_PICL_NEAR]; /* the same for the first nodes' first processes; place + 1 */
        ps_picl_region *region;
        uint32_t n_regions, cap_regions;
        ps_map region_of; /* the number's halves -> region */
        uint32_t region_of_row[PS_PICL_E_COUNT];
        ps_picl_subset *subset;
        uint32_t n_subsets, cap_subsets;
        ps_map subset_of; /* (id, 0) -> subset */
        int32_t *member;  /* nodes */
        uint32_t n_members, cap_members;
        uint16_t code_of[3][PS_PICL_E_ROWS], code_of_key[PS_PICL_KEY_COUNT]; /* index + 1 */
        const uint8_t *layout_of[3][PS_PICL_E_ROWS]; /* what the data of an event are: see new.c */
        uint16_t first_derived;                      /* codes of what is made of records: + ps_event_kind */
        ps_time end;                                 /* the last of all times */
        unsigned decimals;                           /* of the most exact time */
        uint64_t n_records;
        /* What tells a trace whose receives begin with the arrival: see events.c. */
        uint8_t has_any_pid, has_idle, has_short_recv, has_long_recv;
} ps_picl_log;

ps_status ps_picl_log_init(ps_picl_log *log, const char *path, ps_defs *defs, ps_issues *issues,
                           ps_error *err);
void ps_picl_log_free(ps_picl_log *log);

void ps_picl_note(const ps_picl_log *log, ps_issue_kind kind, uint64_t line);

/* The place of (node, pid), which may be new; valid until the next one is. A pid of -1 is 0. */
ps_status ps_picl_place_far(ps_picl_place **out, ps_picl_log *log, int32_t node, int32_t pid, ps_error *err);

static inline ps_status ps_picl_place_at(ps_picl_place **out, ps_picl_log *log, int32_t node, int32_t pid,
                                         ps_error *err)
{
        if (pid > 0 || node < 0 || node >= PS_PICL_NEAR || !log->near_of[node])
                return ps_picl_place_far(out, log, node, pid, err);
        *out = &log->place[log->near_of[node] - 1];
        return PS_OK;
}

/* The region of an event's number, which may be new; PS_NONE when memory is out. */
uint32_t ps_picl_region_new(ps_picl_log *log, int64_t number, unsigned row, ps_error *err);

static inline uint32_t ps_picl_region_at(ps_picl_log *log, int64_t number, unsigned row, ps_error *err)
{
        if (row < PS_PICL_E_COUNT && log->region_of_row[row] != PS_NONE)
                return log->region_of_row[row];
        return ps_picl_region_new(log, number, row, err);
}

/* The code of such records; those of old traces have one a key. UINT16_MAX when memory is out. */
uint16_t ps_picl_code_new(ps_picl_log *log, ps_picl_type type, unsigned row, ps_error *err);
uint16_t ps_picl_code_of_key(ps_picl_log *log, unsigned key, ps_error *err);

static inline uint16_t ps_picl_code_at(ps_picl_log *log, ps_picl_type type, unsigned row, ps_error *err)
{
        unsigned known = log->code_of[type][row];
        return known ? (uint16_t)(known - 1) : ps_picl_code_new(log, type, row, err);
}

/* Gives the place another block; the records of a place that another process has leave theirs. */
ps_status ps_picl_place_grow(ps_picl_log *log, ps_picl_place *place, ps_error *err);

/* Appends a copy; a time before the last one of the place, or out of range, is moved and noted. */
static inline ps_status ps_picl_add(ps_picl_log *log, ps_picl_place *place, const ps_picl_rec *rec,
                                    ps_error *err)
{
        if (place->next == place->end && ps_picl_place_grow(log, place, err) != PS_OK)
                return PS_E_NOMEM;
        ps_picl_rec *out = place->next++;
        place->n++;
        *out = *rec;
        if (out->time < place->last) {
                ps_picl_note(log, PS_I_TIME_BACKWARD, out->line);
                out->time = place->last;
        }
        place->last = out->time;
        log->end = out->time > log->end ? out->time : log->end;
        return PS_OK;
}

ps_time ps_picl_clock_far(const ps_picl_log *log, ps_time stamp, uint64_t line);

/* A stamp in range; one that is not is moved and noted. */
static inline ps_time ps_picl_clock(const ps_picl_log *log, ps_time stamp, uint64_t line)
{
        bool is_fine = stamp <= PS_READER_TIME_LIMIT && stamp >= -PS_READER_TIME_LIMIT;
        return is_fine ? stamp : ps_picl_clock_far(log, stamp, line);
}

/* A subset: its members one by one, then its end. A second definition of an id is noted if it differs. */
ps_status ps_picl_member_add(ps_picl_log *log, int32_t node, ps_error *err);
ps_status ps_picl_subset_end(ps_picl_log *log, int32_t id, uint32_t first_member, uint64_t line,
                             ps_error *err);

/* The dialect of the thesis on BMF: receives begin when their message arrives, and sends when the network
 * begins to take it over, whoever is there to receive it (Martinaitis, 3.2.3). */
static inline bool ps_picl_is_arrival(const ps_picl_log *log)
{
        return log->has_any_pid && log->has_idle && log->has_short_recv && !log->has_long_recv;
}

#endif
