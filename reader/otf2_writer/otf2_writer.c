/* otf2_writer.c - see otf2_writer.h.
 *
 * Locations are written one after the other, so that only one event file is open. Times get a bias, because
 * ticks are never negative; the clock's definition takes it off again. */
#include "reader/otf2_writer/otf2_writer.h"

#include "core/base/folder.h"
#include "core/model/format.h"
#include "core/model/kinds.h"
#include "reader/otf2/records.h"
#include "reader/otf2_writer/archive.h"
#include "reader/otf2_writer/pgas.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 18, MEMBER_BYTES = 6 };

#define BIAS ((uint64_t)PS_READER_TIME_LIMIT)

typedef struct writer {
        ps_otf2_out out;
        OTF2_EvtWriter *events; /* of the location at work */
        OTF2_AttributeList *site;
} writer;

static uint64_t ticks_of(ps_time time)
{
        return BIAS + (uint64_t)time;
}

/* -- events -- */

static uint32_t or_undefined(uint32_t id)
{
        return id == PS_NONE ? UINT32_MAX : id;
}

/* A root as the archive names it. */
static uint32_t otf2_root_of(const ps_event *e)
{
        return e->peer == PS_ROOT_SELF ? (uint32_t)OTF2_COLLECTIVE_ROOT_SELF
               : e->peer == PS_NONE    ? (uint32_t)OTF2_COLLECTIVE_ROOT_NONE
                                       : e->peer;
}

/* Is it a window of MPI, whose collectives are not those of a communicator? */
static bool is_mpi_window(const writer *w, uint32_t window)
{
        const ps_defs *defs = w->out.defs;
        ps_comm comm = window < defs->windows.n ? defs->windows.row[window].comm : PS_NONE;

        return comm >= defs->comms.n || !defs->comms.row[comm].pgas;
}

/* The operation that the reader takes for this kind; of those that OTF2 does not know the nearest, since the
 * name of the call tells. */
static OTF2_CollectiveOp collective_of(uint8_t kind, int on_window)
{
        OTF2_CollectiveOp op = 0;

        if (!on_window && kind == PS_K_PERMUTE)
                return OTF2_COLLECTIVE_OP_ALLTOALLV;
        if (!on_window && (kind == PS_K_ALLOC || kind == PS_K_SYMMETRIC_ALLOC))
                return OTF2_COLLECTIVE_OP_ALLOCATE;
        while (op < OTF2_COLLECTIVE_OP_BARRIER + 64 && ps_otf2_collective_kind(op, on_window) != kind)
                op++;
        return op;
}

