/* test_tracegen.c - what tracegen writes, seen by the library's own reader: each test compares the events as
 * lines "location time what", in the order (time, location). */
#include "tests/support/damage.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_IDS = 64, START = 5000 };

typedef struct seen {
        const char *strings[MAX_IDS];
        struct {
                uint64_t id;
                uint32_t name;
        } regions[MAX_IDS];
        uint32_t n_regions, n_group_0, n_mpi_regions;
        uint64_t locations[MAX_IDS], promised[MAX_IDS];
        uint32_t n_locations;
        uint64_t n_events;
        char text[8192];
        size_t len;
} seen;

static OTF2_CallbackCode on_string(void *ctx, OTF2_StringRef id, const char *text)
{
        seen *s = ctx;
        assert_true(id < MAX_IDS);
        s->strings[id] = strdup(text);
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *ctx, OTF2_RegionRef id, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
                                   OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
                                   uint32_t begin, uint32_t end)
{
        (void)canonical, (void)description, (void)role, (void)flags, (void)file, (void)begin, (void)end;
        seen *s = ctx;
        assert_true(s->n_regions < MAX_IDS);
        s->regions[s->n_regions].id = id;
        s->regions[s->n_regions++].name = name;
        s->n_mpi_regions += paradigm == OTF2_PARADIGM_MPI;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *ctx, OTF2_LocationRef id, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t n_events, OTF2_LocationGroupRef group)
{
        (void)name, (void)type, (void)group;
        seen *s = ctx;
        assert_true(s->n_locations < MAX_IDS);
        s->promised[s->n_locations] = n_events;
        s->locations[s->n_locations++] = id;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *ctx, OTF2_GroupRef id, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n,
                                  const uint64_t *members)
{
        (void)name, (void)type, (void)paradigm, (void)flags, (void)n, (void)members;
        ((seen *)ctx)->n_group_0 += id == 0;
        return OTF2_CALLBACK_SUCCESS;
}

static void note(seen *s, OTF2_LocationRef loc, OTF2_TimeStamp time, const char *what, ...)
{
        va_list args;
        va_start(args, what);
        size_t room = sizeof s->text - s->len;
        s->len += (size_t)snprintf(s->text + s->len, room, "%llu %lld ", (unsigned long long)loc,
                                   (long long)(time - START));
        s->len += (size_t)vsnprintf(s->text + s->len, sizeof s->text - s->len, what, args);
        s->len += (size_t)snprintf(s->text + s->len, sizeof s->text - s->len, "\n");
        va_end(args);
}

static const char *region_name(const seen *s, OTF2_RegionRef id)
{
        for (uint32_t i = 0; i < s->n_regions; i++)
                if (s->regions[i].id == id)
                        return s->strings[s->regions[i].name];
        return "?";
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef loc, OTF2_TimeStamp time, void *ctx, OTF2_AttributeList *a,
                                  OTF2_RegionRef region)
{
        uint32_t site;
        note(ctx, loc, time, "+%s", region_name(ctx, region));
        if (OTF2_AttributeList_GetNumberOfElements(a) &&
            !OTF2_AttributeList_GetSourceCodeLocationRef(a, 0, &site))
                note(ctx, loc, time, "site %u", site);
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef loc, OTF2_TimeStamp time, void *ctx, OTF2_AttributeList *a,
                                  OTF2_RegionRef region)
{
        (void)a;
        note(ctx, loc, time, "-%s", region_name(ctx, region));
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_send(OTF2_LocationRef loc, OTF2_TimeStamp time, void *ctx, OTF2_AttributeList *a,
                                 uint32_t to, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
        (void)a;
        note(ctx, loc, time, "send %u %u %u %llu", to, comm, tag, (unsigned long long)bytes);
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef loc, OTF2_TimeStamp time, void *ctx, OTF2_AttributeList *a,
                                 uint32_t from, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
        (void)a;
        note(ctx, loc, time, "recv %u %u %u %llu", from, comm, tag, (unsigned long long)bytes);
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_coll_end(OTF2_LocationRef loc, OTF2_TimeStamp time, void *ctx,
                                     OTF2_AttributeList *a, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                     uint32_t root, uint64_t sent, uint64_t received)
{
        (void)a;
        note(ctx, loc, time, "coll %u %u %u %llu %llu", op, comm, root, (unsigned long long)sent,
             (unsigned long long)received);
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_Reader *open_with_defs(const char *anchor, seen *s)
{
        OTF2_Reader *r = OTF2_Reader_Open(anchor);
        assert_non_null(r);
        OTF2_Reader_SetSerialCollectiveCallbacks(r);
        OTF2_GlobalDefReaderCallbacks *calls = OTF2_GlobalDefReaderCallbacks_New();
        OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls, on_string);
        OTF2_GlobalDefReaderCallbacks_SetRegionCallback(calls, on_region);
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, on_location);
        OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls, on_group);
        OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(r);
        OTF2_Reader_RegisterGlobalDefCallbacks(r, defs, calls, s);
        OTF2_GlobalDefReaderCallbacks_Delete(calls);
        uint64_t n;
        assert_int_equal(OTF2_Reader_ReadAllGlobalDefinitions(r, defs, &n), OTF2_SUCCESS);
        return r;
}

