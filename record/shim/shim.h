/* shim.h - the library that is loaded before a program: what the wrappers of whatever it calls have in
 * common.
 *
 * It is compiled once for each MPI, and for OpenSHMEM, and for programs with OpenMP alone. A wrapper begins a
 * row, notes what is known before the call, calls the library, notes what is known then, and ends the row.
 * Only the outermost call of a thread is recorded: what an MPI calls of itself - a Fortran function the C one
 * - is none of the program's. */
#ifndef PS_RECORD_SHIM_H
#define PS_RECORD_SHIM_H

#include "record/raw/raw.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef struct ps_site_slot {
        const void *caller; /* NULL: free */
        uint32_t function, outer, id;
} ps_site_slot;

/* Where a thread is: an address in a function, and the registers that say where its frame is. */
typedef struct ps_shim_frame {
        uintptr_t pc, stack, frame;
} ps_shim_frame;

/* A part of the program that it has named, and is in. */
typedef struct ps_region {
        uint64_t name; /* its hash */
        uint32_t site;
} ps_region;

enum { PS_REGIONS_MOST = 64 };

/* A file that grows, of which the last part is mapped. */
typedef struct ps_shim_map {
        uint8_t *base;         /* NULL: nothing is */
        uint64_t offset, size; /* of that part in the file, of the file */
} ps_shim_map;

typedef struct ps_thread {
        uint8_t *at, *end; /* where the next byte goes, and how far it may */
        ps_raw_row *row;   /* the open one */
        uint64_t begun;    /* when its call began */
        uint8_t *awaits;   /* its note of what it waits for, the last one before the call; or NULL */
        uint32_t depth;    /* of wrappers */
        uint32_t n_slots, n_sites;
        ps_site_slot *sites;
        uint32_t epoch;        /* of the files with code that the sites and rules are of */
        struct ps_rule *rules; /* of unwind.c; NULL: none */
        uintptr_t stack_end;
        /* What stands in for arguments. */
        void *requests, *statuses;
        size_t requests_cap, statuses_cap;
        /* The file. */
        ps_shim_map map;
        ps_raw_head *head;
        const void *body; /* of the site that is looked for: see ps_shim_place */
        uint64_t marks;   /* of the regions that are open: was their mark recorded, a bit each, the innermost
                             lowest */
        ps_region regions[PS_REGIONS_MOST];
        uint32_t n_regions; /* further ones are not recorded */
        timer_t timer;
        bool has_timer;
        bool is_open, is_closed, is_dropped; /* dropped: the row at work is outside of --from and --for */
} ps_thread;

/* -- recorder.c: rows -- */

uint64_t ps_shim_now(void);
/* Opens a row for the call; NULL: nothing is to be recorded of it. What the recorder does itself counts as
 * time of the call: a program that takes the time around a call is told the same. */
ps_thread *ps_shim_begin(uint32_t function, const void *caller);
void ps_shim_enter(ps_thread *t);
void ps_shim_note(ps_thread *t, ps_raw_note note, const uint64_t *fields);
/* Closes the row, behind the notes of what the call gave. */
void ps_shim_end(ps_thread *t);
/* Ends a call for which there was no row. */
void ps_shim_skip(void);
bool ps_shim_is_nested(void); /* in another call of this thread */
/* Marks are rows of no length, of what has calls inside: they begin a region, end it, or neither. The end of
 * one is recorded if its beginning was. NULL: not to be recorded. */
typedef enum ps_shim_mark { PS_MARK_BEGINS, PS_MARK_ENDS, PS_MARK_WITHIN } ps_shim_mark;
ps_thread *ps_shim_mark_begin(ps_shim_mark mark, uint32_t site, uint64_t now);
void ps_shim_mark_end(ps_thread *t, uint64_t now);
/* The site of a mark of this thread, good for all threads. `body`: a function whose line is the site's; or
 * NULL. */
uint32_t ps_shim_place(uint32_t function, const void *caller, const void *body);
#define PS_SHIM_NOWHERE UINT32_MAX /* nothing is recorded */
/* There are several threads from now on. */
void ps_shim_threads(void);
#define PS_SHIM_NOTE(t, note, ...) ps_shim_note((t), PS_RAW_##note, (const uint64_t[]){__VA_ARGS__})

/* Life: a process that is wanted learns who it is among all, opens its files, defines what it has from the
 * start, and starts; the call that began it all, which has taken from `enter` until now, is the first that is
 * recorded. */
typedef struct ps_shim_world {
        const char *run; /* the same in all processes */
        int rank, size, level;
        bool has_threads, is_alone; /* alone: nobody else may have begun this one's files */
} ps_shim_world;

/* The first definitions of this process. */
void ps_shim_process_define(const ps_shim_world *world, bool is_tsc);
bool ps_shim_is_there(void); /* now or earlier */
bool ps_shim_is_wanted(void);
/* For the one that tells all others. */
void ps_shim_name_run(char *out, size_t size);
bool ps_shim_open(const ps_shim_world *world);
void ps_shim_start(void);
void ps_shim_first(uint32_t function, const void *caller, uint64_t enter);
void ps_shim_finish(void);

