/* redistribute.c - patscan redistribute: what changing the distribution of an array moves, and how long
 * that takes on each machine. */
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "library/run/quantity.h"
#include "report/redistribution/redistribution.h"
#include "simulator/machine/file.h"
#include "simulator/redistribute/plan.h"
#include "simulator/redistribute/time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the command's list of reports. */
enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML, FORMAT_MARKDOWN };

/* What is owned until the end. */
typedef struct work {
        ps_redist *redist;
        ps_redist_loads loads;
        ps_redist_machine *machines;
        char (*formulas)[PS_FORMULA_ROOM];
        char **names;
        unsigned n_machines;
        bool has_transputer;
} work;

static ps_status parse_element_bytes(uint64_t *out, const char *text, ps_error *err)
{
        return text ? ps_whole_parse(out, "element-bytes", text, 1, UINT64_MAX, err) : PS_OK;
}

/* --procs gives grids of one axis; --grid any. Both must then speak of the same number. */
static ps_status parse_grids(ps_redist_grid out[PS_REDIST_SIDES], const ps_asked_machine *asked,
                             ps_error *err)
{
        ps_redist_grid procs[PS_REDIST_SIDES];

        if (!asked->procs && !asked->grid)
                return PS_FAIL(err, PS_E_USAGE, "patscan redistribute needs --procs or --grid");
        if (asked->procs)
                PS_TRY(ps_redist_grids_parse(procs, asked->procs, "--procs", err));
        if (asked->grid)
                PS_TRY(ps_redist_grids_parse(out, asked->grid, "--grid", err));
        for (unsigned side = 0; side < PS_REDIST_SIDES && asked->procs; side++) {
                if (procs[side].n_axes > 1)
                        return PS_FAIL(err, PS_E_USAGE, "--procs takes numbers; --grid takes a grid");
                else if (!asked->grid)
                        out[side] = procs[side];
                else if (out[side].procs != procs[side].procs)
                        return PS_FAIL(err, PS_E_USAGE, "--procs and --grid do not agree: procs=%u, grid=%u",
                                       procs[side].procs, out[side].procs);
        }
        return PS_OK;
}

static ps_status add_machine(work *w, const char *spec, const ps_machine *machine, ps_pipelining pipelining,
                             ps_error *err)
{
        unsigned at = w->n_machines;
        ps_status status = ps_redist_time(&w->machines[at].time, w->redist, machine, pipelining, err);

        if (status != PS_OK)
                return PS_CAUSE(err, status, "cannot predict the time: machine=\"%s\"", spec);
        w->names[at] = strdup(machine->name ? machine->name : spec);
        if (!w->names[at])
                return PS_NOMEM(err, "name", 1);
        w->machines[at].name = w->names[at];
        w->machines[at].formula = ps_machine_formula(machine, w->formulas[at]);
        w->has_transputer |= machine->model == PS_MODEL_TRANSPUTER;
        w->n_machines++;
        return PS_OK;
}

/* A preset that is made for fewer processors is passed over. */
static ps_status open_machine(work *w, const char *spec, bool is_optional, ps_pipelining pipelining,
                              ps_error *err)
{
        const ps_redist_grid *grid = w->redist->grid;
        uint32_t procs = grid[0].procs > grid[1].procs ? grid[0].procs : grid[1].procs;
        ps_machine *machine;
        ps_status status = ps_machine_open(&machine, spec, err);

        if (status != PS_OK)
                return status;
        if (!is_optional || ps_machine_fit(machine, procs, NULL) == PS_OK)
                status = add_machine(w, spec, machine, pipelining, err);
        ps_machine_free(machine);
        return status;
}

