/* lab.c - see lab.h. */
#include "tests/compare/lab.h"

#include "core/load/recording.h"
#include "patterns/engine/intervals.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

enum { MAIN, SOLVE, EXCHANGE, SEND, RECV, BARRIER, OUTPUT, REGIONS, RANKS_MAX = 16 };

static const char *const regions[REGIONS] = {"main",     "solve",       "exchange", "MPI_Send",
                                             "MPI_Recv", "MPI_Barrier", "output"};
static const ps_time us = PS_PS_PER_S / 1000000;

static void need(ps_status status, const ps_error *err)
{
        if (status != PS_OK)
                ps_test_die("%s", err->n_causes ? err->cause[0].text : "failed");
}

typedef struct sim {
        ps_recording *recording;
        lab_shape shape;
        ps_time now[RANKS_MAX], sent[RANKS_MAX];
} sim;

static void define(sim *s)
{
        static const uint32_t members[RANKS_MAX] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        ps_defs *defs = ps_recording_defs(s->recording);
        ps_error err = {0};

        for (uint32_t i = 0; i < s->shape.ranks; i++) {
                ps_location_def location = {.process = i, .n_events = UINT64_MAX};
                need(ps_defs_add_process(defs, &(ps_process_def){0}, NULL, &err), &err);
                need(ps_defs_add_location(defs, &location, NULL, &err), &err);
        }
        for (uint32_t i = 0; i < REGIONS; i++) {
                ps_region_def region = {.name = ps_strings_addz(defs->strings, regions[i]),
                                        .file = ps_strings_addz(defs->strings, "lab.c"),
                                        .paradigm = PS_PARADIGM_USER,
                                        .line = 10 * (i + 1)};
                need(ps_defs_add_region(defs, &region, NULL, &err), &err);
        }
        ps_comm_def world = {.parent = PS_NONE, .n_members = s->shape.ranks, .members = members};
        need(ps_defs_add_comm(defs, &world, NULL, &err), &err);
        defs->resolution_hz = 1000000000;
}

/* The location that does what rank `rank` does. */
static uint32_t at(const sim *s, uint32_t rank)
{
        return (rank + s->shape.rotate) % s->shape.ranks;
}

static void add(sim *s, uint32_t rank, ps_event event)
{
        ps_error err = {0};

        event.time = s->now[rank];
        need(ps_recording_add(s->recording, at(s, rank), &event, &err), &err);
}

static void enter(sim *s, uint32_t rank, ps_region region)
{
        add(s, rank, (ps_event){.kind = PS_EV_ENTER, .ref = region});
}

static void leave(sim *s, uint32_t rank, ps_region region)
{
        add(s, rank, (ps_event){.kind = PS_EV_LEAVE, .ref = region});
}

static void send(sim *s, uint32_t rank, uint32_t to, uint32_t takes_us)
{
        enter(s, rank, SEND);
        add(s, rank, (ps_event){.kind = PS_EV_SEND, .peer = at(s, to), .bytes = 8});
        s->now[rank] += takes_us * us;
        leave(s, rank, SEND);
}

static void receive(sim *s, uint32_t rank, uint32_t from)
{
        ps_time arrives = s->sent[from] + (s->shape.flight_us ? s->shape.flight_us : 5) * us;

        enter(s, rank, RECV);
        s->now[rank] = (arrives > s->now[rank] ? arrives : s->now[rank]) + us;
        add(s, rank, (ps_event){.kind = PS_EV_RECV, .peer = at(s, from), .bytes = 8});
        leave(s, rank, RECV);
}

static void meet(sim *s)
{
        ps_time last = 0;

        for (uint32_t r = 0; r < s->shape.ranks; r++) {
                enter(s, r, BARRIER);
                add(s, r, (ps_event){.kind = PS_EV_COLL_BEGIN});
                last = s->now[r] > last ? s->now[r] : last;
        }
        for (uint32_t r = 0; r < s->shape.ranks; r++) {
                s->now[r] = last + 3 * us;
                add(s, r, (ps_event){.kind = PS_EV_COLL_END, .op = PS_K_BARRIER, .peer = PS_NONE});
                leave(s, r, BARRIER);
        }
}

static void step(sim *s, int is_last)
{
        uint32_t n = s->shape.ranks;

        for (uint32_t r = 0; r < n; r++) {
                enter(s, r, SOLVE);
                s->now[r] += (100 + (r == s->shape.slow_rank ? s->shape.slow_us : 0)) * us;
                leave(s, r, SOLVE);
                enter(s, r, EXCHANGE);
                s->sent[r] = s->now[r];
                send(s, r, (r + 1) % n, 2);
                s->now[r] += us;
        }
        for (uint32_t r = 0; r < n; r++) {
                receive(s, r, (r + n - 1) % n);
                leave(s, r, EXCHANGE);
        }
        for (uint32_t i = 0; is_last && i < s->shape.extra_sends; i++) {
                send(s, 0, 0, 0);
                s->sent[0] = s->now[0] - 10 * us;
                receive(s, 0, 0);
        }
        meet(s);
}