/* PS_OTF2_EVENT(KIND, Function, fields...): the call that records a kind of event. */
#define EVENTS(EVENT)                                                                                        \
        EVENT(ENTER, Enter, or_undefined(e->ref))                                                            \
        EVENT(LEAVE, Leave, or_undefined(e->ref))                                                            \
        EVENT(CONTEXT_ENTER, CallingContextEnter, or_undefined(e->ref), 1)                                   \
        EVENT(CONTEXT_LEAVE, CallingContextLeave, or_undefined(e->ref))                                      \
        EVENT(SEND, MpiSend, e->peer, or_undefined(e->comm), e->tag, e->bytes)                               \
        EVENT(ISEND, MpiIsend, e->peer, or_undefined(e->comm), e->tag, e->bytes, e->request)                 \
        EVENT(ISEND_DONE, MpiIsendComplete, e->request)                                                      \
        EVENT(RECV, MpiRecv, e->peer, or_undefined(e->comm), e->tag, e->bytes)                               \
        EVENT(IRECV_POST, MpiIrecvRequest, e->request)                                                       \
        EVENT(IRECV, MpiIrecv, e->peer, or_undefined(e->comm), e->tag, e->bytes, e->request)                 \
        EVENT(REQUEST_TEST, MpiRequestTest, e->request)                                                      \
        EVENT(REQUEST_CANCELLED, MpiRequestCancelled, e->request)                                            \
        EVENT(COLL_END, MpiCollectiveEnd, collective_of(e->op, 0), or_undefined(e->comm), otf2_root_of(e),   \
              e->bytes, e->received)                                                                         \
        EVENT(NBC_REQUEST, NonBlockingCollectiveRequest, e->request)                                         \
        EVENT(NBC_DONE, NonBlockingCollectiveComplete, collective_of(e->op, 0), or_undefined(e->comm),       \
              otf2_root_of(e), e->bytes, e->received, e->request)                                            \
        EVENT(COMM_CREATE, CommCreate, or_undefined(e->comm))                                                \
        EVENT(COMM_DESTROY, CommDestroy, or_undefined(e->comm))                                              \
        EVENT(WIN_CREATE, RmaWinCreate, or_undefined(e->ref))                                                \
        EVENT(WIN_DESTROY, RmaWinDestroy, or_undefined(e->ref))                                              \
        EVENT(RMA_COLL_END, RmaCollectiveEnd, collective_of(e->op, is_mpi_window(w, e->ref)), e->tag,        \
              or_undefined(e->ref), otf2_root_of(e), e->bytes, e->received)                                  \
        EVENT(RMA_GROUP_SYNC, RmaGroupSync, e->tag, or_undefined(e->ref),                                    \
              ps_otf2_out_group(&w->out, e->comm))                                                           \
        EVENT(RMA_SYNC, RmaSync, or_undefined(e->ref), e->peer, e->op)                                       \
        EVENT(RMA_LOCK_REQUEST, RmaRequestLock, or_undefined(e->ref), e->peer, e->request, e->op)            \
        EVENT(RMA_LOCK_ACQUIRE, RmaAcquireLock, or_undefined(e->ref), e->peer, e->request, e->op)            \
        EVENT(RMA_LOCK_TRY, RmaTryLock, or_undefined(e->ref), e->peer, e->request, e->op)                    \
        EVENT(RMA_LOCK_RELEASE, RmaReleaseLock, or_undefined(e->ref), e->peer, e->request)                   \
        EVENT(RMA_WAIT_CHANGE, RmaWaitChange, or_undefined(e->ref))                                          \
        EVENT(RMA_PUT, RmaPut, or_undefined(e->ref), e->peer, e->bytes, e->request)                          \
        EVENT(RMA_GET, RmaGet, or_undefined(e->ref), e->peer, e->bytes, e->request)                          \
        EVENT(RMA_ATOMIC, RmaAtomic, or_undefined(e->ref), e->peer, e->op, e->bytes, e->received,            \
              e->request)                                                                                    \
        EVENT(RMA_DONE_LOCAL, RmaOpCompleteNonBlocking, or_undefined(e->ref), e->request)                    \
        EVENT(RMA_DONE_REMOTE, RmaOpCompleteRemote, or_undefined(e->ref), e->request)                        \
        EVENT(RMA_TEST, RmaOpTest, or_undefined(e->ref), e->request)                                         \
        EVENT(THREAD_FORK, ThreadFork, OTF2_PARADIGM_OPENMP, e->tag)                                         \
        EVENT(THREAD_JOIN, ThreadJoin, OTF2_PARADIGM_OPENMP)                                                 \
        EVENT(TEAM_BEGIN, ThreadTeamBegin, or_undefined(e->comm))                                            \
        EVENT(TEAM_END, ThreadTeamEnd, or_undefined(e->comm))                                                \
        EVENT(LOCK_ACQUIRE, ThreadAcquireLock, OTF2_PARADIGM_OPENMP, e->ref, e->tag)                         \
        EVENT(LOCK_RELEASE, ThreadReleaseLock, OTF2_PARADIGM_OPENMP, e->ref, e->tag)                         \
        EVENT(TASK_CREATE, ThreadTaskCreate, or_undefined(e->comm), e->peer, e->tag)                         \
        EVENT(TASK_SWITCH, ThreadTaskSwitch, or_undefined(e->comm), e->peer, e->tag)                         \
        EVENT(TASK_COMPLETE, ThreadTaskComplete, or_undefined(e->comm), e->peer, e->tag)                     \
        EVENT(THREAD_CREATE, ThreadCreate, or_undefined(e->comm), e->request)                                \
        EVENT(THREAD_BEGIN, ThreadBegin, or_undefined(e->comm), e->request)                                  \
        EVENT(THREAD_WAIT, ThreadWait, or_undefined(e->comm), e->request)                                    \
        EVENT(THREAD_END, ThreadEnd, or_undefined(e->comm), e->request)                                      \
        EVENT(MEASUREMENT, MeasurementOnOff, e->op ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF)             \
        EVENT(FLUSH, BufferFlush, ticks_of((ps_time)e->bytes))                                               \
        EVENT(PROGRAM_BEGIN, ProgramBegin, OTF2_UNDEFINED_STRING, 0, NULL)                                   \
        EVENT(PROGRAM_END, ProgramEnd, (int32_t)e->tag)

#define EVENT_FUNCTION(kind, function, ...)                                                                  \
        static OTF2_ErrorCode put_##kind(writer *w, const ps_event *e)                                       \
        {                                                                                                    \
                (void)e;                                                                                     \
                return OTF2_EvtWriter_##function(w->events, w->site, ticks_of(e->time), __VA_ARGS__);        \
        }
