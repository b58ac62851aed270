/* library.c - see library.h. */
#include "tests/reader/otf2/library.h"

#include "core/base/search.h"

#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

typedef struct location_events {
        lib_event *event;
        size_t n, cap;
} location_events;

typedef struct reading {
        lib_trace *trace;
        location_events *events;
} reading;

static void add_id(lib_trace *t, enum lib_table table, uint64_t id)
{
        t->id[table] = realloc(t->id[table], (t->n[table] + 1) * sizeof(uint64_t));
        t->id[table][t->n[table]++] = id;
}

static lib_event *add(void *user, OTF2_LocationRef loc, uint64_t ticks, const char *name)
{
        reading *r = user;
        location_events *l = &r->events[lib_find(r->trace, LIB_LOCATION, loc)];
        if (l->n == l->cap) {
                l->cap = l->cap ? l->cap * 2 : 256;
                l->event = realloc(l->event, l->cap * sizeof(*l->event));
        }
        lib_event *e = &l->event[l->n++];
        memset(e, 0xff, sizeof(*e));
        e->name = name;
        e->ticks = ticks;
        e->ref_table = e->comm_table = LIB_RAW;
        return e;
}

static lib_event *with_ref(lib_event *e, enum lib_table table, uint64_t id)
{
        e->ref = id;
        e->ref_table = table;
        return e;
}

static lib_event *with_comm(lib_event *e, enum lib_table table, uint64_t id)
{
        e->comm = id;
        e->comm_table = table;
        return e;
}

/* A callback: fn, the event's name, an expression that fills `e` in, and the event's own parameters. */
#define EVENT_HEAD                                                                                           \
        OTF2_LocationRef loc, OTF2_TimeStamp ticks, uint64_t pos, void *user, OTF2_AttributeList *attributes
#define EVENT(fn, label, fill, ...)                                                                          \
        static OTF2_CallbackCode fn(EVENT_HEAD, __VA_ARGS__)                                                 \
        {                                                                                                    \
                lib_event *e = add(user, loc, ticks, label);                                                 \
                (void)pos, (void)attributes, (void)e, (void)(fill);                                          \
                return OTF2_CALLBACK_SUCCESS;                                                                \
        }
#define EVENT0(fn, label)                                                                                    \
        static OTF2_CallbackCode fn(EVENT_HEAD)                                                              \
        {                                                                                                    \
                add(user, loc, ticks, label);                                                                \
                (void)pos, (void)attributes;                                                                 \
                return OTF2_CALLBACK_SUCCESS;                                                                \
        }