/* No more rows are begun. */
void ps_shim_stop(void);
/* Around what all threads share. */
void ps_shim_lock(void);
void ps_shim_unlock(void);
/* `rows` is the address of a pointer to rows of `size` bytes: makes room for `n` of them. 0; -1: no memory.
 */
int ps_shim_room(void *rows, size_t *cap, size_t n, size_t size);

/* -- file.c: where rows and definitions go -- */

/* Maps the file from `keep` on, with room for `step` more bytes behind its end; a map of nothing makes it.
 * `has_archive`: something as long will be made of it. After a failure the map is as it was. */
ps_raw_end ps_shim_map_more(ps_shim_map *map, const char *path, uint64_t keep, uint64_t step,
                            bool has_archive);
/* Where in the file `at` is. */
uint64_t ps_shim_map_place(const ps_shim_map *map, const void *at);
void ps_shim_unmap(ps_shim_map *map);
/* The same, and the file ends at `end`. */
void ps_shim_map_close(ps_shim_map *map, const char *path, const void *end, bool has_archive);

typedef struct ps_shim_files {
        char folder[3072];
        int rank;
        uint64_t step, most, used; /* files grow by so much, up to that together; 0: as they can */
} ps_shim_files;
ps_raw_end ps_shim_files_open(ps_thread *t, const ps_shim_files *files, uint32_t thread);
/* Room for `bytes` more; 0: there is none, and the reason stands in the file's head. */
bool ps_shim_files_grow(ps_thread *t, ps_shim_files *files, size_t bytes, uint64_t now);
void ps_shim_files_close(ps_thread *t, const ps_shim_files *files);

/* -- definitions.c -- */
/* `is_alone`: nobody else may have written them. */
bool ps_shim_definitions_open(const ps_shim_files *files, bool is_alone);
/* A line of the process's definitions. */
void ps_shim_define(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Why rows are missing that have no head to tell it. */
void ps_shim_cut(ps_raw_end why);
void ps_shim_definitions_close(void);
void ps_shim_definitions_forget(void); /* in a child */

/* -- sites.c -- */
/* The number of a call, of a function of MPI or (PS_SHIM_FRAME) of another one, that returns to `caller`,
 * below the site `outer`, or PS_SHIM_NOWHERE. */
uint32_t ps_shim_site_in(ps_thread *t, uint32_t function, const void *caller, uint32_t outer);
/* The same, below those that the thread is in. */
uint32_t ps_shim_site(ps_thread *t, uint32_t function, const void *caller);
/* Functions are numbered by who wraps them. */
extern const char *const ps_shim_functions[]; /* of MPI, if that is there */
extern const char *const ps_openmp_functions[];
enum {
        PS_SHIM_FRAME = 1 << 18,  /* one that is on the way to others */
        PS_SHIM_NAMED = 1 << 19,  /* a region of the program */
        PS_SHIM_OPENMP = 1 << 16, /* the first one of OpenMP */
        PS_SHIM_JUMP = 1 << 17    /* added: `caller` is the function at whose end is a jump to it */
};

/* -- next.c -- */
typedef void ps_shim_function(void);
/* The function that ours stands before; the program ends if there is none. */
ps_shim_function *ps_shim_next(const char *name);
void ps_shim_sites_unwind(uint32_t most); /* that many functions around each call */

/* Which files with code are loaded where, as far as nobody was told. */
void ps_shim_modules_list(void);
/* The thread is about to use what it knows of addresses. */
void ps_shim_sites_check(ps_thread *t);

/* -- regions.c: what the program names -- */
/* This thread, if it is in no call and recorded; or NULL. */
ps_thread *ps_shim_idle(void);
/* The site of a region of that name, of which `name` is the hash, that is begun there. */
uint32_t ps_shim_named_site(ps_thread *t, const char *text, uint64_t name, const void *caller);
/* The program wants no rows, or wants them again. */
void ps_shim_pause(bool is_paused, uint32_t function, const void *caller);

/* -- sample.c -- */
void ps_shim_sample_start(uint64_t per_second);
bool ps_shim_is_sampling(void);
void ps_shim_sample_open(ps_thread *t); /* of the thread that calls it */
void ps_shim_sample_close(ps_thread *t);
/* recorder.c: this thread was there when a signal came. */
void ps_shim_sample(ps_shim_frame at);

/* -- unwind.c: the stack of a thread -- */
bool ps_shim_unwind_open(ps_thread *t);
void ps_shim_unwind_close(ps_thread *t);
void ps_shim_unwind_forget(ps_thread *t); /* which files are loaded has changed */
/* To where the call that returns to `caller` was made; 0: unknown. */
bool ps_shim_unwind_to(ps_thread *t, const void *caller, ps_shim_frame *out);
/* To the caller; 0: there is none. `is_exact`: the frame's address is not that which a call returns to. */
bool ps_shim_unwind_step(ps_thread *t, ps_shim_frame *frame, bool is_exact);

/* -- clock.c -- */
uint64_t ps_shim_monotonic(void);
bool ps_shim_clock_is_tsc(void);
/* A pair of ticks and nanoseconds, one that is as good as can be. */
void ps_shim_clock_read(uint64_t *ticks, uint64_t *ns);
/* Defines such a pair, and says when the next one is due. */
uint64_t ps_shim_clock_pair(void);
/* Names the clock, the same in all processes that share it. */
uint64_t ps_shim_clock_name(void);

#endif