EVENTS(EVENT_FUNCTION)

static OTF2_ErrorCode put_COLL_BEGIN(writer *w, const ps_event *e)
{
        return OTF2_EvtWriter_MpiCollectiveBegin(w->events, w->site, ticks_of(e->time));
}

static OTF2_ErrorCode put_RMA_COLL_BEGIN(writer *w, const ps_event *e)
{
        return OTF2_EvtWriter_RmaCollectiveBegin(w->events, w->site, ticks_of(e->time));
}

static OTF2_ErrorCode put_PARAMETER(writer *w, const ps_event *e)
{
        if (e->op)
                return OTF2_EvtWriter_ParameterString(w->events, w->site, ticks_of(e->time),
                                                      or_undefined(e->ref),
                                                      ps_otf2_out_string(&w->out, (ps_str)e->bytes));
        return OTF2_EvtWriter_ParameterUnsignedInt(w->events, w->site, ticks_of(e->time),
                                                   or_undefined(e->ref), e->bytes);
}

typedef OTF2_ErrorCode (*put_event)(writer *w, const ps_event *e);

static const put_event puts_of_kind[PS_EV_COUNT] = {
#define EVENT_ROW(kind, ...) [PS_EV_##kind] = put_##kind,
        EVENTS(EVENT_ROW)[PS_EV_COLL_BEGIN] = put_COLL_BEGIN, [PS_EV_RMA_COLL_BEGIN] = put_RMA_COLL_BEGIN,
        [PS_EV_PARAMETER] = put_PARAMETER};

static void write_event(writer *w, ps_loc location, const ps_event *e, ps_otf2_written *written)
{
        ps_otf2_out *out = &w->out;
        uint64_t ticks = ticks_of(e->time);

        written->n_events++;
        if (!puts_of_kind[e->kind]) {
                written->n_lossy++;
                return;
        }
        if (e->kind == PS_EV_ENTER || e->kind == PS_EV_CONTEXT_ENTER)
                ps_otf2_out_hints(out, w->site, e);
        if (e->site_file || e->site_line)
                ps_otf2_out_check(out, OTF2_AttributeList_AddSourceCodeLocationRef(
                                               w->site, PS_OTF2_OUT_SITE,
                                               ps_otf2_out_source(out, e->site_file, e->site_line)));
        ps_otf2_out_check(out, puts_of_kind[e->kind](w, e));
        out->n_events[location]++;
        out->zero = ticks < out->zero ? ticks : out->zero;
        out->end = ticks > out->end ? ticks : out->end;
}

static ps_status write_location(writer *w, ps_source source, ps_loc location, ps_batch *batch,
                                ps_otf2_written *written, ps_error *err)
{
        ps_status status;

        w->events = OTF2_Archive_GetEvtWriter(w->out.archive, location);
        if (!w->events)
                return PS_FAIL(err, PS_E_OUTPUT,
                               "cannot write a location: location=%" PRIu32 ", reason=\"%s\"", location,
                               OTF2_Error_GetDescription(w->out.code));
        while ((status = source.next(source.ctx, location, batch, err)) == PS_OK && batch->n)
                for (uint32_t i = 0; i < batch->n; i++)
                        write_event(w, location, &batch->event[i], written);
        ps_otf2_out_check(&w->out, OTF2_Archive_CloseEvtWriter(w->out.archive, w->events));
        return status;
}

static ps_status write_locations(writer *w, ps_source source, ps_otf2_written *written, ps_error *err)
{
        ps_batch *batch = malloc(sizeof(*batch));
        ps_status status = batch ? PS_OK : PS_NOMEM(err, "batch", 1);

        for (ps_loc i = 0;
             i < source.n_locations && status == PS_OK && !w->out.code && !w->out.is_out_of_memory; i++)
                status = write_location(w, source, i, batch, written, err);
        free(batch);
        return status;
}

/* -- the archive -- */

/* A record must fit into a chunk; the longest are groups. */
static uint64_t chunk_of_definitions(const ps_defs *defs)
{
        uint64_t most = defs->locations.n > defs->processes.n ? defs->locations.n : defs->processes.n;

        for (uint32_t i = 0; i < defs->groups.n; i++)
                most = defs->groups.row[i].n_members > most ? defs->groups.row[i].n_members : most;
        for (ps_comm i = 0; i < defs->comms.n; i++) {
                const ps_comm_def *comm = &defs->comms.row[i];
                most = comm->n_members > most ? comm->n_members : most;
                most = comm->n_members_b > most ? comm->n_members_b : most;
        }
        return CHUNK_BYTES + most * MEMBER_BYTES;
}

