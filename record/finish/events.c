/* events.c - rows and their notes as events.
 *
 * What a note tells happens as the call begins - it sends, posts, starts - or as it ends. A collective begins
 * with its call and ends with it, behind what else the call did. */
#include "record/finish/writer.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLED_MOST = 256, DISTANCES_MOST = 4096 };
typedef enum when { AT_ENTER, AT_LEAVE, AT_END } when;

typedef ps_event_writer writer;

uint64_t ps_event_time(writer *w, uint64_t ns)
{
        w->last = ns > w->last ? ns : w->last;
        return w->last;
}

static uint64_t time_of(writer *w, uint64_t ticks)
{
        return ps_event_time(w, ps_process_time(w->process, ticks));
}

static uint32_t comm_of(writer *w, uint64_t id)
{
        return id < w->process->comms.n ? w->process->comms.row[id].id : OTF2_UNDEFINED_COMM;
}

static uint32_t window_of(writer *w, uint64_t id)
{
        return id < w->process->windows.n ? w->process->windows.row[id].id : OTF2_UNDEFINED_RMA_WIN;
}

static uint32_t group_of(writer *w, uint64_t id)
{
        /* Behind the one that says which location has which rank. */
        return id < w->process->groups.n ? w->process->groups.row[id].id + 1 : OTF2_UNDEFINED_GROUP;
}

static uint32_t note_root(uint64_t root)
{
        return root == PS_RAW_ROOT_NONE     ? (uint32_t)OTF2_COLLECTIVE_ROOT_NONE
               : root == PS_RAW_ROOT_SELF   ? (uint32_t)OTF2_COLLECTIVE_ROOT_SELF
               : root == PS_RAW_ROOT_OTHERS ? (uint32_t)OTF2_COLLECTIVE_ROOT_THIS_GROUP
                                            : (uint32_t)(root - PS_RAW_ROOT_FIRST);
}

/* Of a window's lock: one rank, or all. */
static uint32_t target_of(uint64_t target)
{
        return target ? (uint32_t)(target - 1) : OTF2_UNDEFINED_UINT32;
}

/* Collectives of PGAS complete what was begun before, in all memories. */
static const OTF2_RmaSyncLevel PGAS_SYNC = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;

