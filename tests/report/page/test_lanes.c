/* test_lanes.c - what the timeline of a page draws of a run that was written down by hand: rank 1 receives
 * two messages, and waits 5 ms and 10 ms for them. */
#include "report/page/picture.h"
#include "report/page/timeline.h"
#include "tests/support/late_sender.h"
#include "tests/support/micro/micro.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define US(n) ((ps_time)(n)*1000 * PS_PS_PER_NS)

typedef struct lab {
        late_sender run;
        ps_analysis_options how;
        ps_timeline *served; /* nobody looks at it */
        ps_sites *sites;
        ps_lanes lanes;
        ps_picture picture;
} lab;

static void open_page(lab *l, bool is_served)
{
        ps_error err = {0};
        *l = (lab){.how = {.definitions = PS_DEFINITIONS_SCALASCA, .epsilon = 0, .n_threads = 1}};
        late_sender_load(&l->run, &late_sender_plain);
        late_sender_analyse(&l->run, &(ps_report_settings){.trace_path = "t.otf2",
                                                           .options = &l->how,
                                                           .timeline = is_served ? &l->served : NULL});
        assert_int_equal(ps_sites_new(&l->sites, l->run.report, false, &err), PS_OK);
        assert_int_equal(ps_lanes_make(&l->lanes, l->run.report, l->sites, PS_LANES_OF_WAITS, &err), PS_OK);
        assert_int_equal(ps_picture_make(&l->picture, &l->lanes, &ps_picture_most_drawn, &err), PS_OK);
}

static void open_lab(lab *l)
{
        open_page(l, false);
}

static void close_lab(lab *l)
{
        ps_picture_clear(&l->picture);
        ps_lanes_clear(&l->lanes);
        ps_sites_free(l->sites);
        late_sender_clear(&l->run);
}

typedef struct told {
        ps_lane_stretch row[16];
        unsigned n;
} told;

static void take_stretch(void *ctx, const ps_lane_stretch *s)
{
        told *t = ctx;
        assert_true(t->n < 16);
        t->row[t->n++] = *s;
}

static void walk_lane(const ps_lanes *lanes, ps_loc loc, ps_lane_sink *sink, void *ctx)
{
        ps_loan loan;
        ps_error err = {0};
        assert_int_equal(ps_lanes_walk(lanes, &loan, loc, sink, ctx, &err), PS_OK);
}

TEST(a_lane_is_operations_gaps_and_waits)
{
        static const struct {
                ps_time end;
                ps_lane_state state;
        } expected[] = {{US(15000), PS_LANE_COMPUTES},  {US(20000), PS_LANE_WAITS},
                        {US(20200), PS_LANE_TRANSFERS}, {US(30000), PS_LANE_COMPUTES},
                        {US(40000), PS_LANE_WAITS},     {US(40200), PS_LANE_TRANSFERS},
                        {US(100000), PS_LANE_COMPUTES}};
        lab l;
        told t = {.n = 0};
        open_lab(&l);
        walk_lane(&l.lanes, 1, take_stretch, &t);
        assert_int_equal(t.n, 7);
        for (unsigned i = 0; i < t.n; i++) {
                bool waits = expected[i].state == PS_LANE_WAITS;
                assert_int_equal(t.row[i].begin, i ? expected[i - 1].end : 0);
                assert_int_equal(t.row[i].end, expected[i].end);
                assert_int_equal(t.row[i].state, expected[i].state);
                assert_int_equal(t.row[i].partner, waits ? 0 : PS_NONE);
                assert_int_equal(t.row[i].finding, waits ? 0 : PS_NONE);
        }
        close_lab(&l);
}