static ps_status open_archive(writer *w, const char *folder, ps_error *err)
{
        ps_otf2_out *out = &w->out;
        const char *creator = ps_defs_str(out->defs, out->defs->creator);

        PS_TRY(ps_otf2_out_open(&out->archive, folder, CHUNK_BYTES, chunk_of_definitions(out->defs),
                                &out->code, err));
        if (*creator)
                ps_otf2_out_check(out, OTF2_Archive_SetCreator(out->archive, creator));
        ps_otf2_out_check(out, OTF2_Archive_OpenEvtFiles(out->archive));
        out->global = OTF2_Archive_GetGlobalDefWriter(out->archive);
        w->site = OTF2_AttributeList_New();
        return out->global && w->site ? PS_OK : PS_NOMEM(err, "archive", 1);
}

/* Each location has a file of its own definitions, which says nothing here. */
static void write_local_definitions(ps_otf2_out *out)
{
        ps_otf2_out_check(out, OTF2_Archive_OpenDefFiles(out->archive));
        for (ps_loc i = 0; i < out->defs->locations.n && !out->code; i++) {
                OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(out->archive, i);
                if (local)
                        ps_otf2_out_check(out, OTF2_Archive_CloseDefWriter(out->archive, local));
                else
                        out->is_out_of_memory = true;
        }
        ps_otf2_out_check(out, OTF2_Archive_CloseDefFiles(out->archive));
}

static ps_status write_archive(writer *w, const char *folder, ps_source source, ps_otf2_written *written,
                               ps_error *err)
{
        ps_otf2_out *out = &w->out;
        ps_status status = open_archive(w, folder, err);

        PS_THEN(status, write_locations(w, source, written, err));
        if (out->archive && out->global) {
                ps_otf2_out_check(out, OTF2_Archive_CloseEvtFiles(out->archive));
                write_local_definitions(out);
                ps_otf2_out_definitions(out);
        }
        if (w->site)
                ps_otf2_out_check(out, OTF2_AttributeList_Delete(w->site));
        if (out->archive)
                ps_otf2_out_check(out, OTF2_Archive_Close(out->archive));
        if (status == PS_OK && out->is_out_of_memory)
                status = PS_NOMEM(err, "definitions", out->n_strings);
        if (status == PS_OK && out->code)
                status = PS_FAIL(err, PS_E_OUTPUT, "cannot write the archive: path=\"%s\", reason=\"%s\"",
                                 folder, OTF2_Error_GetDescription(out->code));
        return status;
}

static ps_status make_writer(writer *w, const ps_defs *defs, ps_error *err)
{
        *w = (writer){.out = {.defs = defs, .zero = UINT64_MAX}};
        w->out.n_events = calloc(defs->locations.n + (size_t)1, sizeof(*w->out.n_events));
        w->out.group = calloc(defs->groups.n + (size_t)1, sizeof(*w->out.group));
        return w->out.n_events && w->out.group ? PS_OK : PS_NOMEM(err, "locations", defs->locations.n);
}

ps_status ps_otf2_write(ps_otf2_written *written, const char *folder, const ps_defs *defs, ps_source source,
                        ps_error *err)
{
        static const char suffix[] = ".XXXXXX";
        size_t n = strlen(folder);
        char *temporary = malloc(n + sizeof(suffix));
        OTF2_ErrorCallback before;
        writer w;
        ps_status status;

        *written = (ps_otf2_written){0};
        if (!temporary)
                return PS_NOMEM(err, "path", n);
        while (n > 1 && folder[n - 1] == '/')
                n--;
        snprintf(temporary, n + sizeof(suffix), "%.*s%s", (int)n, folder, suffix);
        status = make_writer(&w, defs, err);
        if (status == PS_OK && !mkdtemp(temporary))
                status = PS_FAIL(err, PS_E_OUTPUT, "cannot make the folder: path=\"%s\", reason=\"%s\"",
                                 temporary, strerror(errno));
        if (status == PS_OK) {
                before = ps_otf2_out_silence(&w.out.code);
                status = write_archive(&w, temporary, source, written, err);
                OTF2_Error_RegisterCallback(before, NULL);
                if (status == PS_OK && rename(temporary, folder))
                        status = PS_FAIL(err, PS_E_OUTPUT,
                                         "cannot rename the folder: path=\"%s\", reason=\"%s\"", folder,
                                         strerror(errno));
                if (status != PS_OK)
                        ps_folder_remove(temporary);
        }
        ps_map_free(&w.out.strings);
        ps_map_free(&w.out.sources);
        free(w.out.n_events);
        free(w.out.group);
        free(temporary);
        return status;
}