/* NOTE(ID, when, record, fields): the record that a note makes; f are its fields. */
#define NOTES(NOTE)                                                                                          \
        NOTE(SEND, AT_ENTER, MpiSend, (uint32_t)f[0], comm_of(w, f[1]), (uint32_t)f[2], f[3])                \
        NOTE(ISEND, AT_ENTER, MpiIsend, (uint32_t)f[0], comm_of(w, f[1]), (uint32_t)f[2], f[3], f[4])        \
        NOTE(RECV, AT_LEAVE, MpiRecv, (uint32_t)f[0], comm_of(w, f[1]), (uint32_t)f[2], f[3])                \
        NOTE(IRECV_POST, AT_ENTER, MpiIrecvRequest, f[0])                                                    \
        NOTE(IRECV, AT_LEAVE, MpiIrecv, (uint32_t)f[0], comm_of(w, f[1]), (uint32_t)f[2], f[3], f[4])        \
        NOTE(ISEND_DONE, AT_LEAVE, MpiIsendComplete, f[0])                                                   \
        NOTE(CANCELLED, AT_LEAVE, MpiRequestCancelled, f[0])                                                 \
        NOTE(COLL, AT_END, MpiCollectiveEnd, (OTF2_CollectiveOp)f[0], comm_of(w, f[1]), note_root(f[2]),     \
             f[3], f[4])                                                                                     \
        NOTE(NBC_POST, AT_ENTER, NonBlockingCollectiveRequest, f[0])                                         \
        NOTE(NBC_DONE, AT_LEAVE, NonBlockingCollectiveComplete, (OTF2_CollectiveOp)f[0], comm_of(w, f[1]),   \
             note_root(f[2]), f[3], f[4], f[5])                                                              \
        NOTE(COMM_CREATE, AT_LEAVE, CommCreate, comm_of(w, f[0]))                                            \
        NOTE(COMM_DESTROY, AT_LEAVE, CommDestroy, comm_of(w, f[0]))                                          \
        NOTE(WIN_CREATE, AT_LEAVE, RmaWinCreate, window_of(w, f[0]))                                         \
        NOTE(WIN_DESTROY, AT_LEAVE, RmaWinDestroy, window_of(w, f[0]))                                       \
        NOTE(WIN_COLL, AT_END, RmaCollectiveEnd, (OTF2_CollectiveOp)f[0], (OTF2_RmaSyncLevel)f[2],           \
             window_of(w, f[1]), (uint32_t)OTF2_COLLECTIVE_ROOT_NONE, 0, 0)                                  \
        NOTE(GROUP_SYNC, AT_LEAVE, RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,   \
             window_of(w, f[0]), group_of(w, f[1]))                                                          \
        NOTE(LOCK, AT_LEAVE, RmaAcquireLock, window_of(w, f[0]), target_of(f[1]), f[0], (OTF2_LockType)f[2]) \
        NOTE(UNLOCK, AT_LEAVE, RmaReleaseLock, window_of(w, f[0]), target_of(f[1]), f[0])                    \
        NOTE(PUT, AT_ENTER, RmaPut, window_of(w, f[0]), (uint32_t)f[1], f[2], f[3])                          \
        NOTE(GET, AT_ENTER, RmaGet, window_of(w, f[0]), (uint32_t)f[1], f[2], f[3])                          \
        NOTE(ATOMIC, AT_ENTER, RmaAtomic, window_of(w, f[0]), (uint32_t)f[1], (OTF2_RmaAtomicType)f[2],      \
             f[3], f[4], f[5])                                                                               \
        NOTE(PGAS_COLL, AT_END, RmaCollectiveEnd, (OTF2_CollectiveOp)f[0], PGAS_SYNC, window_of(w, 0),       \
             note_root(f[1]), f[2], f[2])                                                                    \
        NOTE(PGAS_TAKE, AT_LEAVE, RmaAcquireLock, window_of(w, 0), OTF2_UNDEFINED_UINT32, f[0],              \
             OTF2_LOCK_EXCLUSIVE)                                                                            \
        NOTE(PGAS_GIVE, AT_ENTER, RmaReleaseLock, window_of(w, 0), OTF2_UNDEFINED_UINT32, f[0])              \
        NOTE(RMA_DONE, AT_LEAVE, RmaOpCompleteRemote, window_of(w, f[0]), f[1])

#define WRITE_NOTE(id, at, record, ...)                                                                      \
        static OTF2_ErrorCode write_##id(writer *w, uint64_t time, const uint64_t *f)                        \
        {                                                                                                    \
                return OTF2_EvtWriter_##record(w->events, NULL, time, __VA_ARGS__);                          \
        }
NOTES(WRITE_NOTE)

typedef struct note_row {
        when at;
        OTF2_ErrorCode (*write)(writer *w, uint64_t time, const uint64_t *f);
} note_row;

static const note_row note_rows[PS_RAW_NOTES] = {
#define NOTE_ROW(id, at, ...) [PS_RAW_##id] = {at, write_##id},
        NOTES(NOTE_ROW)};

void ps_event_put(writer *w, OTF2_ErrorCode code)
{
        ps_archive_check(w->a, code);
        w->n++;
}

static void write_notes(writer *w, const uint8_t *notes, uint32_t size, when at, uint64_t time)
{
        const uint8_t *end = notes + size;
        uint64_t field[PS_RAW_FIELDS_MOST];
        ps_raw_note note;
        while (ps_notes_next(&notes, end, &note, field)) {
                if (at == AT_ENTER && note == PS_RAW_COLL)
                        ps_event_put(w, OTF2_EvtWriter_MpiCollectiveBegin(w->events, NULL, time));
                else if (at == AT_ENTER && (note == PS_RAW_WIN_COLL || note == PS_RAW_PGAS_COLL))
                        ps_event_put(w, OTF2_EvtWriter_RmaCollectiveBegin(w->events, NULL, time));
                if (note_rows[note].write && note_rows[note].at == at)
                        ps_event_put(w, note_rows[note].write(w, time, field));
        }
}

/* How many frames changed since the event before: all that the archive knows of, with the call. */
static uint32_t depth_of(const ps_raw_run *run, uint32_t context)
{
        uint32_t n = 0;
        for (; context != PS_NONE; context = run->contexts.row[context].parent)
                n++;
        return n;
}

void ps_event_enter(writer *w, uint64_t time, uint32_t context)
{
        ps_event_put(w, OTF2_EvtWriter_CallingContextEnter(w->events, NULL, time, context,
                                                           depth_of(w->a->run, context)));
}