static OTF2_ErrorCode read_events(OTF2_Reader *r, seen *s)
{
        OTF2_GlobalEvtReaderCallbacks *calls = OTF2_GlobalEvtReaderCallbacks_New();
        OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(calls, on_enter);
        OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(calls, on_leave);
        OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(calls, on_send);
        OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(calls, on_recv);
        OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(calls, on_coll_end);
        OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(r);
        OTF2_Reader_RegisterGlobalEvtCallbacks(r, events, calls, s);
        OTF2_GlobalEvtReaderCallbacks_Delete(calls);
        OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalEvents(r, events, &s->n_events);
        OTF2_Reader_CloseGlobalEvtReader(r, events);
        return code;
}

static OTF2_ErrorCode read_back(const char *anchor, seen *s)
{
        memset(s, 0, sizeof *s);
        OTF2_Reader *r = open_with_defs(anchor, s);
        for (uint32_t i = 0; i < s->n_locations; i++)
                OTF2_Reader_SelectLocation(r, s->locations[i]);
        OTF2_Reader_OpenEvtFiles(r);
        OTF2_Reader_OpenDefFiles(r);
        for (uint32_t i = 0; i < s->n_locations; i++) {
                uint64_t n;
                OTF2_DefReader *d = OTF2_Reader_GetDefReader(r, s->locations[i]);
                assert_int_equal(OTF2_Reader_ReadAllLocalDefinitions(r, d, &n), OTF2_SUCCESS);
                OTF2_Reader_CloseDefReader(r, d);
                OTF2_Reader_GetEvtReader(r, s->locations[i]);
        }
        OTF2_Reader_CloseDefFiles(r);
        OTF2_ErrorCode code = read_events(r, s);
        OTF2_Reader_CloseEvtFiles(r);
        OTF2_Reader_Close(r);
        return code;
}

static void forget(seen *s)
{
        for (int i = 0; i < MAX_IDS; i++)
                free((void *)s->strings[i]);
}

/* One message and one reduction, in every style of ids and clocks the same. */
static ps_gen *pair(ps_gen_options o)
{
        o.ranks = 2;
        o.start = START;
        ps_gen *g = ps_gen_new(NULL, o);
        uint32_t comm = ps_gen_comm(g, "turned", (uint32_t[]){1, 0}, 2);
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_send(g, 0, 10, 30, 0, comm, 7, 4096); /* rank 0 of `turned` is process 1 */
        ps_gen_collective(g, "MPI_Reduce", 0, 61, 69, PS_GEN_WORLD, 1, 8, 0);
        ps_gen_leave(g, 0, 90, "main");
        ps_gen_recv(g, 1, 20, 40, 1, comm, 7, 4096);
        ps_gen_collective(g, "MPI_Reduce", 1, 60, 72, PS_GEN_WORLD, 1, 8, 16);
        return g;
}

static const char pair_text[] = "0 0 +main\n"
                                "0 10 +MPI_Send\n"
                                "0 15 send 0 1 7 4096\n"
                                "1 20 +MPI_Recv\n"
                                "0 30 -MPI_Send\n"
                                "1 35 recv 1 1 7 4096\n"
                                "1 40 -MPI_Recv\n"
                                "1 60 +MPI_Reduce\n"
                                "0 61 +MPI_Reduce\n"
                                "0 67 coll 12 0 1 8 0\n"
                                "0 69 -MPI_Reduce\n"
                                "1 69 coll 12 0 1 8 16\n"
                                "1 72 -MPI_Reduce\n"
                                "0 90 -main\n";

static void expect_pair(ps_gen_options o)
{
        ps_gen *g = pair(o);
        seen s;
        ps_gen_close(g);
        assert_int_equal(read_back(ps_gen_anchor(g), &s), OTF2_SUCCESS);
        assert_string_equal(s.text, pair_text);
        assert_int_equal(s.n_mpi_regions, 3);
        assert_int_equal(s.promised[0], 2 + 3 + 4);
        assert_int_equal(s.promised[1], 3 + 4);
        forget(&s);
        ps_gen_free(g);
}

TEST(a_generated_pair_reads_back)
{
        expect_pair((ps_gen_options){0});
}

TEST(mapped_ids_come_back_global)
{
        expect_pair((ps_gen_options){.mapped = 1});
}

TEST(skew_is_corrected)
{
        expect_pair((ps_gen_options){.skew = (int64_t[]){0, -3000}});
}

