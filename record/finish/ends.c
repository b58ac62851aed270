/* ends.c - how processes ended that never left their Finalize: what they were in then, and whom that waits
 * for.
 *
 * An OTF2 archive tells of a message that is received, and of a collective operation, once it is over. What
 * was asked for is in the rows, and goes into a property of the archive. */
#include "core/base/number.h"
#include "record/finish/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message that was asked for. */
typedef struct wish {
        uint64_t source, comm; /* as notes have them */
        bool has_come;
} wish;

typedef struct wishes {
        ps_map by_request; /* to 1 more than the place in `row` */
        PS_VECTOR(wish) row;
} wishes;

typedef enum what { IN_NOTHING, IN_CALL, IN_WAIT, IN_COLLECTIVE, IN_ABORT } what;

/* By rank. */
typedef struct end {
        bool is_known, is_cut_off;
        what in;
        wish asked;
        uint32_t comm;   /* of the collective operation: its number in the archive */
        uint32_t awaits; /* a rank of the world, or PS_NONE */
} end;

/* -- ranks -- */

/* The next one of a text of ranks; PS_NONE: there are no more. */
static uint32_t next_member(const char **members)
{
        int64_t rank;
        if (!ps_number_signed(members, -1, PS_NONE - 1, &rank))
                return PS_NONE;
        *members += **members == ' ';
        return rank < 0 ? PS_NONE : (uint32_t)rank;
}

static uint32_t member_at(const char *members, uint64_t at)
{
        uint32_t rank = next_member(&members);
        while (at-- && rank != PS_NONE)
                rank = next_member(&members);
        return rank;
}

static bool has_member(const char *members, uint32_t wanted)
{
        uint32_t rank = next_member(&members);
        while (rank != PS_NONE && rank != wanted)
                rank = next_member(&members);
        return rank == wanted;
}

/* The rank of the world that a note's source is; that of an intercommunicator is one of the other side. */
static uint32_t rank_of(const ps_raw_run *run, const ps_process *process, const wish *asked)
{
        if (!asked->source || asked->comm >= process->comms.n)
                return PS_NONE;
        const ps_raw_comm *comm = &process->comms.row[asked->comm];
        const ps_raw_run_comm *shared = &run->comms.row[comm->id];
        if (strcmp(comm->how, "self") == 0)
                return process->rank;
        if (strcmp(comm->how, "world") == 0)
                return asked->source <= run->size ? (uint32_t)asked->source - 1 : PS_NONE;
        const char *members = run->groups.row[shared->group].members;
        if (shared->group_b != PS_NONE && has_member(members, process->rank))
                members = run->groups.row[shared->group_b].members;
        return member_at(members, asked->source - 1);
}

/* -- what rows tell -- */

static ps_status add_wish(wishes *w, uint64_t request, wish asked, ps_error *err)
{
        ps_time *place;
        if (request == UINT64_MAX) /* no request of anybody */
                return PS_OK;
        place = ps_map_at(&w->by_request, (uint32_t)(request >> 32), (uint32_t)request, 0);
        if (!place || PS_PUSH(w->row, asked))
                return PS_NOMEM(err, "requests", w->row.n);
        *place = w->row.n;
        return PS_OK;
}

static void note_come(wishes *w, uint64_t request)
{
        ps_time place = ps_map_get(&w->by_request, (uint32_t)(request >> 32), (uint32_t)request, 0);
        if (place)
                w->row.row[place - 1].has_come = 1;
}

/* The call that has not ended. */
static void look_into(end *e, const ps_process *process, const ps_raw_row *row, const uint8_t *notes)
{
        const uint8_t *stop = notes + row->size;
        const char *call = row->site < process->sites.n ? process->sites.row[row->site].function : "";
        uint64_t f[PS_RAW_FIELDS_MOST];
        ps_raw_note note;
        e->in = strcmp(call, "MPI_Abort") == 0      ? IN_ABORT
                : strncmp(call, "MPI_Wait", 8) == 0 ? IN_WAIT
                                                    : IN_CALL;
        while (ps_notes_next(&notes, stop, &note, f))
                if (note == PS_RAW_AWAITS) {
                        e->asked = (wish){f[0], f[1], 0};
                } else if (note == PS_RAW_COLL && f[1] < process->comms.n) {
                        e->in = IN_COLLECTIVE;
                        e->comm = process->comms.row[f[1]].id;
                }
}

