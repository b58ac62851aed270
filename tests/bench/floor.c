/* floor.c - the yardstick: what it costs to see every event of a trace with the OTF2 library alone, by its
 * fastest way (each location's own reader, one thread) and with callbacks that only count. */
#include "tests/bench/bench.h"
#include "tests/support/damage.h"
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                          \
        do {                                                                                                 \
                OTF2_ErrorCode code = (call);                                                                \
                if (code != OTF2_SUCCESS)                                                                    \
                        ps_test_die("%s: %s", OTF2_Error_GetDescription(code), #call);                       \
        } while (0)

typedef struct locations {
        OTF2_LocationRef *id;
        size_t n, cap;
} locations;

static OTF2_CallbackCode on_location(void *ctx, OTF2_LocationRef id, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t n_events, OTF2_LocationGroupRef group)
{
        (void)name, (void)type, (void)n_events, (void)group;
        locations *l = ctx;
        if (l->n == l->cap) {
                l->cap = l->cap ? 2 * l->cap : 64;
                l->id = realloc(l->id, l->cap * sizeof *l->id);
                if (!l->id)
                        ps_test_die("out of memory");
        }
        l->id[l->n++] = id;
        return OTF2_CALLBACK_SUCCESS;
}

/* The fields are decoded for their own sake. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define COUNTER(name, ...)                                                                                   \
        static OTF2_CallbackCode name(OTF2_LocationRef loc, OTF2_TimeStamp time, uint64_t position,          \
                                      void *count, OTF2_AttributeList *attributes __VA_ARGS__)               \
        {                                                                                                    \
                ++*(uint64_t *)count;                                                                        \
                return OTF2_CALLBACK_SUCCESS;                                                                \
        }
#define AND ,
COUNTER(count_region, AND OTF2_RegionRef region)
COUNTER(count_context, AND OTF2_CallingContextRef context, uint32_t distance)
COUNTER(count_context_end, AND OTF2_CallingContextRef context)
COUNTER(count_message, AND uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
COUNTER(count_nonblocking, AND uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
        uint64_t request)
COUNTER(count_request, AND uint64_t request)
COUNTER(count_begin, )
COUNTER(count_end, AND OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent,
        uint64_t received)
COUNTER(count_end_later, AND OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent,
        uint64_t received, uint64_t request)
COUNTER(count_fork, AND OTF2_Paradigm model, uint32_t threads)
COUNTER(count_join, AND OTF2_Paradigm model)
COUNTER(count_team, AND OTF2_CommRef team)
COUNTER(count_critical, AND OTF2_Paradigm model, uint32_t lock, uint32_t order)
COUNTER(count_task, AND OTF2_CommRef team, uint32_t thread, uint32_t generation)
COUNTER(count_put, AND OTF2_RmaWinRef window, uint32_t target, uint64_t bytes, uint64_t id)
COUNTER(count_put_end, AND OTF2_RmaWinRef window, uint64_t id)
COUNTER(count_lock, AND OTF2_RmaWinRef window, uint32_t target, uint64_t id, OTF2_LockType type)
COUNTER(count_atomic, AND OTF2_RmaWinRef window, uint32_t target, OTF2_RmaAtomicType type, uint64_t sent,
        uint64_t received, uint64_t id)
COUNTER(count_sync, AND OTF2_RmaWinRef window, uint32_t target, OTF2_RmaSyncType type)
COUNTER(count_change, AND OTF2_RmaWinRef window)
COUNTER(count_unlock, AND OTF2_RmaWinRef window, uint32_t target, uint64_t id)
COUNTER(count_window_end, AND OTF2_CollectiveOp op, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
        uint32_t root, uint64_t sent, uint64_t received)
COUNTER(count_metric, AND OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types,
        const OTF2_MetricValue *values)
COUNTER(count_program_begin, AND OTF2_StringRef name, uint32_t n, const OTF2_StringRef *arguments)
COUNTER(count_program_end, AND int64_t status)

static void count_threads_and_windows(OTF2_EvtReaderCallbacks *c)
{
        CHECK(OTF2_EvtReaderCallbacks_SetThreadForkCallback(c, count_fork));
        CHECK(OTF2_EvtReaderCallbacks_SetThreadJoinCallback(c, count_join));
        CHECK(OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(c, count_team));
        CHECK(OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(c, count_team));
        CHECK(OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(c, count_critical));
        CHECK(OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(c, count_critical));
        CHECK(OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(c, count_task));
        CHECK(OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(c, count_task));
        CHECK(OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(c, count_task));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, count_put));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, count_put));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, count_atomic));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaSyncCallback(c, count_sync));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback(c, count_change));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(c, count_lock));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(c, count_lock));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(c, count_unlock));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(c, count_put_end));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(c, count_put_end));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(c, count_begin));
        CHECK(OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(c, count_window_end));
}

static OTF2_EvtReaderCallbacks *counters(void)
{
        OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
        if (!c)
                ps_test_die("out of memory");
        CHECK(OTF2_EvtReaderCallbacks_SetEnterCallback(c, count_region));
        CHECK(OTF2_EvtReaderCallbacks_SetLeaveCallback(c, count_region));
        CHECK(OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(c, count_context));
        CHECK(OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(c, count_context_end));
        CHECK(OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, count_message));
        CHECK(OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, count_message));
        CHECK(OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, count_nonblocking));
        CHECK(OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, count_nonblocking));
        CHECK(OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, count_request));
        CHECK(OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, count_request));
        CHECK(OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(c, count_request));
        CHECK(OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, count_request));
        CHECK(OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, count_end_later));
        CHECK(OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, count_begin));
        CHECK(OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, count_end));
        CHECK(OTF2_EvtReaderCallbacks_SetMetricCallback(c, count_metric));
        CHECK(OTF2_EvtReaderCallbacks_SetProgramBeginCallback(c, count_program_begin));
        CHECK(OTF2_EvtReaderCallbacks_SetProgramEndCallback(c, count_program_end));
        count_threads_and_windows(c);
        CHECK(OTF2_EvtReaderCallbacks_SetUnknownCallback(c, count_begin));
        return c;
}

static void read_global_defs(OTF2_Reader *reader, locations *l)
{
        OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(reader);
        OTF2_GlobalDefReaderCallbacks *calls = OTF2_GlobalDefReaderCallbacks_New();
        uint64_t n;
        CHECK(OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, on_location));
        CHECK(OTF2_Reader_RegisterGlobalDefCallbacks(reader, defs, calls, l));
        OTF2_GlobalDefReaderCallbacks_Delete(calls);
        CHECK(OTF2_Reader_ReadAllGlobalDefinitions(reader, defs, &n));
}

/* Selects all locations and applies their own definitions (mapping tables, clock offsets). */
static void open_locations(OTF2_Reader *reader, const locations *l)
{
        for (size_t i = 0; i < l->n; i++)
                CHECK(OTF2_Reader_SelectLocation(reader, l->id[i]));
        CHECK(OTF2_Reader_OpenEvtFiles(reader));
        CHECK(OTF2_Reader_OpenDefFiles(reader));
        for (size_t i = 0; i < l->n; i++) {
                OTF2_DefReader *defs = OTF2_Reader_GetDefReader(reader, l->id[i]);
                uint64_t n;
                if (defs) {
                        CHECK(OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &n));
                        CHECK(OTF2_Reader_CloseDefReader(reader, defs));
                }
                OTF2_Reader_GetEvtReader(reader,
                                         l->id[i]); /* before the first is read, or it is refused later */
        }
        CHECK(OTF2_Reader_CloseDefFiles(reader));
}

