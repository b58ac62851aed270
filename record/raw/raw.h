/* raw.h - what a process that is recorded leaves behind: the form that the preloaded library writes and the
 * finish reads.
 *
 * A recording that is not finished lies in the folder PS_RAW_PREFIX<run> of the archive-to-be. Each process
 * has a text of definitions there, RANK.defs, a line each, written when it is first needed (behind the last
 * one are zeros, if the process was killed), and for each thread RANK.THREAD.rows: a head, and behind
 * PS_RAW_HEAD_BYTES its rows, each followed by its notes. Rows are stored into a mapped file, so that those
 * of a process that was killed are all there: `enter` is stored last of what is known before the call, and
 * `leave` last of all. */
#ifndef PS_RECORD_RAW_H
#define PS_RECORD_RAW_H

#include <stddef.h>
#include <stdint.h>

#define PS_RAW_PREFIX  "recording."
#define PS_RAW_VERSION "patscan-rows-5"
enum { PS_RAW_HEAD_BYTES = 4096, PS_RAW_ALIGN = 8 };

/* Why no more rows come. */
typedef enum ps_raw_end {
        PS_RAW_RUNNING, /* or killed */
        PS_RAW_CLOSED,
        PS_RAW_NO_SPACE,  /* on the disk */
        PS_RAW_MAX_SIZE,  /* --max-size */
        PS_RAW_NO_MEMORY, /* no address space to map the file into */
        PS_RAW_FILE_SIZE, /* the program's files may not be larger */
        PS_RAW_NO_FILE,   /* it cannot be opened, or made larger */
        PS_RAW_ENDS
} ps_raw_end;

typedef struct ps_raw_head {
        char version[16];
        uint32_t rank, thread;
        uint64_t end;      /* ps_raw_end */
        uint64_t ended_at; /* ticks, when `end` is a failure */
} ps_raw_head;

typedef struct ps_raw_row {
        uint64_t enter, leave; /* ticks; leave 0: the call has not ended; enter 0: no more rows */
        uint32_t site;
        uint32_t size; /* of the notes behind it, a multiple of PS_RAW_ALIGN */
} ps_raw_row;

/* The site of a sample, behind which stand addresses of 8 bytes: where it was taken, and those that calls
 * return to, the innermost first. */
#define PS_RAW_SAMPLE UINT32_MAX

typedef enum ps_raw_note {
        PS_RAW_NONE, /* padding */
#define PS_NOTE(id, n_fields) PS_RAW_##id,
#include "record/raw/notes.def"
#undef PS_NOTE
        PS_RAW_NOTES,
        PS_RAW_FIRST_MARK = PS_RAW_REGION_ENTER /* it and those behind it are notes of marks */
} ps_raw_note;

/* Collective operations and atomics, numbered as OTF2 numbers them. */
typedef enum ps_raw_op {
        PS_RAW_OP_BARRIER,
        PS_RAW_OP_BCAST,
        PS_RAW_OP_GATHER,
        PS_RAW_OP_GATHERV,
        PS_RAW_OP_SCATTER,
        PS_RAW_OP_SCATTERV,
        PS_RAW_OP_ALLGATHER,
        PS_RAW_OP_ALLGATHERV,
        PS_RAW_OP_ALLTOALL,
        PS_RAW_OP_ALLTOALLV,
        PS_RAW_OP_ALLTOALLW,
        PS_RAW_OP_ALLREDUCE,
        PS_RAW_OP_REDUCE,
        PS_RAW_OP_REDUCE_SCATTER,
        PS_RAW_OP_SCAN,
        PS_RAW_OP_EXSCAN,
        PS_RAW_OP_REDUCE_SCATTER_BLOCK,
        PS_RAW_OP_CREATE,
        PS_RAW_OP_DESTROY,
        PS_RAW_OP_ALLOCATE,
        PS_RAW_OP_DEALLOCATE,
        PS_RAW_OP_CREATE_AND_ALLOCATE
} ps_raw_op;
enum { PS_RAW_ACCUMULATE, PS_RAW_COMPARE_AND_SWAP = 3, PS_RAW_FETCH_AND_ACCUMULATE = 7 };

enum { PS_RAW_ROOT_NONE, PS_RAW_ROOT_SELF, PS_RAW_ROOT_OTHERS, PS_RAW_ROOT_FIRST };
enum { PS_RAW_FIELDS_MOST = 6 };

/* Of communicators, which are numbered as they are made. */
enum { PS_RAW_COMM_WORLD, PS_RAW_COMM_SELF };

#endif