EVENT(on_enter, "ENTER", (with_ref(e, LIB_REGION, region)), OTF2_RegionRef region)
EVENT(on_leave, "LEAVE", (with_ref(e, LIB_REGION, region)), OTF2_RegionRef region)
EVENT(on_send, "MPI_SEND", (with_comm(e, LIB_COMM, comm), e->peer = peer, e->tag = tag, e->bytes = bytes),
      uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
EVENT(on_recv, "MPI_RECV", (with_comm(e, LIB_COMM, comm), e->peer = peer, e->tag = tag, e->bytes = bytes),
      uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
EVENT(on_isend, "MPI_ISEND",
      (with_comm(e, LIB_COMM, comm), e->peer = peer, e->tag = tag, e->bytes = bytes, e->request = req),
      uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t req)
EVENT(on_irecv, "MPI_IRECV",
      (with_comm(e, LIB_COMM, comm), e->peer = peer, e->tag = tag, e->bytes = bytes, e->request = req),
      uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t req)
EVENT(on_isend_done, "MPI_ISEND_COMPLETE", e->request = req, uint64_t req)
EVENT(on_irecv_post, "MPI_IRECV_REQUEST", e->request = req, uint64_t req)
EVENT(on_cancel, "MPI_REQUEST_CANCELLED", e->request = req, uint64_t req)
EVENT(on_test, "MPI_REQUEST_TEST", e->request = req, uint64_t req)
EVENT0(on_coll_begin, "MPI_COLLECTIVE_BEGIN")
EVENT(on_coll_end, "MPI_COLLECTIVE_END",
      (with_comm(e, LIB_COMM, comm), e->peer = root >= OTF2_COLLECTIVE_ROOT_THIS_GROUP ? LIB_NONE : root,
       e->bytes = sent, e->received = received, (void)op),
      OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
EVENT(on_nbc_request, "NON_BLOCKING_COLLECTIVE_REQUEST", e->request = req, uint64_t req)
EVENT(on_nbc_done, "NON_BLOCKING_COLLECTIVE_COMPLETE",
      (with_comm(e, LIB_COMM, comm), e->peer = root >= OTF2_COLLECTIVE_ROOT_THIS_GROUP ? LIB_NONE : root,
       e->bytes = sent, e->received = received, e->request = req, (void)op),
      OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received, uint64_t req)
EVENT(on_comm_create, "COMM_CREATE", (with_comm(e, LIB_COMM, comm)), OTF2_CommRef comm)
EVENT(on_comm_destroy, "COMM_DESTROY", (with_comm(e, LIB_COMM, comm)), OTF2_CommRef comm)
EVENT(on_win_create, "RMA_WIN_CREATE", (with_ref(e, LIB_WINDOW, win)), OTF2_RmaWinRef win)
EVENT(on_win_destroy, "RMA_WIN_DESTROY", (with_ref(e, LIB_WINDOW, win)), OTF2_RmaWinRef win)
EVENT0(on_rma_begin, "RMA_COLLECTIVE_BEGIN")
EVENT(on_rma_end, "RMA_COLLECTIVE_END",
      (with_ref(e, LIB_WINDOW, win), e->peer = root >= OTF2_COLLECTIVE_ROOT_THIS_GROUP ? LIB_NONE : root,
       e->tag = level, e->bytes = sent, e->received = received, (void)op),
      OTF2_CollectiveOp op, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win, uint32_t root, uint64_t sent,
      uint64_t received)
EVENT(on_rma_group, "RMA_GROUP_SYNC",
      (with_comm(with_ref(e, LIB_WINDOW, win), LIB_GROUP, group)->tag = level), OTF2_RmaSyncLevel level,
      OTF2_RmaWinRef win, OTF2_GroupRef group)
EVENT(on_rma_put, "RMA_PUT",
      (with_ref(e, LIB_WINDOW, win), e->peer = peer, e->bytes = bytes, e->request = id), OTF2_RmaWinRef win,
      uint32_t peer, uint64_t bytes, uint64_t id)
EVENT(on_rma_get, "RMA_GET",
      (with_ref(e, LIB_WINDOW, win), e->peer = peer, e->bytes = bytes, e->request = id), OTF2_RmaWinRef win,
      uint32_t peer, uint64_t bytes, uint64_t id)
EVENT(on_rma_atomic, "RMA_ATOMIC",
      (with_ref(e, LIB_WINDOW, win), e->peer = peer, e->bytes = sent, e->received = received, e->request = id,
       (void)type),
      OTF2_RmaWinRef win, uint32_t peer, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
      uint64_t id)
EVENT(on_rma_done, "RMA_OP_COMPLETE_NON_BLOCKING", (with_ref(e, LIB_WINDOW, win)->request = id),
      OTF2_RmaWinRef win, uint64_t id)
EVENT(on_rma_done_b, "RMA_OP_COMPLETE_BLOCKING", (with_ref(e, LIB_WINDOW, win)->request = id),
      OTF2_RmaWinRef win, uint64_t id)
EVENT(on_rma_remote, "RMA_OP_COMPLETE_REMOTE", (with_ref(e, LIB_WINDOW, win)->request = id),
      OTF2_RmaWinRef win, uint64_t id)
EVENT(on_rma_lock, "RMA_REQUEST_LOCK",
      (with_ref(e, LIB_WINDOW, win), e->peer = peer, e->request = id, (void)type), OTF2_RmaWinRef win,
      uint32_t peer, uint64_t id, OTF2_LockType type)
EVENT(on_rma_unlock, "RMA_RELEASE_LOCK", (with_ref(e, LIB_WINDOW, win), e->peer = peer, e->request = id),
      OTF2_RmaWinRef win, uint32_t peer, uint64_t id)
EVENT(on_fork, "THREAD_FORK", (e->tag = n, (void)model), OTF2_Paradigm model, uint32_t n)
EVENT(on_join, "THREAD_JOIN", (void)model, OTF2_Paradigm model)
EVENT(on_team_begin, "THREAD_TEAM_BEGIN", (with_comm(e, LIB_COMM, team)), OTF2_CommRef team)
EVENT(on_team_end, "THREAD_TEAM_END", (with_comm(e, LIB_COMM, team)), OTF2_CommRef team)
EVENT(on_lock, "THREAD_ACQUIRE_LOCK", (e->ref = id, e->tag = order, (void)model), OTF2_Paradigm model,
      uint32_t id, uint32_t order)
EVENT(on_unlock, "THREAD_RELEASE_LOCK", (e->ref = id, e->tag = order, (void)model), OTF2_Paradigm model,
      uint32_t id, uint32_t order)
EVENT(on_thread_begin, "THREAD_BEGIN", (with_comm(e, LIB_COMM, team)->request = n), OTF2_CommRef team,
      uint64_t n)
EVENT(on_thread_end, "THREAD_END", (with_comm(e, LIB_COMM, team)->request = n), OTF2_CommRef team, uint64_t n)
EVENT(on_thread_create, "THREAD_CREATE", (with_comm(e, LIB_COMM, team)->request = n), OTF2_CommRef team,
      uint64_t n)
EVENT(on_thread_wait, "THREAD_WAIT", (with_comm(e, LIB_COMM, team)->request = n), OTF2_CommRef team,
      uint64_t n)
EVENT(on_context_enter, "CALLING_CONTEXT_ENTER", (with_ref(e, LIB_CONTEXT, c), (void)distance),
      OTF2_CallingContextRef c, uint32_t distance)
EVENT(on_context_leave, "CALLING_CONTEXT_LEAVE", (with_ref(e, LIB_CONTEXT, c)), OTF2_CallingContextRef c)
EVENT(on_metric, "METRIC", (with_ref(e, LIB_METRIC, metric)->tag = n, (void)types, (void)v),
      OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types, const OTF2_MetricValue *v)
EVENT(on_param_int, "PARAMETER_INT", (with_ref(e, LIB_PARAMETER, p)->bytes = (uint64_t)value),
      OTF2_ParameterRef p, int64_t value)
EVENT(on_begin, "PROGRAM_BEGIN", ((void)name, (void)n, (void)args), OTF2_StringRef name, uint32_t n,
      const OTF2_StringRef *args)
EVENT(on_end, "PROGRAM_END", e->tag = (uint32_t)status, int64_t status)
EVENT(on_measurement, "MEASUREMENT_ON_OFF", (void)mode, OTF2_MeasurementMode mode)
EVENT(on_flush, "BUFFER_FLUSH", (void)stop, OTF2_TimeStamp stop)
EVENT0(on_unknown, "UNKNOWN")

static OTF2_EvtReaderCallbacks *event_callbacks(void)
{
        OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
#define SET(name, fn) OTF2_EvtReaderCallbacks_Set##name##Callback(c, fn)
        SET(Enter, on_enter), SET(Leave, on_leave), SET(MpiSend, on_send), SET(MpiRecv, on_recv);
        SET(MpiIsend, on_isend), SET(MpiIrecv, on_irecv), SET(MpiIsendComplete, on_isend_done);
        SET(MpiIrecvRequest, on_irecv_post), SET(MpiRequestCancelled, on_cancel);
        SET(MpiRequestTest, on_test), SET(MpiCollectiveBegin, on_coll_begin);
        SET(MpiCollectiveEnd, on_coll_end), SET(NonBlockingCollectiveRequest, on_nbc_request);
        SET(NonBlockingCollectiveComplete, on_nbc_done), SET(CommCreate, on_comm_create);
        SET(CommDestroy, on_comm_destroy), SET(RmaWinCreate, on_win_create);
        SET(RmaWinDestroy, on_win_destroy), SET(RmaCollectiveBegin, on_rma_begin);
        SET(RmaCollectiveEnd, on_rma_end), SET(RmaGroupSync, on_rma_group), SET(RmaPut, on_rma_put);
        SET(RmaGet, on_rma_get), SET(RmaAtomic, on_rma_atomic), SET(RmaOpCompleteNonBlocking, on_rma_done);
        SET(RmaOpCompleteBlocking, on_rma_done_b), SET(RmaOpCompleteRemote, on_rma_remote);
        SET(RmaRequestLock, on_rma_lock), SET(RmaReleaseLock, on_rma_unlock), SET(ThreadFork, on_fork);
        SET(ThreadJoin, on_join), SET(ThreadTeamBegin, on_team_begin), SET(ThreadTeamEnd, on_team_end);
        SET(ThreadAcquireLock, on_lock), SET(ThreadReleaseLock, on_unlock);
        SET(ThreadBegin, on_thread_begin), SET(ThreadEnd, on_thread_end);
        SET(ThreadCreate, on_thread_create), SET(ThreadWait, on_thread_wait);
        SET(CallingContextEnter, on_context_enter), SET(CallingContextLeave, on_context_leave);
        SET(Metric, on_metric), SET(ParameterInt, on_param_int), SET(ProgramBegin, on_begin);
        SET(ProgramEnd, on_end), SET(MeasurementOnOff, on_measurement), SET(BufferFlush, on_flush);
        SET(Unknown, on_unknown);
#undef SET
        return c;
}

static OTF2_CallbackCode def_clock(void *user, uint64_t resolution, uint64_t zero, uint64_t length,
                                   uint64_t date)
{
        lib_trace *t = user;
        t->resolution = resolution;
        t->zero = zero;
        (void)length, (void)date;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode def_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                      OTF2_LocationType type, uint64_t n, OTF2_LocationGroupRef group)
{
        add_id(user, LIB_LOCATION, self);
        (void)name, (void)type, (void)n, (void)group;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode def_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                    OTF2_StringRef canonical, OTF2_StringRef description,
                                    OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
                                    OTF2_StringRef file, uint32_t begin, uint32_t end)
{
        add_id(user, LIB_REGION, self);
        (void)name, (void)canonical, (void)description, (void)role, (void)paradigm, (void)flags, (void)file;
        (void)begin, (void)end;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode def_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                  OTF2_CommRef parent, OTF2_CommFlag flags)
{
        add_id(user, LIB_COMM, self);
        (void)name, (void)group, (void)parent, (void)flags;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode def_inter(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
                                   OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag flags)
{
        add_id(user, LIB_COMM, self);
        (void)name, (void)a, (void)b, (void)common, (void)flags;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode def_group(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                   OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n,
                                   const uint64_t *m)
{
        add_id(user, LIB_GROUP, self);
        (void)name, (void)type, (void)paradigm, (void)flags, (void)n, (void)m;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode def_window(void *user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                    OTF2_RmaWinFlag flags)
{
        add_id(user, LIB_WINDOW, self);
        (void)name, (void)comm, (void)flags;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode def_param(void *user, OTF2_ParameterRef self, OTF2_StringRef name,
                                   OTF2_ParameterType type)
{
        add_id(user, LIB_PARAMETER, self);
        (void)name, (void)type;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode def_metric(void *user, OTF2_MetricRef self, uint8_t n, const OTF2_MetricMemberRef *m,
                                    OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
        add_id(user, LIB_METRIC, self);
        (void)n, (void)m, (void)occurrence, (void)kind;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode def_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                     OTF2_SourceCodeLocationRef source, OTF2_CallingContextRef parent)
{
        lib_trace *t = user;
        uint32_t n = t->n[LIB_CONTEXT] + 1;
        t->context_region = realloc(t->context_region, n * sizeof(uint64_t));
        t->context_id = realloc(t->context_id, n * sizeof(uint64_t));
        t->context_region[n - 1] = region;
        t->context_id[n - 1] = self;
        add_id(t, LIB_CONTEXT, self);
        (void)source, (void)parent;
        return OTF2_CALLBACK_SUCCESS;
}

static int by_value(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;
        return PS_ORDER(*x, *y);
}

static void sort_ids(lib_trace *t, enum lib_table table)
{
        uint32_t kept = 0;
        if (t->n[table] == 0)
                return;
        qsort(t->id[table], t->n[table], sizeof(uint64_t), by_value);
        for (uint32_t i = 1; i < t->n[table]; i++)
                if (t->id[table][i] != t->id[table][kept])
                        t->id[table][++kept] = t->id[table][i];
        t->n[table] = kept + 1;
}

uint32_t lib_find(const lib_trace *trace, enum lib_table table, uint64_t id)
{
        uint64_t *hit = trace->n[table]
                                ? bsearch(&id, trace->id[table], trace->n[table], sizeof(id), by_value)
                                : NULL;
        return hit ? (uint32_t)(hit - trace->id[table]) : UINT32_MAX;
}

static void read_definitions(OTF2_Reader *reader, lib_trace *t)
{
        uint64_t n;
        OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(reader);
        OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
#define SET(name, fn) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(c, fn)
        SET(ClockProperties, def_clock), SET(Location, def_location), SET(Region, def_region);
        SET(Comm, def_comm), SET(InterComm, def_inter), SET(Group, def_group), SET(RmaWin, def_window);
        SET(Parameter, def_param), SET(MetricClass, def_metric), SET(CallingContext, def_context);
#undef SET
        OTF2_Reader_RegisterGlobalDefCallbacks(reader, defs, c, t);
        OTF2_GlobalDefReaderCallbacks_Delete(c);
        OTF2_Reader_ReadAllGlobalDefinitions(reader, defs, &n);
        OTF2_Reader_CloseGlobalDefReader(reader, defs);
        for (int table = 1; table < LIB_TABLES; table++)
                sort_ids(t, (enum lib_table)table);
}

static void read_locations(OTF2_Reader *reader, reading *r)
{
        lib_trace *t = r->trace;
        uint64_t n;
        for (uint32_t i = 0; i < t->n[LIB_LOCATION]; i++)
                OTF2_Reader_SelectLocation(reader, t->id[LIB_LOCATION][i]);
        int with_defs = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
        OTF2_Reader_OpenEvtFiles(reader);
        for (uint32_t i = 0; i < t->n[LIB_LOCATION]; i++) {
                OTF2_DefReader *defs =
                        with_defs ? OTF2_Reader_GetDefReader(reader, t->id[LIB_LOCATION][i]) : NULL;
                if (defs) {
                        OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &n);
                        OTF2_Reader_CloseDefReader(reader, defs);
                }
                OTF2_Reader_GetEvtReader(reader, t->id[LIB_LOCATION][i]);
        }
        if (with_defs)
                OTF2_Reader_CloseDefFiles(reader);
        OTF2_EvtReaderCallbacks *c = event_callbacks();
        for (uint32_t i = 0; i < t->n[LIB_LOCATION]; i++) {
                OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, t->id[LIB_LOCATION][i]);
                if (!events)
                        continue;
                OTF2_Reader_RegisterEvtCallbacks(reader, events, c, r);
                OTF2_Reader_ReadAllLocalEvents(reader, events, &n);
                OTF2_Reader_CloseEvtReader(reader, events);
        }
        OTF2_EvtReaderCallbacks_Delete(c);
        OTF2_Reader_CloseEvtFiles(reader);
}

int lib_read(lib_trace *out, const char *anchor)
{
        memset(out, 0, sizeof(*out));
        OTF2_Reader *reader = OTF2_Reader_Open(anchor);
        if (!reader)
                return -1;
        OTF2_Reader_SetSerialCollectiveCallbacks(reader);
        read_definitions(reader, out);
        uint32_t n = out->n[LIB_LOCATION];
        reading r = {out, calloc(n + 1, sizeof(*r.events))};
        read_locations(reader, &r);
        OTF2_Reader_Close(reader);
        out->events = calloc(n + 1, sizeof(*out->events));
        out->n_events = calloc(n + 1, sizeof(*out->n_events));
        for (uint32_t i = 0; i < n; i++) {
                out->events[i] = r.events[i].event;
                out->n_events[i] = r.events[i].n;
        }
        free(r.events);
        return 0;
}

void lib_free(lib_trace *trace)
{
        for (uint32_t i = 0; i < trace->n[LIB_LOCATION]; i++)
                free(trace->events[i]);
        for (int table = 0; table < LIB_TABLES; table++)
                free(trace->id[table]);
        free(trace->events);
        free(trace->n_events);
        free(trace->context_region);
        free(trace->context_id);
}