/* From any time to any other one: as the whole lane, cut. */
TEST(a_part_of_a_lane_is_cut_from_it)
{
        lab l;
        told whole = {.n = 0};
        open_lab(&l);
        walk_lane(&l.lanes, 1, take_stretch, &whole);
        for (ps_time from = 0; from < US(100000); from += US(2500))
                for (ps_time to = from + US(2500); to <= US(102500); to += US(2500)) {
                        told part = {.n = 0};
                        unsigned n = 0;
                        ps_error err = {0};
                        const ps_span span = {from, to};
                        assert_int_equal(ps_lanes_walk_span(&l.lanes, 1, span, take_stretch, &part, &err),
                                         PS_OK);
                        for (unsigned i = 0; i < whole.n; i++) {
                                ps_time begin = whole.row[i].begin > from ? whole.row[i].begin : from;
                                ps_time end = whole.row[i].end < to ? whole.row[i].end : to;
                                while (n < part.n && part.row[n].begin == part.row[n].end)
                                        n++;
                                if (begin >= end)
                                        continue;
                                assert_true(n < part.n);
                                assert_int_equal(part.row[n].begin, begin);
                                assert_int_equal(part.row[n].end, end);
                                assert_int_equal(part.row[n].state, whole.row[i].state);
                                n++;
                        }
                }
        close_lab(&l);
}

TEST(messages_go_from_their_sending_to_their_receipt)
{
        lab l;
        open_lab(&l);
        const ps_picture *p = &l.picture;
        assert_int_equal(p->tick, PS_PS_PER_NS);
        assert_int_equal(p->messages.n, 2);
        assert_int_equal(p->messages.row[0].from, 0);
        assert_int_equal(p->messages.row[0].to, 1);
        assert_int_equal(p->messages.row[0].bytes, 64);
        assert_int_equal(p->messages.row[0].begin + p->messages.row[0].length, 20150000);
        assert_int_equal(p->messages.row[1].begin + p->messages.row[1].length, 40150000);
        close_lab(&l);
}

/* Of 100 ms there are 1,024 bins of 97.65625 us. Messages take 125 us, from 20.025 ms on 0.944 of bin 205 and
 * 0.336 of 206, from 40.025 ms on 0.144 of bin 409, all of 410 and 0.136 of 411. */
TEST(pairs_have_what_they_had_under_way)
{
        lab l;
        ps_error err = {0};
        ps_profile *profile;
        ps_flows flows;
        double sum = 0;
        static const struct {
                uint32_t bin;
                uint8_t part; /* in 255ths */
        } expected[] = {{204, 0}, {205, 241}, {206, 86}, {207, 0}, {409, 37}, {410, 255}, {411, 35}};
        open_lab(&l);
        assert_int_equal(ps_profile_make(&profile, l.run.trace, &l.run.trace->measured, 0, &err), PS_OK);
        l.run.report->settings.profile = profile;
        assert_int_equal(ps_flows_make(&flows, l.run.report, &err), PS_OK);
        assert_int_equal(flows.n_pairs, 1);
        assert_int_equal(flows.n_bins, 1024);
        for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
                for (int what = 0; what < PS_FLOW_KINDS; what++)
                        assert_int_equal(ps_flow_at(&flows, (ps_flow_what)what, 0, expected[i].bin),
                                         expected[i].part);
        assert_int_equal(ps_flow_most(&flows, PS_FLOW_BYTES, 0), UINT32_MAX);
        assert_true(flows.largest[PS_FLOW_BYTES] > 63.99 && flows.largest[PS_FLOW_BYTES] < 64.01);
        for (uint32_t bin = 0; bin < flows.n_bins; bin++)
                sum += (double)flows.under_way[(size_t)bin * PS_FLOW_KINDS];
        assert_true(sum > 2 * 125 / 97.65625 - 1e-4 && sum < 2 * 125 / 97.65625 + 1e-4);
        assert_int_equal(l.picture.flows.n_pairs, 0); /* so few are told one by one */
        ps_flows_clear(&flows);
        ps_profile_free(profile);
        close_lab(&l);
}

/* Room for the longer wait and for the two longest of all else. */
static void open_small(lab *l, bool is_served)
{
        const ps_picture_most usual = ps_picture_most_drawn;
        ps_picture_most_drawn = (ps_picture_most){.stretches = 6,
                                                  .waits = 1,
                                                  .messages = 1,
                                                  .collectives = 1,
                                                  .bins = 64,
                                                  .shares = usual.shares};
        open_page(l, is_served);
        ps_picture_most_drawn = usual;
}

