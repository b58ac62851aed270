/* records.h - OTF2's event records: what each type holds, and how its fields become a ps_event. */
#ifndef PS_READER_OTF2_RECORDS_H
#define PS_READER_OTF2_RECORDS_H

#include "reader/otf2/stream.h"

/* One type of record; the row's place is the type minus PS_OTF2_FIRST_TYPE and its index in ps_defs.codes. */
typedef struct ps_otf2_record {
        const char *name; /* as the format's tools print it */
        uint8_t kind;     /* ps_event_kind */
        const char *fields;
} ps_otf2_record;

extern const ps_otf2_record ps_otf2_records[];
extern const unsigned ps_otf2_n_records;

typedef struct ps_otf2_decoder {
        ps_stream *s;
        ps_issues *issues;
        uint64_t offset; /* of the record */
} ps_otf2_decoder;

void ps_otf2_note(const ps_otf2_decoder *d, ps_issue_kind kind);

/* patscan's index of a local id, which the cache knows from then on; PS_NONE: it is not defined, and the
 * cache does not know it. */
uint32_t ps_otf2_cache_id(ps_stream *s, int mapping, uint32_t id);
/* Until then the cache knows nothing. */
void ps_otf2_cache_begin(ps_stream *s);
void ps_otf2_cache_end(ps_stream *s);

/* The same as ps_otf2_lookup, for an id that is not in the cache or not defined. */
uint32_t ps_otf2_lookup_anew(const ps_otf2_decoder *d, int mapping, uint32_t id);

/* patscan's index of a local id. */
static inline uint32_t ps_otf2_lookup(const ps_otf2_decoder *d, int mapping, uint32_t id)
{
        const ps_otf2_cached *slot = &d->s->cache[mapping][id % PS_OTF2_CACHE_ROWS];
        return slot->id == id ? slot->value : ps_otf2_lookup_anew(d, mapping, id);
}

/* The time of an event: global, in picoseconds, not before the one before it. */
static inline ps_time ps_otf2_time_of(const ps_otf2_decoder *d, uint64_t ticks)
{
        ps_stream *s = d->s;
        int clamped = 0;
        if (s->local.n_intervals)
                ticks = ps_otf2_local_time(&s->local, ticks);
        ps_time time = ps_otf2_scale_apply(&s->scale, ticks, &clamped);
        if (clamped)
                ps_otf2_note(d, PS_I_TIME_RANGE);
        if (time < s->last) {
                ps_otf2_note(d, PS_I_TIME_BACKWARD);
                time = s->last;
        }
        s->last = time;
        return time;
}

/* Appends an event of the record type `code` with the current time, and what attributes told of its place. */
ps_event *ps_otf2_add_event(const ps_otf2_decoder *d, ps_batch *batch, unsigned code, uint8_t kind);

/* Appends the event of a record of type `code`. 0 when the record does not hold what its type says: then no
 * event is added. */
bool ps_otf2_decode_record(const ps_otf2_decoder *d, ps_otf2_bytes *b, unsigned code, ps_batch *batch);

/* The bytes of an attribute's value by its type: -1 compressed, otherwise how many. */
int ps_otf2_attribute_width(uint8_t type);

/* Keeps what an attribute list says about the next event. `whole`: `b` holds all of it. */
bool ps_otf2_take_attributes(const ps_otf2_decoder *d, ps_otf2_bytes *b, bool whole);
/* One of them tells so much of a call: an id, a root, or the modes that a text names. */
void ps_otf2_note_hint(ps_otf2_hints *hints, uint8_t attribute, uint64_t value);

/* What a record gives as the root of a collective operation, as ps_event.peer has it. */
uint32_t ps_otf2_root(uint32_t root);

/* The ps_kind of an OTF2_CollectiveOp: on a communicator, or on a window. */
uint8_t ps_otf2_collective_kind(uint8_t op, int on_window);
/* Of a record on a window, whose `op` the event has as it stands: on the windows of MPI a barrier is a fence;
 * threads of PGAS programs have all the collectives of MPI. */
uint8_t ps_otf2_window_collective(const ps_defs *defs, const ps_event *event);

#endif