static ps_trace *simulate(const lab_shape *shape, unsigned n_threads)
{
        sim s = {.shape = *shape};
        ps_load_options options = {.n_threads = n_threads};
        ps_trace *trace;
        ps_error err = {0};

        s.shape.ranks = shape->ranks ? shape->ranks : 4;
        s.shape.steps = shape->steps ? shape->steps : 4;
        need(ps_recording_new(&s.recording, "made-up", &err), &err);
        define(&s);
        for (uint32_t r = 0; r < s.shape.ranks; r++)
                enter(&s, r, MAIN);
        for (uint32_t i = 0; i < s.shape.steps; i++)
                step(&s, i + 1 == s.shape.steps);
        for (uint32_t r = 0; r < s.shape.ranks; r++) {
                if (!s.shape.no_output) {
                        enter(&s, r, OUTPUT);
                        s.now[r] += 20 * us;
                        leave(&s, r, OUTPUT);
                }
                leave(&s, r, MAIN);
        }
        need(ps_recording_load(&trace, s.recording, &options, &err), &err);
        ps_recording_free(s.recording);
        return trace;
}

static void analyse(lab_run *run, const char *path, const char *const *names, uint32_t n_names,
                    unsigned n_threads)
{
        ps_analysis_options how = {.epsilon = -1, .n_threads = n_threads};
        ps_report_settings settings = {.trace_path = path, .interval_levels = UINT32_MAX};
        const ps_timing *timing = &run->trace->measured;
        ps_error err = {0};

        need(ps_analyse(&run->analysis, run->trace, timing, &how, &err), &err);
        need(ps_intervals_of(&run->intervals, run->trace, timing, run->analysis, names, n_names, 1, &err),
             &err);
        settings.intervals = run->intervals;
        need(ps_sources_new(&run->sources, run->trace, &(ps_source_options){0}, &err), &err);
        need(ps_report_new(&run->report, run->trace, timing, run->analysis, run->sources, &settings, &err),
             &err);
        need(ps_run_of_report(&run->run, run->report, &err), &err);
}

void lab_run_make(lab_run *out, const lab_shape *shape, unsigned n_threads)
{
        static const char *const names[] = {"solve", "exchange", "output"};

        *out = (lab_run){.trace = simulate(shape, n_threads)};
        analyse(out, "lab.trf", names, shape->no_output ? 2 : 3, n_threads);
}

void lab_run_load(lab_run *out, const char *path)
{
        ps_error err = {0};

        *out = (lab_run){0};
        need(ps_trace_load(&out->trace, path, NULL, &err), &err);
        analyse(out, path, NULL, 0, 1);
}

void lab_run_clear(lab_run *run)
{
        ps_run_clear(&run->run);
        ps_report_free(run->report);
        ps_sources_free(run->sources);
        ps_intervals_free(run->intervals);
        ps_analysis_free(run->analysis);
        ps_trace_close(run->trace);
}

static char *taken(ps_output *out)
{
        char *text = strdup(ps_output_text(out));

        ps_output_discard(out);
        if (!text)
                ps_test_die("out of memory");
        return text;
}

char *lab_run_json(const lab_run *run)
{
        ps_output *out;
        ps_error err = {0};

        need(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, &err), &err);
        need(ps_report_write_json(run->report, out, &err), &err);
        return taken(out);
}

void lab_run_saved(ps_run *out, const char *json)
{
        ps_error err = {0};

        need(ps_run_parse(out, json, strlen(json), "saved.json", &err), &err);
}

char *lab_compare_write(const ps_compare *compare,
                        ps_status (*write)(const ps_compare *, ps_output *, ps_error *))
{
        ps_output *out;
        ps_error err = {0};

        need(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, &err), &err);
        need(write(compare, out, &err), &err);
        return taken(out);
}

void lab_near(double value, double expected)
{
        if (!(fabs(value - expected) < 1e-12))
                fail_msg("%.12g is not %.12g", value, expected);
}

ps_compare *lab_compared(const ps_run *a, const ps_run *b, const ps_compare_options *options)
{
        ps_compare *c;
        ps_error err = {0};

        if (ps_compare_new(&c, a, b, options, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        return c;
}

void lab_expect_no_difference(const ps_compare *c)
{
        assert_true(c->duration.measured == c->duration.predicted);
        for (int part = 0; part < PS_PARTS; part++)
                assert_true(c->part[part].measured == c->part[part].predicted);
        for (uint32_t i = 0; i < c->intervals.n; i++) {
                const ps_compared_interval *row = &c->intervals.row[i];
                assert_true(row->execution.measured == row->execution.predicted && row->weight == 0);
                assert_true(row->work.measured == row->work.predicted);
                assert_true(row->wait.measured == row->wait.predicted);
                assert_int_equal(row->unmatched[0] + row->unmatched[1], 0);
        }
        for (uint32_t i = 0; i < c->patterns.n; i++)
                assert_true(c->patterns.row[i].lost.measured == c->patterns.row[i].lost.predicted);
        for (uint32_t i = 0; i < c->sites.n; i++)
                assert_true(c->sites.row[i].lost.measured == c->sites.row[i].lost.predicted);
        assert_int_equal(c->site_matches.only[0] + c->site_matches.only[1], 0);
        assert_int_equal(c->n_contributions, 0);
        assert_false(c->total_exceeded || c->intervals_exceeded || c->is_partial || c->operations.parts_ways);
}