TEST(eztrace_keeps_skew_and_habits)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2,
                                                      .start = START,
                                                      .style = PS_GEN_EZTRACE,
                                                      .fortran = 1,
                                                      .skew = (int64_t[]){0, 500}});
        ps_gen_barrier(g, 0, 100, 200, PS_GEN_WORLD);
        ps_gen_barrier(g, 1, 140, 200, PS_GEN_WORLD);
        ps_gen_close(g);
        seen s;
        assert_int_equal(read_back(ps_gen_anchor(g), &s), OTF2_SUCCESS);
        assert_non_null(strstr(ps_gen_anchor(g), "/eztrace_log.otf2"));
        /* The second of two ranks lies half of 2^31 - 1 further on. */
        assert_string_equal(s.text, "0 100 +mpi_barrier_\n0 175 coll 0 0 4294967295 0 0\n"
                                    "0 200 -mpi_barrier_\n1073741823 640 +mpi_barrier_\n"
                                    "1073741823 685 coll 0 0 4294967295 0 0\n"
                                    "1073741823 700 -mpi_barrier_\n");
        assert_int_equal(s.n_group_0, 2);
        assert_int_equal(s.n_mpi_regions, 0);
        assert_int_equal(s.n_regions, 2 * 3); /* MPI_Barrier, Working and EZTrace finalize of each rank */
        assert_int_equal(s.promised[0], 2);
        forget(&s);
        ps_gen_free(g);
}

TEST(sites_and_defects)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.start = START});
        ps_gen_site(g, 0, "a.c", 11);
        ps_gen_enter(g, 0, 5, "main");
        ps_gen_put(g, 0, 6, PS_GEN_REC_OF(SEND, .peer = 99, .comm = 42, .tag = 1, .bytes = 2));
        ps_gen_leave(g, 0, 7, "other");
        ps_gen_promise(g, 0, 77);
        ps_gen_retime(g, 0, 7, 1);
        seen s;
        assert_int_equal(read_back(ps_gen_anchor(g), &s), OTF2_SUCCESS);
        assert_string_equal(s.text, "0 5 +main\n0 5 site 0\n0 6 send 99 42 1 2\n0 1 -other\n");
        assert_int_equal(s.promised[0], 77);
        forget(&s);
        ps_gen_free(g);
}

TEST(a_truncated_file_fails_to_read)
{
        ps_gen *g = pair((ps_gen_options){0});
        ps_gen_close(g);
        const char *file = ps_gen_events_file(g, 1);
        ps_file_truncate(file, ps_file_size(file) / 2);
        seen s;
        assert_int_not_equal(read_back(ps_gen_anchor(g), &s), OTF2_SUCCESS);
        forget(&s);
        ps_gen_free(g);
}

/* A request's life, threads, a window and contexts: what counts is that the library takes them all. */
TEST(every_kind_of_record)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .threads = 2, .mapped = 1, .nodes = 2});
        uint32_t team = ps_gen_team(g, "team", (uint32_t[]){ps_gen_at(g, 1, 0), ps_gen_at(g, 1, 1)}, 2);
        uint32_t win = ps_gen_window(g, "window", PS_GEN_WORLD), parameter = ps_gen_parameter(g, "step");
        uint32_t main_context = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", "a.c", 3);
        uint32_t context = ps_gen_context(g, main_context, "MPI_Send", NULL, 0);
        uint32_t inter = ps_gen_intercomm(g, "inter", (uint32_t[]){0}, 1, (uint32_t[]){1}, 1);
        uint32_t self = ps_gen_self(g);
        uint64_t n = 0;
#define PS_GEN_REC(id, ...)                                                                                  \
        n++;                                                                                                 \
        ps_gen_put(g, 3, n,                                                                                  \
                   (ps_gen_rec){.kind = PS_GEN_R_##id,                                                       \
                                .comm = PS_GEN_R_##id % 2 ? team : inter,                                    \
                                .ref = win + context + parameter});
#define PS_GEN_REC0(id, ...) PS_GEN_REC(id, __VA_ARGS__)
#include "tests/support/tracegen.def"
        ps_gen_barrier(g, 0, 0, 10, self);
        ps_gen_nbc(g, "MPI_Ibarrier", 1, 0, 10, 5);
        ps_gen_wait(g, 1, 10, 20, PS_GEN_COLLECTED("MPI_Ibarrier", PS_GEN_WORLD, UINT32_MAX, 0, 0, 5));
        ps_gen_isend(g, 1, 21, 22, 0, PS_GEN_WORLD, 1, 8, 6);
        ps_gen_irecv(g, 1, 23, 24, 7);
        ps_gen_rec done[] = {PS_GEN_GOT(0, PS_GEN_WORLD, 1, 8, 7), PS_GEN_SENT(6)};
        ps_gen_waitall(g, 1, 25, 30, 2, done);
        ps_gen_win_collective(g, "MPI_Win_fence", 1, 31, 39, win);
        ps_gen_context_call(g, context, 1, 40, 50, 1, &PS_GEN_REC_OF(SEND, .comm = PS_GEN_WORLD));
        ps_gen_close(g);
        seen s;
        assert_int_equal(read_back(ps_gen_anchor(g), &s), OTF2_SUCCESS);
        /* 4 of the barrier, 3 each of four calls about one request, 4 of two about two, 4 of the fence, 3 of
         * the last send. */
        assert_int_equal(s.n_events, n + 4 + 4 * 3 + 4 + 4 + 3);
        forget(&s);
        ps_gen_free(g);
}