TEST(what_is_left_out_is_counted)
{
        static const uint32_t begins[] = {0, 40100000, 0, 30000000, 40000000, 40200000};
        static const uint8_t states[] = {PS_LANE_MIXED, PS_LANE_COMPUTES, PS_LANE_MIXED,
                                         PS_LANE_WAITS, PS_LANE_MIXED,    PS_LANE_COMPUTES};
        lab l;
        open_small(&l, false);
        const ps_picture *p = &l.picture;
        assert_int_equal(p->stretches.n, 6);
        for (unsigned i = 0; i < 6; i++) {
                assert_int_equal(p->stretches.row[i].begin, begins[i]);
                assert_int_equal(p->stretches.row[i].state, states[i]);
        }
        assert_int_equal(p->waits_left_out.n, 1);
        assert_int_equal(p->waits_left_out.time, US(5000));
        assert_int_equal(p->mixed.n, 8);
        assert_int_equal(p->mixed.time, US(65300));
        assert_int_equal(p->messages.n, 1);
        assert_int_equal(p->messages_left_out, 1);
        /* Of rank 1 everything at 17 ms is the wait that was left out. */
        const uint8_t *shares = p->shares + ((size_t)p->n_bins + p->n_bins * 17 / 100) * PS_LANE_STATES;
        assert_int_equal(shares[PS_LANE_WAITS], 255);
        assert_int_equal(shares[PS_LANE_COMPUTES], 0);
        close_lab(&l);
}

/* From 14 to 21 ms rank 1 computes, waits from 15 on, and receives from 20 on: all of it is left out of the
 * page. */
TEST(a_part_has_finer_bins_of_what_is_left_out)
{
        static const uint32_t lane = 1;
        static const struct {
                double at;
                ps_lane_state state;
        } expected[] = {{14.5e6, PS_LANE_COMPUTES}, {14.99e6, PS_LANE_COMPUTES}, {15.01e6, PS_LANE_WAITS},
                        {19.99e6, PS_LANE_WAITS},   {20.1e6, PS_LANE_TRANSFERS}, {20.5e6, PS_LANE_COMPUTES}};
        const ps_picture_part part = {14000000, 21000000, &lane, 1};
        ps_picture bins;
        ps_picture_bins from_to;
        ps_error err = {0};
        lab l;
        open_small(&l, true);
        assert_int_equal(ps_picture_make_bins(&bins, &from_to, &l.picture, &part, &err), PS_OK);
        assert_true(from_to.begin <= 14e6 && from_to.begin > 13.99e6);
        assert_true(from_to.end >= 21e6 && from_to.end < 21.02e6);
        assert_in_range(bins.n_bins, 1000, 2100);
        for (unsigned i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
                uint32_t bin = (uint32_t)((expected[i].at - from_to.begin) / (from_to.end - from_to.begin) *
                                          bins.n_bins);
                assert_int_equal(bins.shares[bin * PS_LANE_STATES + expected[i].state], 255);
        }
        ps_picture_clear(&bins);
        close_lab(&l);
}

TEST(a_page_that_is_not_served_has_no_finer_bins)
{
        static const uint32_t lane = 1;
        ps_picture bins;
        ps_picture_bins from_to;
        ps_error err = {0};
        lab l;
        open_small(&l, false);
        assert_int_equal(l.picture.levels.n, 1);
        assert_int_equal(ps_picture_make_bins(&bins, &from_to, &l.picture,
                                              &(ps_picture_part){14000000, 21000000, &lane, 1}, &err),
                         PS_OK);
        assert_null(bins.shares);
        ps_picture_clear(&bins);
        close_lab(&l);
}

TEST(a_coarser_level_has_the_time_of_both_bins)
{
        double time[4 * PS_LANE_STATES] = {0};
        ps_levels levels;
        ps_error err = {0};
        time[0 * PS_LANE_STATES + PS_LANE_COMPUTES] = 10;
        time[1 * PS_LANE_STATES + PS_LANE_COMPUTES] = 5;
        time[1 * PS_LANE_STATES + PS_LANE_WAITS] = 5;
        time[3 * PS_LANE_STATES + PS_LANE_WAITS] = 2; /* little is mixed, and nothing of it but waiting */
        assert_int_equal(ps_levels_make(&levels, 1, 2, 2, &err), PS_OK);
        ps_levels_keep(&levels, 0, time);
        assert_int_equal(levels.level[0][1 * PS_LANE_STATES + PS_LANE_WAITS], 128);
        assert_int_equal(levels.level[0][2 * PS_LANE_STATES + PS_LANE_WAITS], 0);
        assert_int_equal(levels.level[1][0 * PS_LANE_STATES + PS_LANE_COMPUTES], 191); /* 15 of 20 */
        assert_int_equal(levels.level[1][0 * PS_LANE_STATES + PS_LANE_WAITS], 64);
        assert_int_equal(levels.level[1][1 * PS_LANE_STATES + PS_LANE_WAITS], 255);
        for (unsigned i = 0; i < sizeof(time) / sizeof(*time); i++)
                assert_true(time[i] == 0);
        ps_levels_clear(&levels);
}

