/* test_smpi.c - programs on one machine, as SimGrid's SMPI simulates it, predicted for others: they take
 * there what SMPI says, within 5 %. tests/smpi has the programs. */
#include "simulator/cost/collectives.h"
#include "tests/simulator/replay/lab.h"
#include "tests/support/damage.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"
#include "tests/support/unchanged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 16, REQUESTS_MAX = 64, SKIPPED = 77 };

typedef struct call {
        uint32_t rank, comm, tag;
        int peer;
        uint64_t bytes;
        char name[16];
        ps_time begin, end;
} call;

typedef struct calls {
        call *row;
        uint32_t n;
        ps_time begin, end; /* of all of them */
} calls;

static calls read_calls(const char *folder, const char *program, const char *machine)
{
        char path[512], line[256];
        calls out = {.begin = INT64_MAX};
        snprintf(path, sizeof(path), "%s/%s.%s", folder, program, machine);
        FILE *file = fopen(path, "r");
        if (!file)
                ps_test_die("no file: path=%s", path);
        while (fgets(line, sizeof(line), file)) {
                call c = {0};
                double begin, end;
                if (sscanf(line, "%u %15s %u %d %u %lu %lf %lf", &c.rank, c.name, &c.comm, &c.peer, &c.tag,
                           &c.bytes, &begin, &end) != 8)
                        ps_test_die("bad line: %s", line);
                c.begin = (ps_time)llround(begin * (double)PS_PS_PER_S);
                c.end = (ps_time)llround(end * (double)PS_PS_PER_S);
                out.begin = c.begin < out.begin ? c.begin : out.begin;
                out.end = c.end > out.end ? c.end : out.end;
                out.row = realloc(out.row, (out.n + 1) * sizeof(*out.row));
                out.row[out.n++] = c;
        }
        fclose(file);
        return out;
}

/* -- the same as a trace -- */

typedef struct recorder {
        replay_lab *lab;
        ps_comm comm[2]; /* of the halves */
        ps_time clock[RANKS];
        uint64_t requests[RANKS][REQUESTS_MAX];
        uint32_t n_requests[RANKS];
} recorder;

static void record_together(recorder *r, const call *c)
{
        static const uint8_t kinds[] = {PS_K_BCAST,     PS_K_REDUCE, PS_K_ALLREDUCE, PS_K_ALLTOALL,
                                        PS_K_ALLGATHER, PS_K_GATHER, PS_K_BARRIER};
        for (size_t i = 0; i < sizeof(kinds); i++) {
                ps_kind kind = (ps_kind)kinds[i];
                if (strcmp(c->name, ps_kinds[kind].name) != 0)
                        continue;
                ps_comm comm = c->comm ? r->comm[c->comm > 1] : 0;
                uint32_t root = c->peer < 0 ? PS_NONE : (uint32_t)c->peer;
                rank_coll(r->lab, c->rank, kind, comm, root,
                          kind == PS_K_ALLTOALL ? c->bytes * RANKS : c->bytes);
                return;
        }
        ps_test_die("unknown call: %s", c->name);
}

static void record_call(recorder *r, const call *c)
{
        uint32_t rank = c->rank, peer = (uint32_t)c->peer, *n = &r->n_requests[rank];
        if (!strcmp(c->name, "send"))
                rank_send(r->lab, rank, PS_K_SEND, peer, c->tag, c->bytes);
        else if (!strcmp(c->name, "recv"))
                rank_recv(r->lab, rank, peer, c->tag, c->bytes);
        else if (!strcmp(c->name, "isend"))
                r->requests[rank][(*n)++] = rank_isend(r->lab, rank, PS_K_ISEND, peer, c->tag, c->bytes);
        else if (!strcmp(c->name, "irecv"))
                r->requests[rank][(*n)++] = rank_irecv(r->lab, rank, peer, c->tag, c->bytes);
        else if (!strcmp(c->name, "wait")) {
                rank_waitall(r->lab, rank, r->requests[rank], *n);
                *n = 0;
        } else
                record_together(r, c);
}