/* `takes_dones`: another thread may complete what one has begun, so that rows are gone through twice. */
static ps_status read_thread(end *e, wishes *w, const ps_process *process, const char *path, bool takes_dones,
                             ps_error *err)
{
        ps_rows rows;
        ps_raw_row row;
        const uint8_t *notes;
        ps_status status = ps_rows_open(&rows, path, err);
        while (status == PS_OK && ps_rows_next(&rows, &row, &notes)) {
                if (row.site == PS_RAW_SAMPLE)
                        continue;
                const uint8_t *at = notes, *stop = notes + row.size;
                uint64_t f[PS_RAW_FIELDS_MOST];
                ps_raw_note note;
                if (!row.leave && !takes_dones && e->in == IN_NOTHING)
                        look_into(e, process, &row, notes);
                while (status == PS_OK && ps_notes_next(&at, stop, &note, f))
                        if (note == PS_RAW_IRECV_POST && !takes_dones)
                                status = add_wish(w, f[0], (wish){f[1], f[2], 0}, err);
                        else if (takes_dones && row.leave &&
                                 (note == PS_RAW_IRECV || note == PS_RAW_CANCELLED))
                                note_come(w, f[note == PS_RAW_IRECV ? 4 : 0]);
        }
        ps_rows_close(&rows);
        return status;
}

/* Of a Wait nobody knows which of the open requests it is about: whom all of them name. */
static uint32_t awaited_by(const ps_raw_run *run, const ps_process *process, const end *e, const wishes *w)
{
        uint32_t all = PS_NONE, n = 0;
        if (e->in != IN_WAIT)
                return rank_of(run, process, &e->asked);
        for (uint32_t i = 0; i < w->row.n; i++) {
                if (w->row.row[i].has_come)
                        continue;
                uint32_t rank = rank_of(run, process, &w->row.row[i]);
                if (n++ && rank != all)
                        return PS_NONE;
                all = rank;
        }
        return all;
}

static ps_status read_process(end *ends, const ps_raw_run *run, uint32_t process, ps_error *err)
{
        const ps_process *row = &run->processes.row[process];
        end *e = &ends[row->rank];
        wishes w = {0};
        ps_status status = PS_OK;
        *e = (end){.is_known = 1, .is_cut_off = !row->has_ended, .comm = PS_NONE, .awaits = PS_NONE};
        for (int pass = 0; pass < 2 && e->is_cut_off; pass++)
                for (uint32_t i = 0; i < run->threads.n && status == PS_OK; i++)
                        if (run->threads.row[i].process == process && run->threads.row[i].path)
                                status = read_thread(e, &w, row, run->threads.row[i].path, pass, err);
        if (status == PS_OK && e->is_cut_off)
                e->awaits = awaited_by(run, row, e, &w);
        ps_map_free(&w.by_request);
        free(w.row.row);
        return status;
}

/* -- collective operations -- */

/* The first member that is in no operation of the communicator; PS_NONE: there is none, or one of which
 * nothing is known. */
static uint32_t missing_of(const end *ends, const ps_raw_run *run, uint32_t comm)
{
        const ps_raw_run_comm *row = &run->comms.row[comm];
        const char *members = run->groups.row[row->group].members;
        uint32_t missing = PS_NONE, rank;
        while (row->group_b == PS_NONE && (rank = next_member(&members)) != PS_NONE) {
                if (rank >= run->size || !ends[rank].is_known)
                        return PS_NONE;
                bool is_there = ends[rank].in == IN_COLLECTIVE && ends[rank].comm == comm;
                missing = is_there || missing != PS_NONE ? missing : rank;
        }
        return missing;
}

static void find_missing(end *ends, const ps_raw_run *run)
{
        uint32_t comm = PS_NONE, missing = PS_NONE;
        for (uint32_t rank = 0; rank < run->size; rank++) {
                if (ends[rank].in != IN_COLLECTIVE)
                        continue;
                if (ends[rank].comm != comm) {
                        comm = ends[rank].comm;
                        missing = missing_of(ends, run, comm);
                }
                ends[rank].awaits = missing;
        }
}

static char *text_of(const end *ends, uint32_t n)
{
        enum { ONE = 24 };
        size_t size = (size_t)n * ONE + 1, at = 0;
        char *text = calloc(size, 1);
        for (uint32_t rank = 0; text && rank < n; rank++) {
                if (ends[rank].is_known && !ends[rank].is_cut_off)
                        continue;
                at += (size_t)snprintf(text + at, size - at, at ? " %u" : "%u", rank);
                if (!ends[rank].is_known)
                        at += (size_t)snprintf(text + at, size - at, "?");
                else if (ends[rank].in == IN_ABORT)
                        at += (size_t)snprintf(text + at, size - at, "!");
                else if (ends[rank].awaits != PS_NONE)
                        at += (size_t)snprintf(text + at, size - at, ":%u", ends[rank].awaits);
        }
        return text;
}

ps_status ps_archive_ends(char **out, const ps_raw_run *run, ps_error *err)
{
        end *ends = calloc((size_t)run->size + 1, sizeof(*ends));
        ps_status status = ends ? PS_OK : PS_NOMEM(err, "ranks", run->size);
        *out = NULL;
        for (uint32_t i = 0; i < run->processes.n && status == PS_OK; i++)
                if (run->processes.row[i].rank < run->size)
                        status = read_process(ends, run, i, err);
        if (status == PS_OK) {
                find_missing(ends, run);
                *out = text_of(ends, run->size);
                status = *out ? PS_OK : PS_NOMEM(err, "ranks", run->size);
        }
        free(ends);
        return status;
}
