/* lab.c - see lab.h. */
#include "tests/simulator/replay/lab.h"

#include "tests/support/damage.h"
#include <stdlib.h>
#include <string.h>

typedef struct request {
        uint32_t peer, tag;
        uint64_t bytes;
        int receives;
} request;

struct replay_lab {
        ps_recording *recording;
        ps_region call[PS_K_COUNT]; /* PS_NONE: not met yet */
        ps_region root;             /* each rank is in it from 0 to its end */
        ps_time *clock, *takes;     /* by rank */
        char *has_begun;
        request *requests;
        uint64_t n_requests, cap_requests;
        uint32_t n_ranks;
        ps_error err;
};

static void must(replay_lab *lab, ps_status status)
{
        if (status < 0)
                ps_test_die("%s", lab->err.cause[0].text);
}

static ps_defs *defs_of(replay_lab *lab)
{
        return ps_recording_defs(lab->recording);
}

replay_lab *replay_lab_new(uint32_t n_ranks)
{
        replay_lab *lab = calloc(1, sizeof *lab);
        uint32_t *all = calloc(n_ranks + 1, sizeof *all);
        must(lab, ps_recording_new(&lab->recording, "test", &lab->err));
        lab->n_ranks = n_ranks;
        lab->clock = calloc(n_ranks + 1, sizeof *lab->clock);
        lab->takes = calloc(n_ranks + 1, sizeof *lab->takes);
        lab->has_begun = calloc(n_ranks + 1, sizeof *lab->has_begun);
        memset(lab->call, 0xff, sizeof lab->call);
        for (uint32_t i = 0; i < n_ranks; i++) {
                ps_process_def process = {0};
                ps_location_def location = {.process = i, .native = i, .n_events = UINT64_MAX};
                must(lab, ps_defs_add_process(defs_of(lab), &process, NULL, &lab->err));
                must(lab, ps_defs_add_location(defs_of(lab), &location, NULL, &lab->err));
                all[i] = i;
        }
        replay_lab_comm(lab, all, n_ranks);
        free(all);
        lab->root = replay_lab_region(lab, "main");
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                ps_region_def def = {.name = ps_strings_addz(defs_of(lab)->strings, ps_kinds[kind].name),
                                     .paradigm = PS_PARADIGM_MPI,
                                     .kind = (uint8_t)kind,
                                     .given = 1};
                must(lab, ps_defs_add_region(defs_of(lab), &def, &lab->call[kind], &lab->err));
        }
        return lab;
}

ps_comm replay_lab_comm(replay_lab *lab, const uint32_t *ranks, uint32_t n)
{
        uint32_t *members = ps_arena_alloc(defs_of(lab)->arena, n, sizeof *members);
        memcpy(members, ranks, n * sizeof *members);
        ps_comm_def def = {.parent = PS_NONE, .n_members = n, .members = members};
        ps_comm comm;
        must(lab, ps_defs_add_comm(defs_of(lab), &def, &comm, &lab->err));
        return comm;
}

ps_region replay_lab_region(replay_lab *lab, const char *name)
{
        /* "idle" is what PICL has; a function of the program of that name would be one like any other. */
        ps_region_def def = {.name = ps_strings_addz(defs_of(lab)->strings, name),
                             .paradigm = strcmp(name, "idle") ? PS_PARADIGM_USER : PS_PARADIGM_OTHER};
        ps_region region;
        must(lab, ps_defs_add_region(defs_of(lab), &def, &region, &lab->err));
        return region;
}

/* -- events -- */

static void put(replay_lab *lab, uint32_t rank, ps_event e)
{
        if (!lab->has_begun[rank]) {
                ps_event first = {.kind = PS_EV_ENTER, .ref = lab->root};
                lab->has_begun[rank] = 1;
                must(lab, ps_recording_add(lab->recording, rank, &first, &lab->err));
        }
        e.time = lab->clock[rank];
        must(lab, ps_recording_add(lab->recording, rank, &e, &lab->err));
}

ps_trace *replay_lab_trace(replay_lab *lab)
{
        return replay_lab_trace_with(lab, NULL);
}

ps_trace *replay_lab_trace_with(replay_lab *lab, const struct ps_piece_options *pieces)
{
        ps_trace *trace;
        ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS, .pieces = pieces};
        for (uint32_t rank = 0; rank < lab->n_ranks; rank++)
                rank_leave(lab, rank, lab->root);
        must(lab, ps_recording_load(&trace, lab->recording, &options, &lab->err));
        ps_recording_free(lab->recording);
        free(lab->clock);
        free(lab->takes);
        free(lab->has_begun);
        free(lab->requests);
        free(lab);
        return trace;
}

void rank_enter(replay_lab *lab, uint32_t rank, ps_region region)
{
        put(lab, rank, (ps_event){.kind = PS_EV_ENTER, .ref = region});
}

void rank_leave(replay_lab *lab, uint32_t rank, ps_region region)
{
        put(lab, rank, (ps_event){.kind = PS_EV_LEAVE, .ref = region});
}

void rank_compute(replay_lab *lab, uint32_t rank, ps_time time)
{
        lab->clock[rank] += time;
}

void rank_visit(replay_lab *lab, uint32_t rank, ps_region region, ps_time time)
{
        rank_enter(lab, rank, region);
        rank_compute(lab, rank, time);
        rank_leave(lab, rank, region);
}

void rank_calls_take(replay_lab *lab, uint32_t rank, ps_time time)
{
        lab->takes[rank] = time;
}

static void begin(replay_lab *lab, uint32_t rank, ps_kind kind)
{
        rank_enter(lab, rank, lab->call[kind]);
}