static ps_trace *trace_of(const calls *of)
{
        recorder r = {.lab = replay_lab_new(RANKS)};
        uint32_t halves[2][RANKS / 2];
        for (uint32_t i = 0; i < RANKS; i++) {
                halves[i / (RANKS / 2)][i % (RANKS / 2)] = i;
                r.clock[i] = of->begin;
        }
        for (int i = 0; i < 2; i++)
                r.comm[i] = replay_lab_comm(r.lab, halves[i], RANKS / 2);
        for (uint32_t i = 0; i < of->n; i++) {
                const call *c = &of->row[i];
                rank_compute(r.lab, c->rank, c->begin - r.clock[c->rank]);
                rank_calls_take(r.lab, c->rank, c->end - c->begin);
                record_call(&r, c);
                r.clock[c->rank] = c->end;
        }
        return replay_lab_trace(r.lab);
}

/* -- what is predicted -- */

static double error_on(const ps_trace *trace, double latency_s, double bytes_per_s, const calls *truth)
{
        ps_machine m;
        ps_machine_init(&m, PS_MODEL_HOCKNEY);
        m.link = (ps_link){latency_s, bytes_per_s};
        m.eager_bytes = 65535; /* SMPI's limit belongs to those that wait */
        ps_collectives_of_library(&m, PS_SHAPE_OPENMPI);
        double length = (double)(truth->end - truth->begin);
        double error = ((double)lab_time_on(trace, &m) - length) / length;
        ps_machine_clear(&m);
        return error;
}

static double error_on_star(const ps_trace *trace, const calls *truth)
{
        ps_machine *m = machine_of("{\"model\":\"topology\",\"latency_s\":0,\"bandwidth_bytes_per_s\":null,"
                                   "\"network\":\"star\",\"link_bandwidth_bytes_per_s\":1e9,"
                                   "\"hop_latency_s\":2.5e-6,\"sharing\":\"fair\",\"eager_bytes\":65535,"
                                   "\"collectives\":\"openmpi\"}");
        double length = (double)(truth->end - truth->begin);
        double error = ((double)lab_time_on(trace, m) - length) / length;
        ps_machine_free(m);
        return error;
}

static void check_program(const char *folder, const char *program)
{
        calls near = read_calls(folder, program, "near"), far = read_calls(folder, program, "far"),
              star = read_calls(folder, program, "star");
        ps_trace *trace = trace_of(&near);
        double here = error_on(trace, 5e-6, 1e9, &near), there = error_on(trace, 20e-6, 250e6, &far);
        print_message("%-10s %9.1f us, %+.2f %% off; on the other machine %9.1f us, %+.2f %% off\n", program,
                      (double)(near.end - near.begin) / LAB_US, 100 * here,
                      (double)(far.end - far.begin) / LAB_US, 100 * there);
        assert_true(fabs(here) <= 0.05);
        assert_true(fabs(there) <= 0.05);
        double shared = error_on_star(trace, &star);
        print_message("%-10s where links are shared %9.1f us, %+.2f %% off\n", program,
                      (double)(star.end - star.begin) / LAB_US, 100 * shared);
        assert_true(fabs(shared) <= 0.05);
        ps_trace_close(trace);
        free(near.row);
        free(far.row);
        free(star.row);
}

TEST(programs_take_as_long_as_smpi_says)
{
        static const char *const programs[] = {"trees", "borders", "transpose", "wave", "halves"};
        char folder[] = "/tmp/patscan-smpi-XXXXXX", command[512];
        assert_non_null(mkdtemp(folder));
        snprintf(command, sizeof(command), "sh tests/smpi/run.sh %s", folder);
        int status = system(command);
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        for (size_t i = 0; i < sizeof(programs) / sizeof(*programs) && code == 0; i++)
                check_program(folder, programs[i]);
        snprintf(command, sizeof(command), "rm -rf %s", folder);
        assert_int_equal(system(command), 0);
        if (code == SKIPPED)
                skip();
        assert_int_equal(code, 0);
}