/* On the machines that were asked for, or else on all that are known. */
static ps_status find_times(work *w, const ps_options *options, ps_error *err)
{
        const ps_word_list *asked = &options->machine.names;
        unsigned n = asked->n ? asked->n : ps_n_presets;

        w->machines = calloc(n, sizeof(*w->machines));
        w->formulas = calloc(n, sizeof(*w->formulas));
        w->names = calloc(n, sizeof(*w->names));
        if (!w->machines || !w->formulas || !w->names)
                return PS_NOMEM(err, "machines", n);
        for (unsigned i = 0; i < n; i++)
                PS_TRY(open_machine(w, asked->n ? asked->row[i] : ps_presets[i].name, !asked->n,
                                    (ps_pipelining)options->machine.pipelining, err));
        if (!w->has_transputer)
                ps_message_idle(options, "pipelining", "none of the machines is a grid of transputers");
        return PS_OK;
}

/* What is said of a plan before it is made: readers of JSON need many times its size. */
static void warn_of_length(const work *w, const ps_options *options)
{
        enum { MANY_BYTES = 100000000 };
        uint64_t least = ps_redist_json_least(w->redist);

        if (least >= MANY_BYTES)
                ps_message_warn(&options->terminal,
                                "the plan takes %" PRIu64
                                " MB of JSON or more: transfers=%zu, processors=%" PRIu32 " and %" PRIu32,
                                least / 1000000, w->redist->transfers.n, w->redist->grid[0].procs,
                                w->redist->grid[1].procs);
}

/* Only JSON has room for a plan. */
static ps_status check_plan(const work *w, const ps_options *options, ps_error *err)
{
        unsigned n_json = 0;

        for (unsigned i = 0; i < options->reports.n; i++)
                n_json += options->reports.row[i].format == FORMAT_JSON;
        if (options->redistribute.plan && !n_json)
                return PS_FAIL(err, PS_E_USAGE, "--plan needs --report json");
        if (!options->redistribute.plan)
                return PS_OK;
        PS_TRY(ps_redist_plan_check(w->redist, err));
        warn_of_length(w, options);
        return PS_OK;
}

static ps_status reckon(work *w, const ps_options *options, ps_error *err)
{
        ps_redist_spec spec;
        ps_redist_grid grid[PS_REDIST_SIDES];
        PS_TRY(ps_redist_spec_parse(&spec, options->arguments[0], err));

        PS_TRY(parse_element_bytes(&spec.element_bytes, options->redistribute.element_bytes, err));
        PS_TRY(parse_grids(grid, &options->machine, err));
        PS_TRY(ps_redist_new(&w->redist, &spec, grid, err));
        PS_TRY(check_plan(w, options, err));
        PS_TRY(ps_redist_loads_find(&w->loads, w->redist, err));
        return find_times(w, options, err);
}

static ps_status write_redistribution(const void *report, const ps_report_request *request, ps_output *out,
                                      ps_error *err)
{
        static ps_status (*const writers[])(const ps_redist_report *, ps_output *,
                                            ps_error *) = {[FORMAT_TEXT] = ps_redist_write_text,
                                                           [FORMAT_JSON] = ps_redist_write_json,
                                                           [FORMAT_CSV] = ps_redist_write_csv,
                                                           [FORMAT_HTML] = ps_redist_write_html,
                                                           [FORMAT_MARKDOWN] = ps_redist_write_markdown};

        return writers[request->format](report, out, err);
}

ps_status ps_cmd_redistribute(const ps_options *options, ps_exit *code, ps_error *err)
{
        work w = {.redist = NULL};
        ps_status status = reckon(&w, options, err);

        (void)code;
        PS_THEN(status, ps_input_reports(options, write_redistribution,
                                         &(ps_redist_report){.redist = w.redist,
                                                             .loads = &w.loads,
                                                             .machines = w.machines,
                                                             .n_machines = w.n_machines,
                                                             .were_asked_for = options->machine.names.n != 0,
                                                             .with_plan = options->redistribute.plan != 0},
                                         err));
        for (unsigned i = 0; i < w.n_machines; i++)
                free(w.names[i]);
        free(w.names);
        free(w.formulas);
        free(w.machines);
        ps_redist_free(w.redist);
        return status;
}