static uint64_t read_events(OTF2_Reader *reader, const locations *l, uint64_t *seen)
{
        OTF2_EvtReaderCallbacks *calls = counters();
        uint64_t total = 0;
        for (size_t i = 0; i < l->n; i++) {
                OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, l->id[i]);
                uint64_t n = 0;
                CHECK(OTF2_Reader_RegisterEvtCallbacks(reader, events, calls, seen));
                CHECK(OTF2_Reader_ReadAllLocalEvents(reader, events, &n));
                CHECK(OTF2_Reader_CloseEvtReader(reader, events));
                total += n;
        }
        OTF2_EvtReaderCallbacks_Delete(calls);
        return total;
}

/* At a time; the library takes 1 MiB for each that is open. */
enum { LOCATIONS_MOST = 1024 };

/* Of those from `first` on; returns how many locations there are. */
static size_t read_some(const char *anchor, size_t first, uint64_t *total, uint64_t *seen)
{
        locations l = {0};
        OTF2_Reader *reader = OTF2_Reader_Open(anchor);
        if (!reader)
                ps_test_die("cannot open: path=\"%s\"", anchor);
        CHECK(OTF2_Reader_SetSerialCollectiveCallbacks(reader));
        read_global_defs(reader, &l);
        size_t n = l.n - first;
        locations some = {.id = l.id + first, .n = n < LOCATIONS_MOST ? n : LOCATIONS_MOST};
        open_locations(reader, &some);
        *total += read_events(reader, &some, seen);
        CHECK(OTF2_Reader_CloseEvtFiles(reader));
        CHECK(OTF2_Reader_Close(reader));
        free(l.id);
        return l.n;
}

int bench_floor(const char *anchor)
{
        uint64_t seen = 0, total = 0;
        size_t first = 0, n;
        do {
                n = read_some(anchor, first, &total, &seen);
                first += LOCATIONS_MOST;
        } while (first < n);
        if (seen != total)
                ps_test_die("records without a callback: events=%" PRIu64 ", seen=%" PRIu64, total, seen);
        printf("events=%" PRIu64 "\n", total);
        return 0;
}
