/* make_demo.c - writes the bundled trace: make_demo DIRECTORY.
 *
 * It plays heat.c on four ranks with a small model of the machine (work takes 1 us a point, a message 5 us, a
 * synchronous send ends when it is received), so that the trace is the same on every machine and its waits
 * are known: rank 2 works longest, and rank 0 receives the reports one after the other. The source lines are
 * those of traces/demo/heat.c. */
#include "tests/support/tracegen.h"

#include <stdio.h>

enum { RANKS = 4, STEPS = 40, REPORT_EVERY = 10, POINTS = 2000, MOST_POINTS = 2800, SLOW_RANK = 2 };
enum { CALL_NS = 800, MESSAGE_NS = 5000, PRINT_NS = 400000, POINT_NS = 1000 };

#define SOURCE "traces/demo/heat.c"

typedef struct demo {
        ps_gen *gen;
        uint64_t now[RANKS];
        uint64_t sent[RANKS];
        uint64_t request;
} demo;

static void enter(demo *d, uint32_t rank, const char *name, uint32_t line)
{
        if (line)
                ps_gen_site(d->gen, rank, SOURCE, line);
        ps_gen_enter(d->gen, rank, d->now[rank] += 100, name);
}

static void leave(demo *d, uint32_t rank, const char *name)
{
        ps_gen_leave(d->gen, rank, d->now[rank] += 100, name);
}

static int ends_something(ps_gen_kind kind)
{
        return kind == PS_GEN_R_RECV || kind == PS_GEN_R_IRECV || kind == PS_GEN_R_ISEND_DONE ||
               kind == PS_GEN_R_COLL_END;
}

/* A call at `line` that ends at `end`, but not before it has begun. Its records stand where recorders write
 * them: right after it is entered, or right before it is left. */
static void call(demo *d, uint32_t rank, const char *name, uint32_t line, uint64_t end, uint32_t n,
                 const ps_gen_rec *records)
{
        uint64_t begin = d->now[rank] += 100;
        if (end < begin + CALL_NS)
                end = begin + CALL_NS;
        ps_gen_site(d->gen, rank, SOURCE, line);
        ps_gen_enter(d->gen, rank, begin, name);
        for (uint32_t i = 0; i < n; i++)
                ps_gen_put(d->gen, rank, ends_something(records[i].kind) ? end - 100 : begin + 100,
                           records[i]);
        ps_gen_leave(d->gen, rank, end, name);
        d->now[rank] = end;
}

static uint64_t latest(const uint64_t *times)
{
        uint64_t last = 0;
        for (uint32_t r = 0; r < RANKS; r++)
                last = times[r] > last ? times[r] : last;
        return last;
}

/* Requests of a rank's exchange: request + 0, 1 the receives from left and right, + 2, 3 the sends there. */
static void post_exchange(demo *d, uint32_t r)
{
        enter(d, r, "exchange", 61);
        for (uint32_t side = 0; side < 2; side++) {
                ps_gen_rec post = PS_GEN_REC_OF(IRECV_REQUEST, .request = d->request + side);
                call(d, r, "MPI_Irecv", 19 + side, 0, (side ? r + 1 < RANKS : r > 0), &post);
        }
        d->sent[r] = d->now[r] + 100;
        for (uint32_t side = 0; side < 2; side++) {
                int there = side ? r > 0 : r + 1 < RANKS;
                ps_gen_rec send = PS_GEN_REC_OF(ISEND, .peer = side ? r - 1 : r + 1, .tag = side + 1,
                                                .bytes = 8, .request = d->request + 3 - side);
                call(d, r, "MPI_Isend", 21 + side, 0, (uint32_t)there, &send);
        }
}

static void finish_exchange(demo *d, uint32_t r)
{
        ps_gen_rec done[4];
        uint32_t n = 0;
        uint64_t end = 0;
        for (uint32_t side = 0; side < 2; side++) {
                if (side ? r + 1 == RANKS : r == 0)
                        continue;
                uint32_t peer = side ? r + 1 : r - 1;
                end = d->sent[peer] + MESSAGE_NS > end ? d->sent[peer] + MESSAGE_NS : end;
                done[n++] = PS_GEN_GOT(peer, PS_GEN_WORLD, side + 1, 8, d->request + side);
                done[n++] = PS_GEN_SENT(d->request + 2 + side);
        }
        call(d, r, "MPI_Waitall", 23, end, n, done);
        leave(d, r, "exchange");
}

