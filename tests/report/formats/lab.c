/* lab.c - the tables of the hand-made report. */
#include "tests/report/formats/lab.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

enum { MAIN = 1, EXCHANGE, RECV, SEND, BARRIER };

#define MS (PS_PS_PER_S / 1000)

static const char *or_else(const char *given, const char *otherwise)
{
        return given ? given : otherwise;
}

static void fill_defs(report_lab *lab, const lab_names *names)
{
        const char *regions[] = {"main", or_else(names->function, "exchange"),
                                 or_else(names->call, "MPI_Recv"), "MPI_Send", "MPI_Barrier"};
        const ps_path parents[] = {0, MAIN, EXCHANGE, EXCHANGE, MAIN};
        ps_defs *defs = &lab->trace.defs;
        uint32_t index;

        assert_int_equal(ps_defs_init(defs, NULL), PS_OK);
        for (uint32_t i = 0; i < 5; i++) {
                ps_region_def region = {.name = ps_strings_addz(defs->strings, regions[i])};
                if (i + 1 == EXCHANGE)
                        region.file = ps_strings_addz(defs->strings, or_else(names->file, "src/heat.c"));
                assert_int_equal(ps_defs_add_region(defs, &region, &index, NULL), PS_OK);
                lab->paths[i + 1] = (ps_path_node){.parent = parents[i], .region = index};
        }
        lab->paths[0].region = PS_NONE;
        for (uint32_t i = 0; i < LAB_LOCATIONS; i++) {
                ps_location_def location = {.process = i};
                ps_process_def process = {0};
                ps_defs_add_process(defs, &process, &index, NULL);
                ps_defs_add_location(defs, &location, &index, NULL);
        }
        assert_int_equal(ps_defs_freeze(defs, NULL), PS_OK);
}

static void fill_trace(report_lab *lab, const lab_names *names)
{
        static const uint32_t paths[LAB_LOCATIONS][2] = {
                {SEND, SEND}, {RECV, RECV}, {RECV, BARRIER}, {RECV, RECV}};
        static const ps_time enters[LAB_LOCATIONS][2] = {{2500 * MS, 6500 * MS},
                                                         {1000 * MS, 8000 * MS},
                                                         {5000 * MS, 9000 * MS},
                                                         {6000 * MS, 8000 * MS}};

        memcpy(lab->op_enter, enters, sizeof(enters));
        fill_defs(lab, names);
        for (uint32_t i = 0; i < LAB_LOCATIONS; i++) {
                lab->enter[i] = lab->op_enter[i];
                lab->op_call[i][1] = 1;
                for (uint32_t k = 0; k < 2; k++)
                        lab->op_says[i][k].path = paths[i][k];
                lab->ops[i] = (ps_ops){.n = 2, .call = lab->op_call[i], .calls = lab->op_says[i]};
        }
        lab->trace.format = "otf2";
        lab->trace.n_locs = LAB_LOCATIONS;
        lab->trace.ops = lab->ops;
        lab->trace.paths = lab->paths;
        lab->trace.n_paths = 6;
        lab->trace.measured = (ps_timing){.enter = lab->enter, .leave = lab->enter, .duration = 10000 * MS};
}

static void fill_findings(report_lab *lab, const char *comment)
{
        const ps_ref nobody = {PS_NONE, PS_NONE};
        const uint32_t late_sender = ps_pattern_find("late-sender"),
                       late_receiver = ps_pattern_find("late-receiver"),
                       barrier = ps_pattern_find("barrier-wait");
        const ps_finding found[LAB_FINDINGS] = {
                {late_sender,
                 1,
                 RECV,
                 3,
                 2000 * MS,
                 2000 * MS,
                 {late_sender, {1, 0}, {0, 0}, 1000 * MS, 1500 * MS, 1500 * MS, 0}},
                {late_receiver,
                 0,
                 SEND,
                 1,
                 1000 * MS,
                 1000 * MS,
                 {late_receiver, {0, 0}, {2, 0}, 4000 * MS, 1000 * MS, 1000 * MS, 0}},
                {late_sender,
                 3,
                 RECV,
                 2,
                 600 * MS,
                 600 * MS,
                 {late_sender, {3, 0}, {0, 1}, 6000 * MS, 500 * MS, 500 * MS, 0}},
                {barrier,
                 2,
                 BARRIER,
                 1,
                 250 * MS,
                 250 * MS,
                 {barrier, {2, 1}, nobody, 9000 * MS, 250 * MS, 250 * MS, 0}}};
        static const int place[LAB_FINDINGS] = {LAB_RECV, LAB_SEND, LAB_RECV, LAB_BARRIER};
        static const int partner[LAB_FINDINGS] = {LAB_SEND, LAB_RECV, LAB_SEND, -1};

        memcpy(lab->found, found, sizeof(found));
        for (int i = 0; i < LAB_FINDINGS; i++) {
                ps_report_finding *row = &lab->rows[i];
                row->finding = &lab->found[i];
                row->pattern = ps_pattern_at(found[i].pattern);
                row->place = &lab->places[place[i]];
                row->partner_place = partner[i] < 0 ? NULL : &lab->places[partner[i]];
                row->partner_path = partner[i] < 0 ? PS_NONE
                                                   : ps_op_path(&lab->trace.ops[found[i].worst.partner.loc],
                                                                found[i].worst.partner.op);
                row->share = (double)found[i].lost / (4 * 10000 * (double)MS);
                row->confidence = PS_CONFIDENCE_HIGH;
                row->comment = (char *)(uintptr_t)comment;
                row->advice = row->pattern->advice;
                snprintf(row->id, sizeof(row->id), "%016x", (unsigned)i);
                snprintf(row->site, sizeof(row->site), "%016x", 0x1000 + found[i].pattern);
        }
}

