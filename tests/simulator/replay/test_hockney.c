/* test_hockney.c - recordings of random programs, replayed with something different, take as long as the
 * programs do on such a machine: as recorded within some per cent, on the machine's model exactly. */
#include "core/base/search.h"
#include "core/model/pieces.h"
#include "tests/simulator/replay/hockney.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include "tests/support/unchanged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = SANITIZED ? 150 : 1500 };

static const struct ps_piece_options pieces = {.most = 1 << 20};

/* Factors of what communication and a region take. */
static const struct edit {
        const char *name;
        double latency, per_byte, region;
} edits[] = {
        {"nothing", 1, 1, 1},  {"L*2", 2, 1, 1},           {"L*10", 10, 1, 1},
        {"L/2", 0.5, 1, 1},    {"bw/2", 1, 2, 1},          {"bw/4", 1, 4, 1},
        {"bw*4", 1, 0.25, 1},  {"ideal-network", 0, 0, 1}, {"region*0.5", 1, 1, 0.5},
        {"region*3", 1, 1, 3}, {"region*0", 1, 1, 0},      {"L*4 bw*2 region*0.7", 4, 0.5, 0.7},
};

enum { EDITS = sizeof(edits) / sizeof(*edits) };

static hockney_machine machine_of(uint64_t seed)
{
        static const double latencies_us[] = {1, 5, 20, 50}, rates[] = {5e8, 1e9, 4e9, 1e10};
        static const uint64_t limits[] = {4096, 16384, 65536};
        return (hockney_machine){.latency_ps = latencies_us[seed % 4] * LAB_US,
                                 .ps_per_byte = 1e12 / rates[seed / 4 % 4],
                                 .eager_bytes = limits[seed % 3],
                                 .frees_at_end = seed / 16 % 2 == 0,
                                 .factor = {1, 1, 1}};
}

static hockney_machine edited(const hockney_machine *machine, const struct edit *edit)
{
        hockney_machine out = *machine;
        out.latency_ps *= edit->latency;
        out.ps_per_byte *= edit->per_byte;
        out.factor[0] = edit->region;
        return out;
}

static double error_of(ps_time time, ps_time truth)
{
        return fabs((double)(time - truth)) / (double)truth;
}

static int by_size(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;
        return PS_ORDER(x, y);
}

/* The worst of all edits, for each program. */
static double worst_error(uint64_t seed)
{
        hockney *program = hockney_new(seed, 2 + (uint32_t)(seed % 7), 10 + (uint32_t)(seed % 61));
        hockney_machine machine = machine_of(seed);
        ps_trace *trace = hockney_trace(program, &machine, &pieces);
        ps_work_edit work = lab_work(trace, hockney_regions[0], PS_WORK_SCALE, 1);
        double worst = 0;
        for (int i = 0; i < EDITS; i++) {
                hockney_machine other = edited(&machine, &edits[i]);
                ps_time truth = hockney_time(program, &other);
                ps_scenario s;
                ps_scenario_init(&s);
                s.latency = edits[i].latency;
                s.per_byte = edits[i].per_byte;
                s.works = &work;
                s.n_works = 1;
                work.factor = edits[i].region;
                ps_replayed out = lab_replayed(trace, &s);
                double error = error_of(out.total, truth);
                if (i == 0)
                        assert_int_equal(out.total, truth);
                assert_false(out.stuck);
                if (error > 0.03)
                        print_message("program %d, %s: %.2f %% off\n", (int)seed, edits[i].name, 100 * error);
                worst = fmax(worst, error);
                ps_replayed_clear(&out);
        }
        ps_trace_close(trace);
        hockney_free(program);
        return worst;
}

TEST(a_recording_tells_what_another_network_does)
{
        double worst[PROGRAMS];
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
                worst[seed - 1] = worst_error(seed);
        qsort(worst, PROGRAMS, sizeof(*worst), by_size);
        print_message("worst error of a program: median %.3f %%, 95 %% of them %.3f %%, most %.3f %%\n",
                      100 * worst[PROGRAMS / 2], 100 * worst[PROGRAMS * 95 / 100], 100 * worst[PROGRAMS - 1]);
        assert_true(worst[PROGRAMS * 95 / 100] <= 0.03);
        assert_true(worst[PROGRAMS - 1] <= 0.1);
}

/* Recorded on one machine, replayed on another one. */
TEST(a_machine_tells_exactly)
{
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                hockney *program = hockney_new(seed, 2 + (uint32_t)(seed % 7), 10 + (uint32_t)(seed % 61));
                hockney_machine recorded = machine_of(seed), other = machine_of(seed + 7);
                ps_trace *trace = hockney_trace(program, &recorded, NULL);
                ps_machine m;
                ps_machine_init(&m, PS_MODEL_HOCKNEY);
                m.link = (ps_link){other.latency_ps / PS_PS_PER_S, PS_PS_PER_S / other.ps_per_byte};
                m.eager_bytes = other.eager_bytes;
                m.sender_free_at_end = other.frees_at_end;
                double error = error_of(lab_time_on(trace, &m), hockney_time(program, &other));
                if (error > 1e-6)
                        fail_msg("program %d: %.9f off", (int)seed, error);
                ps_trace_close(trace);
                hockney_free(program);
        }
}