static void end(replay_lab *lab, uint32_t rank, ps_kind kind)
{
        lab->clock[rank] += lab->takes[rank];
        rank_leave(lab, rank, lab->call[kind]);
}

void rank_send(replay_lab *lab, uint32_t rank, ps_kind kind, uint32_t to, uint32_t tag, uint64_t bytes)
{
        begin(lab, rank, kind);
        put(lab, rank, (ps_event){.kind = PS_EV_SEND, .peer = to, .tag = tag, .bytes = bytes});
        end(lab, rank, kind);
}

void rank_recv(replay_lab *lab, uint32_t rank, uint32_t from, uint32_t tag, uint64_t bytes)
{
        begin(lab, rank, PS_K_RECV);
        lab->clock[rank] += lab->takes[rank];
        put(lab, rank, (ps_event){.kind = PS_EV_RECV, .peer = from, .tag = tag, .bytes = bytes});
        rank_leave(lab, rank, lab->call[PS_K_RECV]);
}

static uint64_t new_request(replay_lab *lab, request r)
{
        if (lab->n_requests == lab->cap_requests) {
                lab->cap_requests = lab->cap_requests ? 2 * lab->cap_requests : 64;
                lab->requests = realloc(lab->requests, lab->cap_requests * sizeof r);
        }
        lab->requests[lab->n_requests] = r;
        return lab->n_requests++;
}

uint64_t rank_isend(replay_lab *lab, uint32_t rank, ps_kind kind, uint32_t to, uint32_t tag, uint64_t bytes)
{
        uint64_t id = new_request(lab, (request){to, tag, bytes, 0});
        begin(lab, rank, kind);
        put(lab, rank,
            (ps_event){.kind = PS_EV_ISEND, .peer = to, .tag = tag, .bytes = bytes, .request = id});
        end(lab, rank, kind);
        return id;
}

uint64_t rank_irecv(replay_lab *lab, uint32_t rank, uint32_t from, uint32_t tag, uint64_t bytes)
{
        uint64_t id = new_request(lab, (request){from, tag, bytes, 1});
        begin(lab, rank, PS_K_IRECV);
        put(lab, rank, (ps_event){.kind = PS_EV_IRECV_POST, .request = id});
        end(lab, rank, PS_K_IRECV);
        return id;
}

void rank_waitall(replay_lab *lab, uint32_t rank, const uint64_t *requests, uint32_t n)
{
        begin(lab, rank, PS_K_WAITALL);
        lab->clock[rank] += lab->takes[rank];
        for (uint32_t i = 0; i < n; i++) {
                const request *r = &lab->requests[requests[i]];
                put(lab, rank,
                    (ps_event){.kind = r->receives ? PS_EV_IRECV : PS_EV_ISEND_DONE,
                               .peer = r->peer,
                               .tag = r->tag,
                               .bytes = r->bytes,
                               .request = requests[i]});
        }
        rank_leave(lab, rank, lab->call[PS_K_WAITALL]);
}

void rank_wait(replay_lab *lab, uint32_t rank, uint64_t id)
{
        rank_waitall(lab, rank, &id, 1);
}

void rank_test(replay_lab *lab, uint32_t rank)
{
        begin(lab, rank, PS_K_TEST);
        end(lab, rank, PS_K_TEST);
}

void rank_coll(replay_lab *lab, uint32_t rank, ps_kind kind, ps_comm comm, uint32_t root, uint64_t bytes)
{
        begin(lab, rank, kind);
        put(lab, rank, (ps_event){.kind = PS_EV_COLL_BEGIN});
        lab->clock[rank] += lab->takes[rank];
        put(lab, rank,
            (ps_event){.kind = PS_EV_COLL_END,
                       .op = (uint8_t)kind,
                       .comm = comm,
                       .peer = root,
                       .bytes = bytes,
                       .received = bytes});
        rank_leave(lab, rank, lab->call[kind]);
}

/* -- replays -- */

ps_replayed lab_replayed(const ps_trace *trace, const ps_scenario *scenario)
{
        ps_replay *replay;
        ps_replayed out;
        ps_error err = {0};
        ps_replay_options options = {.wants_timing = 1, .n_threads = 1};
        if (ps_replay_new(&replay, trace, &trace->measured, 1, &err) ||
            ps_replay_run(&out, replay, scenario, 1, &options, &err))
                ps_test_die("%s", err.cause[0].text);
        ps_replay_free(replay);
        return out;
}

ps_time lab_time_on(const ps_trace *trace, const ps_machine *machine)
{
        ps_scenario scenario;
        ps_scenario_init(&scenario);
        scenario.machine = machine;
        ps_replayed out = lab_replayed(trace, &scenario);
        if (out.stuck)
                ps_test_die("the replay is stuck");
        ps_time total = out.total;
        ps_replayed_clear(&out);
        return total;
}

ps_work_edit lab_work(const ps_trace *trace, const char *region, ps_work_change change, double factor)
{
        enum { PATHS = 1 << 14, EDITS = 16 };
        static uint8_t room[EDITS][PATHS];
        static unsigned n;
        uint8_t *paths = room[n++ % EDITS];
        if (trace->n_paths > PATHS)
                ps_test_die("too many call paths");
        paths[0] = !region;
        for (ps_path p = 1; p < trace->n_paths; p++) {
                ps_region own = trace->paths[p].region;
                bool is_it = region && own != PS_NONE &&
                             !strcmp(ps_defs_str(&trace->defs, trace->defs.regions.row[own].name), region);
                paths[p] = paths[trace->paths[p].parent] ? PS_WORK_IS_IN : 0;
                if (is_it && !paths[p])
                        paths[p] = PS_WORK_IS_IN | PS_WORK_OPENS;
        }
        return (ps_work_edit){.paths = paths, .factor = factor, .change = (uint8_t)change};
}