static void relax(demo *d, uint32_t r, uint32_t step)
{
        uint64_t points = r == SLOW_RANK ? MOST_POINTS : POINTS;
        uint64_t noise = (r * 7 + step * 13) % 17; /* thousandths: no two steps are quite alike */
        enter(d, r, "relax", 62);
        d->now[r] += points * POINT_NS * (1000 + noise) / 1000;
        leave(d, r, "relax");
}

static void report(demo *d)
{
        for (uint32_t r = 0; r < RANKS; r++)
                enter(d, r, "report", 64);
        uint64_t end = latest(d->now) + 4 * (uint64_t)MESSAGE_NS;
        for (uint32_t r = 0; r < RANKS; r++) {
                ps_gen_rec sum[] = {PS_GEN_REC_OF(COLL_BEGIN, .op = 0),
                                    PS_GEN_REC_OF(COLL_END, .op = ps_gen_op("MPI_Allreduce"),
                                                  .comm = PS_GEN_WORLD, .peer = OTF2_COLLECTIVE_ROOT_NONE,
                                                  .bytes = 8, .received = 8)};
                call(d, r, "MPI_Allreduce", 42, end + r * 200, 2, sum);
        }
        d->now[0] += PRINT_NS;
        for (uint32_t r = 1; r < RANKS; r++) {
                uint64_t bytes = 8 * (r == SLOW_RANK ? MOST_POINTS : POINTS);
                uint64_t received = (d->now[0] > d->now[r] ? d->now[0] : d->now[r]) + MESSAGE_NS + bytes;
                ps_gen_rec send =
                        PS_GEN_REC_OF(SEND, .peer = 0, .comm = PS_GEN_WORLD, .tag = 3, .bytes = bytes);
                ps_gen_rec recv =
                        PS_GEN_REC_OF(RECV, .peer = r, .comm = PS_GEN_WORLD, .tag = 3, .bytes = bytes);
                call(d, r, "MPI_Ssend", 48, received, 1, &send);
                call(d, 0, "MPI_Recv", 46, received, 1, &recv);
        }
        for (uint32_t r = 0; r < RANKS; r++)
                leave(d, r, "report");
}

static void play(demo *d)
{
        for (uint32_t r = 0; r < RANKS; r++) {
                enter(d, r, "main", 0);
                call(d, r, "MPI_Init", 54, 1000000 + r * 1000, 0, NULL);
        }
        for (uint32_t step = 1; step <= STEPS; step++) {
                for (uint32_t r = 0; r < RANKS; r++)
                        post_exchange(d, r);
                for (uint32_t r = 0; r < RANKS; r++)
                        finish_exchange(d, r);
                d->request += 4;
                for (uint32_t r = 0; r < RANKS; r++)
                        relax(d, r, step);
                if (step % REPORT_EVERY == 0)
                        report(d);
        }
        uint64_t end = latest(d->now) + 20000;
        for (uint32_t r = 0; r < RANKS; r++) {
                call(d, r, "MPI_Finalize", 66, end + r * 300, 0, NULL);
                leave(d, r, "main");
        }
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                uint32_t line;
        } functions[] = {{"exchange", 14}, {"relax", 26}, {"report", 39}, {"main", 52}};
        if (argc != 2) {
                fprintf(stderr, "usage: make_demo DIRECTORY\n");
                return 2;
        }
        ps_gen_options options = {.ranks = RANKS, .nodes = 2, .creator = "make_demo (no recorder: computed)"};
        demo d = {.gen = ps_gen_new(argv[1], options), .request = 1};
        for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
                ps_gen_region(d.gen, functions[i].name, SOURCE, functions[i].line);
        play(&d);
        ps_gen_close(d.gen);
        ps_gen_free(d.gen);
        return 0;
}