typedef struct drawn {
        ps_time time[PS_TIME_KINDS];
        const ps_trace *trace;
} drawn;

static void add_stretch(void *ctx, const ps_lane_stretch *s)
{
        static const ps_time_kind kinds[PS_LANE_STATES] = {
                [PS_LANE_COMPUTES] = PS_TIME_COMPUTATION,    [PS_LANE_WAITS] = PS_TIME_WAITING,
                [PS_LANE_WAITS_ALL] = PS_TIME_WAITING,       [PS_LANE_TRANSFERS] = PS_TIME_TRANSFER,
                [PS_LANE_COLLECTIVE] = PS_TIME_TRANSFER,     [PS_LANE_UNEXPLAINED] = PS_TIME_UNEXPLAINED,
                [PS_LANE_NOT_RUNNING] = PS_TIME_NOT_RUNNING, [PS_LANE_LIBRARY] = PS_TIME_LIBRARY,
                [PS_LANE_RUNTIME] = PS_TIME_RUNTIME};
        drawn *d = ctx;
        d->time[kinds[s->state]] += ps_focus_clip(d->trace->measured.focus, s->begin, s->end);
}

/* These traces were loaded without what is computed between operations. */
static bool is_told_apart(int kind)
{
        return kind != PS_TIME_COMPUTATION && kind != PS_TIME_LIBRARY;
}

static void check_case(const char *file, const micro_case *c)
{
        late_sender f = {.trace = c->trace};
        const ps_analysis_options how = {.definitions = PS_DEFINITIONS_SCALASCA, .n_threads = 1};
        ps_error err = {0};
        ps_sites *sites;
        ps_lanes lanes;
        late_sender_analyse(&f, &(ps_report_settings){.trace_path = "t.otf2", .options = &how});
        assert_int_equal(ps_sites_new(&sites, f.report, false, &err), PS_OK);
        assert_int_equal(ps_lanes_make(&lanes, f.report, sites, PS_LANES_OF_WAITS, &err), PS_OK);
        for (ps_loc loc = 0; loc < c->trace->n_locs; loc++) {
                drawn d = {.trace = c->trace};
                walk_lane(&lanes, loc, add_stretch, &d);
                for (int kind = 0; kind < PS_TIME_KINDS; kind++)
                        if (is_told_apart(kind) &&
                            d.time[kind] != ps_times_of_kind(f.report->times, (ps_time_kind)kind)[loc])
                                fail_msg("%s:%u: location %u draws %lld ps of %s, not %lld", file, c->line,
                                         loc, (long long)d.time[kind], ps_time_infos[kind].key,
                                         (long long)ps_times_of_kind(f.report->times,
                                                                     (ps_time_kind)kind)[loc]);
        }
        ps_lanes_clear(&lanes);
        ps_sites_free(sites);
        ps_report_free(f.report);
        ps_sources_free(f.sources);
        ps_analysis_free(f.analysis);
}

/* Calls that the trace does not explain, threads that come to teams and go from them, and what all programs
 * do. */
TEST(lanes_are_what_the_report_says)
{
        static const char *const files[] = {"not-explained", "omp-implicit-barrier-wait",
                                            "omp-fork",      "omp-join",
                                            "late-sender",   "nxn-wait"};
        for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
                char path[80];
                uint32_t own = 0;
                while (strcmp(ps_pattern_at(own)->id, files[i]) != 0)
                        own++;
                snprintf(path, sizeof(path), "traces/patterns/%s.trace", files[i]);
                micro *m = micro_open(path, own);
                assert_non_null(m);
                for (const micro_case *c; (c = micro_next(m));)
                        check_case(files[i], c);
                micro_close(m);
        }
}
