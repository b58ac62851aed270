/* table.h - the numbers of PICL traces and what they mean, in both directions: see picl.def. */
#ifndef PS_READER_PICL_TABLE_H
#define PS_READER_PICL_TABLE_H

#include "core/model/kinds.h"

typedef enum ps_picl_record_type {
#define PS_PICL_RECORD(number, id, name) PS_PICL_R_##id = (number),
#include "reader/picl/picl.def"
} ps_picl_record_type;

/* Rows of ps_picl_events. */
typedef enum ps_picl_event_row {
#define PS_PICL_EVENT(number, id, name, kind, act, paradigm) PS_PICL_E_##id,
#include "reader/picl/picl.def"
        PS_PICL_E_COUNT,
        PS_PICL_E_NONE = PS_PICL_E_COUNT
} ps_picl_event_row;

typedef enum ps_picl_old_key {
#define PS_PICL_OLD(key, id, keyword, fields, act, event) PS_PICL_KEY_##id = (key),
#include "reader/picl/picl.def"
        PS_PICL_KEY_COUNT
} ps_picl_old_key;

typedef enum ps_picl_data_type {
#define PS_PICL_DATA(number, id, format) PS_PICL_D_##id = (number),
#include "reader/picl/picl.def"
        PS_PICL_D_COUNT
} ps_picl_data_type;

/* What an event's data hold, at its entry and at its exit. */
typedef enum ps_picl_act {
        PS_PICL_PLAIN,     /* anything: an interval or a mark */
        PS_PICL_SEND,      /* length tag destination [pid] / - */
        PS_PICL_ISEND,     /* length tag destination [pid] / request */
        PS_PICL_SEND_DONE, /* request / - */
        PS_PICL_RECV,      /* tag [source [pid]] (-1 any tag, -2 any source) / length tag source [pid] */
        PS_PICL_IRECV,     /* tag source [pid] / request */
        PS_PICL_RECV_DONE, /* request / length tag source [pid] */
        PS_PICL_TESTED,    /* request / -: not yet complete */
        PS_PICL_CANCELLED, /* request / - */
        PS_PICL_COLL,      /* bytes, root if its kind has one, subset (barrier: only the subset) / bytes */
        PS_PICL_IO,
        PS_PICL_FLUSH,
        PS_PICL_TRACING,
        PS_PICL_SUBSET
} ps_picl_act;

typedef struct ps_picl_event {
        int32_t number;
        const char *name;
        uint8_t kind;     /* ps_kind */
        uint8_t act;      /* ps_picl_act */
        uint8_t paradigm; /* ps_paradigm */
} ps_picl_event;

/* What a record of PICL 1 becomes. */
typedef enum ps_picl_old_act {
        PS_PICL_OLD_MARK, /* counted only */
        PS_PICL_OLD_ENTRY,
        PS_PICL_OLD_EXIT,
        PS_PICL_OLD_SEND,   /* to, type, length; returns at the second compstats behind it */
        PS_PICL_OLD_RECV,   /* from, type, length; the same */
        PS_PICL_OLD_POINT,  /* the same, without data */
        PS_PICL_OLD_WAKING, /* from, type, length: the exit of a blocked receive */
        PS_PICL_OLD_SYNC,   /* a barrier, unless it is part of one */
        PS_PICL_OLD_UNTIL,  /* seconds and microseconds of its end */
        PS_PICL_OLD_COMPSTATS,
        PS_PICL_OLD_BLOCK_BEGIN, /* type, location, parameter */
        PS_PICL_OLD_BLOCK_END
} ps_picl_old_act;

typedef struct ps_picl_old {
        const char *keyword;
        int16_t n_fields; /* -1: any */
        uint8_t act;      /* ps_picl_old_act */
        uint8_t row;      /* ps_picl_event_row */
} ps_picl_old;

extern const ps_picl_event ps_picl_events[PS_PICL_E_COUNT];
extern const ps_picl_old ps_picl_olds[PS_PICL_KEY_COUNT]; /* by key; 0 is none */

/* The row of an event's number; PS_PICL_E_COUNT when it is not in the table. */
unsigned ps_picl_event_of_number(int64_t number);

/* The event to write for an operation of a kind, or NULL: PICL has none. */
const ps_picl_event *ps_picl_event_of_kind(ps_kind kind);

/* The name of a record type, or NULL. */
const char *ps_picl_record_name(int64_t number);

#endif
