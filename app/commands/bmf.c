/* bmf.c - patscan bmf: runs a BMF program on a simulated machine, prints its result, and analyses the run
 * as `analyze` does a measured one. */
#include "simulator/bmf/bmf.h"
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/base/number.h"
#include "core/model/pieces.h"
#include "library/run/analysis.h"
#include "library/run/focus.h"
#include "library/run/quantity.h"
#include "reader/picl/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static ps_status fail_number(const char *option, const char *text, const char *form, ps_error *err)
{
        return PS_FAIL(err, PS_E_USAGE, "--%s needs a number: value=\"%s\", form=%s", option, text, form);
}

static ps_status parse_cost(double *out, const char *option, const char *text, ps_error *err)
{
        const char *at = text;
        return !text || (ps_number_real(&at, out) && !*at) ? PS_OK : fail_number(option, text, "N", err);
}

static ps_status parse_overhead(double *fixed, double *byte, const char *option, const char *text,
                                ps_error *err)
{
        const char *at = text;
        if (!text || (ps_number_real(&at, fixed) && *at++ == ',' && ps_number_real(&at, byte) && !*at))
                return PS_OK;
        return fail_number(option, text, "A,C", err);
}

static ps_status parse_unit(ps_time *out, const char *text, ps_error *err)
{
        ps_quantity unit;
        if (!text)
                return PS_OK;
        PS_TRY(ps_quantity_parse(&unit, text, strlen(text), "--unit", err));
        if (unit.is_share || unit.time <= 0)
                return PS_FAIL(err, PS_E_USAGE, "--unit needs a time: value=\"%s\"", text);
        *out = unit.time;
        return PS_OK;
}

static ps_status parse_procs(uint32_t *out, const char *text, ps_error *err)
{
        if (!text)
                return PS_OK;
        uint64_t n;
        PS_TRY(ps_whole_parse(&n, "procs", text, 1, ps_bmf_limits_default.processors, err));
        *out = (uint32_t)n;
        return PS_OK;
}

static ps_status parse_machine(ps_bmf_options *out, const ps_asked_machine *machine,
                               const ps_asked_bmf *asked, ps_error *err)
{
        ps_bmf_costs *c = &out->costs;
        *out = (ps_bmf_options){.costs = ps_bmf_costs_default, .network = machine->network};
        PS_TRY(parse_procs(&out->n_processors, machine->procs, err));
        PS_TRY(parse_overhead(&c->send_fixed, &c->send_byte, "send-overhead", asked->send_overhead, err));
        PS_TRY(parse_overhead(&c->receive_fixed, &c->receive_byte, "receive-overhead",
                              asked->receive_overhead, err));
        PS_TRY(parse_cost(&c->transport, "transport", asked->transport, err));
        PS_TRY(parse_cost(&c->work, "op-cost", asked->op_cost, err));
        return parse_unit(&c->unit, asked->unit, err);
}

static ps_status simulate(ps_bmf_run *run, const ps_bmf_options *machine, const ps_options *options,
                          ps_error *err)
{
        ps_bmf_program *program;
        ps_status status = ps_bmf_read(&program, options->arguments[0], options->bmf.library, err);
        PS_THEN(status, ps_bmf_simulate(run, program, machine, err));
        ps_bmf_program_free(program);
        if (status == PS_OK)
                ps_message_note(&options->terminal, "simulated %" PRIu32 " processors, %" PRIu64 " messages",
                                run->n_processors, run->n_messages);
        return status;
}

/* Between the lines of these the result stands apart; any other report has the standard output for itself. */
static bool has_stdout(const ps_options *options)
{
        for (unsigned i = 0; i < options->reports.n; i++) {
                const ps_report_request *row = &options->reports.row[i];
                const char *name = ps_report_formats[row->format].name;
                if (strcmp(row->file, "-") == 0 && strcmp(name, "text") != 0 && strcmp(name, "gcc") != 0)
                        return true;
        }
        return false;
}

static ps_status print_result(const ps_bmf_run *run, const ps_options *options, ps_error *err)
{
        if (has_stdout(options)) {
                if (!options->terminal.quiet)
                        fprintf(stderr, "%s\n", run->result);
                return PS_OK;
        }
        ps_output *out;
        PS_TRY(ps_output_open(&out, "-", (ps_color_mode)options->terminal.color, err));
        ps_output_puts(out, run->result);
        ps_output_putc(out, '\n');
        return ps_output_commit(out, err);
}

static ps_status write_trace(const ps_bmf_run *run, const ps_options *options, ps_error *err)
{
        ps_picl_written written;
        ps_output *out;
        ps_status status =
                ps_output_open(&out, options->reports.output, (ps_color_mode)options->terminal.color, err);
        if (status != PS_OK)
                return status;
        status = ps_picl_write(&written, (ps_picl_sink){out, ps_output_take},
                               ps_recording_defs(run->recording), ps_recording_source(run->recording),
                               &(ps_picl_write_options){0}, err);
        if (status == PS_OK)
                return ps_output_commit(out, err);
        ps_output_discard(out);
        return status;
}

/* Sums over all processors must be times, too. */
static ps_status check_sums(const ps_trace *trace, ps_error *err)
{
        if (ps_focus_has_sums(&trace->measured, ps_focus_n_told(trace, &trace->measured)))
                return PS_OK;
        return PS_FAIL(err, PS_E_USAGE,
                       "the times of all processors together are too long to add up; choose a shorter "
                       "--unit: processors=%" PRIu32 ", limit_days=106",
                       trace->n_locs);
}

static ps_status analyse_run(ps_plan *plan, ps_bmf_run *run, const ps_options *options, ps_exit *code,
                             ps_error *err)
{
        ps_trace *trace = NULL;
        ps_input_bars bars;
        ps_options own = *options;
        ps_load_options how = ps_input_options(options, NULL);
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        ps_focus_wish wish;
        how.progress = NULL;
        how.focus = &wish;
        how.pieces = ps_plan_wants_causes(plan, options) ? &pieces : NULL;
        ps_status status = ps_focus_asked(&wish, options, err);
        PS_THEN(status, ps_recording_load(&trace, run->recording, &how, err));
        plan->is_predicted = true;
        PS_THEN(status, check_sums(trace, err));
        ps_input_show_progress(&own, &bars);
        PS_THEN(status, ps_plan_carry_out(plan, &own, trace, code, err));
        ps_trace_close(trace);
        return status;
}

/* A result alone needs no analysis. */
static void note_unused_options(const ps_options *o)
{
        if (o->machine.network)
                ps_message_idle(o, "transport", "--network says how long messages take");
        if (!o->reports.n && !o->limits.fail_on.n)
                ps_message_idle(o, PS_OPTIONS_OF_ANALYSIS "|focus|from|to|ranks|causes",
                                "the run is only analysed for --report or --fail-on");
}

ps_status ps_cmd_bmf(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_plan plan = {0};
        ps_bmf_options machine;
        ps_bmf_run run = {0};
        note_unused_options(options);
        ps_status status = ps_plan_make(&plan, options, err);
        PS_THEN(status, parse_machine(&machine, &options->machine, &options->bmf, err));
        PS_THEN(status, simulate(&run, &machine, options, err));
        PS_THEN(status, print_result(&run, options, err));
        if (status == PS_OK && options->reports.output)
                status = write_trace(&run, options, err);
        if (status == PS_OK && (options->reports.n || options->limits.fail_on.n))
                status = analyse_run(&plan, &run, options, code, err);
        ps_bmf_run_clear(&run);
        ps_plan_clear(&plan);
        return status;
}