void ps_event_leave(writer *w, uint64_t time, uint32_t context)
{
        ps_event_put(w, OTF2_EvtWriter_CallingContextLeave(w->events, NULL, time, context));
}

uint32_t ps_event_context(writer *w, uint32_t context)
{
        uint32_t outer = w->open.n ? w->open.row[w->open.n - 1] : PS_NONE, found = context;
        PS_THEN(w->status, ps_raw_run_inside(w->a->run, outer, context, &found, w->err));
        return found;
}

static bool is_mark(const ps_raw_row *row, const uint8_t *notes)
{
        return row->size && *notes >= PS_RAW_FIRST_MARK;
}

static void write_sample(writer *w, const ps_raw_row *row, const uint8_t *bytes)
{
        uint64_t address[SAMPLED_MOST], time = time_of(w, row->enter);
        uint32_t n = row->size / (uint32_t)sizeof(*address), context = PS_NONE;
        n = n < SAMPLED_MOST ? n : SAMPLED_MOST;
        memcpy(address, bytes, n * sizeof(*address));
        if (n)
                PS_THEN(w->status, ps_raw_run_sample(w->a->run, w->process_id, row->enter, address, n,
                                                     &context, w->err));
        if (w->sampled_at && w->a->distances.n < DISTANCES_MOST &&
            PS_PUSH(w->a->distances, time - w->sampled_at))
                w->status = PS_NOMEM(w->err, "samples", w->a->distances.n);
        w->sampled_at = time;
        context = ps_event_context(w, context);
        if (context != PS_NONE)
                ps_event_put(w, OTF2_EvtWriter_CallingContextSample(w->events, NULL, time, context,
                                                                    depth_of(w->a->run, context), 0));
}

static void write_row(writer *w, const ps_raw_row *row, const uint8_t *notes)
{
        if (row->site == PS_RAW_SAMPLE) {
                write_sample(w, row, notes);
                return;
        }
        w->sampled_at = 0;
        if (row->site >= w->process->sites.n)
                return; /* killed between the row and the definition of its site */
        if (is_mark(row, notes)) {
                ps_event_mark(w, row, notes);
                return;
        }
        uint32_t context = ps_event_context(w, w->process->sites.row[row->site].context);
        uint64_t enter = time_of(w, row->enter);
        ps_event_enter(w, enter, context);
        write_notes(w, notes, row->size, AT_ENTER, enter);
        if (!row->leave)
                return;
        uint64_t leave = time_of(w, row->leave);
        write_notes(w, notes, row->size, AT_LEAVE, leave);
        write_notes(w, notes, row->size, AT_END, leave);
        ps_event_leave(w, leave, context);
}

static void write_rows(writer *w, ps_rows *rows)
{
        ps_raw_row row;
        const uint8_t *notes;
        bool is_open = 0;
        while (ps_rows_next(rows, &row, &notes) && w->a->code == OTF2_SUCCESS && w->status == PS_OK) {
                write_row(w, &row, notes);
                is_open = !row.leave;
        }
        while (w->open.n && !is_open && w->process->has_ended) /* regions that the program never ended */
                ps_event_leave(w, w->last, w->open.row[--w->open.n]);
}

ps_status ps_archive_events(ps_archive *a, uint32_t location, ps_error *err)
{
        const ps_raw_run_thread *thread = &a->run->threads.row[location];
        ps_rows rows = {0};
        ps_raw_row row;
        const uint8_t *notes;
        writer w = {.a = a, .err = err, .events = OTF2_Archive_GetEvtWriter(a->otf2, location)};
        if (!w.events)
                return PS_NOMEM(err, "locations", location);
        if (thread->path && thread->process != PS_NONE) {
                w.process_id = thread->process;
                w.process = &a->run->processes.row[thread->process];
                PS_TRY(ps_rows_open(&rows, thread->path, err));
                if (ps_rows_next(&rows, &row, &notes))
                        a->span[location][0] = ps_process_time(w.process, row.enter);
                ps_rows_rewind(&rows);
                write_rows(&w, &rows);
                ps_rows_close(&rows);
        }
        a->span[location][1] = w.last;
        a->n_events[location] = w.n;
        ps_archive_check(a, OTF2_Archive_CloseEvtWriter(a->otf2, w.events));
        free(w.open.row);
        return w.status;
}