/* Two of the three, which is enough for a table. */
static void fill_patterns(report_lab *lab)
{
        const uint32_t ids[] = {lab->found[0].pattern, lab->found[1].pattern};

        for (int i = 0; i < 2; i++)
                lab->patterns[i] = (ps_report_pattern){.pattern = ids[i],
                                                       .parent = PS_NONE,
                                                       .row = ps_pattern_at(ids[i]),
                                                       .total_count = i ? 1 : 5,
                                                       .total = (i ? 1000 : 2600) * MS,
                                                       .share = i ? 0.025 : 0.065};
        lab->report.patterns = lab->patterns;
        lab->report.n_patterns = 2;
        lab->report.total_share = 0.09;
}

static void fill_times(report_lab *lab)
{
        for (int i = 0; i < LAB_LOCATIONS; i++) {
                lab->time[PS_TIME_COMPUTATION][i] = 9100 * MS;
                lab->time[PS_TIME_WAITING][i] = 900 * MS;
        }
        lab->times = (ps_times){
                .time = lab->time[0], .all = 40000 * MS, .n_locs = LAB_LOCATIONS, .n_told = LAB_LOCATIONS};
        lab->times.sum[PS_TIME_COMPUTATION] = 36400 * MS;
        lab->times.sum[PS_TIME_WAITING] = 3600 * MS;
        lab->report.times = &lab->times;
        lab->report.functions = &lab->functions;
}

void report_lab_open(report_lab *lab, const lab_names *names)
{
        static const uint32_t candidates[] = {40, 51};
        const char *file = or_else(names->file, "src/heat.c"),
                   *function = or_else(names->function, "exchange");

        *lab = (report_lab){.analysis = {.epsilon = 1000 * PS_PS_PER_NS, .n_locs = LAB_LOCATIONS}};
        fill_trace(lab, names);
        lab->places[LAB_RECV] = (ps_source_place){file, function, 42, 9, 17, PS_LINE_UNIQUE_CALL, NULL, 0};
        lab->places[LAB_SEND] =
                (ps_source_place){file, function, 40, 0, 0, PS_LINE_CANDIDATES, candidates, 2};
        lab->places[LAB_BARRIER] = (ps_source_place){.function = "main"};
        fill_findings(lab, or_else(names->comment, "Rank 0 was late."));
        lab->analysis.findings = lab->found;
        lab->analysis.n_findings = LAB_FINDINGS;
        lab->report = (ps_report){.trace = &lab->trace,
                                  .timing = &lab->trace.measured,
                                  .analysis = &lab->analysis,
                                  .settings = {.trace_path = "run/heat.otf2"},
                                  .dump = "patscan dump run/heat.otf2",
                                  .findings = lab->rows,
                                  .n_findings = LAB_FINDINGS};
        fill_patterns(lab);
        fill_times(lab);
        const ps_source_place *place;
        assert_int_equal(ps_sources_new(&lab->report.sources, &lab->trace, &(ps_source_options){0}, NULL),
                         PS_OK);
        /* Only files of which the sources have told a place are found. */
        assert_int_equal(ps_sources_of(lab->report.sources, RECV, &place, NULL), PS_OK);
}

void report_lab_close(report_lab *lab)
{
        ps_sources_free(lab->report.sources);
        ps_defs_free(&lab->trace.defs);
}

const char *report_lab_write(report_lab *lab, ps_output **out,
                             ps_status (*write)(const ps_report *, ps_output *, ps_error *))
{
        const char *text;

        assert_int_equal(ps_output_open_memory(out, 80, NULL), PS_OK);
        assert_int_equal(write(&lab->report, *out, NULL), PS_OK);
        text = ps_output_text(*out);
        assert_non_null(text);
        return text;
}
