/* cost.c - patscan cost: what operations take on a machine by closed formulas. */
#include "report/subjects/cost.h"
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "core/base/nearest.h"
#include "core/base/number.h"
#include "core/base/vector.h"
#include "simulator/machine/file.h"
#include "simulator/network/ways.h"

#include <stdlib.h>
#include <string.h>

enum {
        VALUES_MOST = 256,        /* in a list of sizes or numbers of ranks */
        MESSAGES_MOST = 100000000 /* that all formulas together look at */
};

typedef struct value_list {
        uint64_t row[VALUES_MOST];
        unsigned n;
} value_list;

/* What is asked for, and what is owned until the end. */
typedef struct work {
        ps_machine *machine;
        value_list procs, bytes;
        ps_kind kinds[PS_ARGUMENTS_MAX];
        unsigned n_kinds;
        PS_VECTOR(ps_cost_row) rows;
} work;

/* -- lists of numbers: "8", "1K,64K", "1..1M", which doubles from 1 up to 1M -- */

static bool read_value(const char **at, uint64_t *out)
{
        static const char units[] = "KMG";
        if (!ps_number_whole(at, UINT64_MAX, out))
                return false;
        const char *unit = **at ? strchr(units, **at) : NULL;
        if (!unit)
                return true;
        ++*at;
        return !__builtin_mul_overflow(*out, UINT64_C(1) << (10 * (unit - units + 1)), out);
}

static bool append_value(value_list *list, uint64_t value)
{
        if (list->n == VALUES_MOST)
                return false;
        list->row[list->n++] = value;
        return true;
}

static bool append_range(value_list *list, uint64_t first, uint64_t last)
{
        for (uint64_t value = first;; value *= 2) {
                if (!append_value(list, value) || !value)
                        return false;
                if (value > last / 2)
                        return value <= last;
        }
}

static bool read_list(value_list *list, const char *at)
{
        for (;; at++) {
                uint64_t first, last;
                if (!read_value(&at, &first))
                        return false;
                if (strncmp(at, "..", 2) == 0) {
                        at += 2;
                        if (!read_value(&at, &last) || !append_range(list, first, last))
                                return false;
                } else if (!append_value(list, first)) {
                        return false;
                }
                if (*at != ',')
                        return !*at;
        }
}

static ps_status parse_list(value_list *list, const char *text, const char *option, ps_error *err)
{
        if (!text)
                return PS_FAIL(err, PS_E_USAGE, "patscan cost needs %s, a list of numbers", option);
        if (read_list(list, text))
                return PS_OK;
        return PS_FAIL(err, PS_E_USAGE,
                       "%s needs a list of numbers: value=\"%s\"; write N, or A..B to double from A on, "
                       "separated by commas, with K, M or G behind; at most %d numbers",
                       option, text, VALUES_MOST);
}

static ps_status check_procs(const work *w, ps_error *err)
{
        for (unsigned i = 0; i < w->procs.n; i++) {
                uint64_t n = w->procs.row[i];
                if (n < 2 || n > PS_MACHINE_RANKS_MAX)
                        return PS_FAIL(err, PS_E_USAGE,
                                       "the number of ranks is out of range: option=\"--procs\", value=%llu, "
                                       "least=2, most=%d",
                                       (unsigned long long)n, PS_MACHINE_RANKS_MAX);
                PS_TRY(ps_machine_fit(w->machine, (uint32_t)n, err));
        }
        return PS_OK;
}

/* -- operations -- */

static bool is_told(ps_kind kind)
{
        static const uint16_t all =
                PS_T_BARRIER | PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE | PS_T_ALL_TO_ALL | PS_T_PREFIX;
        return kind == PS_K_SEND ||
               (ps_kinds[kind].cls == PS_C_COLL && ps_kinds[kind].traits & all && kind != PS_K_ALLOC);
}

static ps_status take_operation(work *w, const char *name, ps_error *err)
{
        const char *names[PS_K_COUNT];
        unsigned n = 0;
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                if (!is_told((ps_kind)kind))
                        continue;
                if (strcmp(ps_kinds[kind].name, name) == 0) {
                        w->kinds[w->n_kinds++] = (ps_kind)kind;
                        return PS_OK;
                }
                names[n++] = ps_kinds[kind].name;
        }
        const char *near = ps_nearest(name, names, n);
        return PS_FAIL(
                err, PS_E_USAGE,
                "no such operation \"%s\"%s%s; there are send, bcast, scatter, gather, reduce, allreduce, "
                "allgather, alltoall, barrier, scan and the like",
                name, near ? ", did you mean " : "", near ? near : "");
}

/* -- all cases -- */

static ps_status reckon_case(work *w, ps_kind kind, uint32_t n, uint64_t bytes, ps_error *err)
{
        ps_quote quotes[PS_QUOTE_WAYS];
        unsigned n_ways = ps_machine_quote(quotes, w->machine, kind, n, bytes);
        for (unsigned i = 0; i < n_ways; i++)
                if (PS_PUSH(w->rows, ((ps_cost_row){kind, n, bytes, quotes[i]})))
                        return PS_NOMEM(err, "rows", w->rows.n);
        return PS_OK;
}

/* Presets of networks are as large as there are nodes. */
static ps_status reckon_sizes(work *w, ps_kind kind, uint32_t n, ps_error *err)
{
        ps_status status = PS_OK;
        if (w->machine->network)
                PS_TRY(ps_ways_new(&w->machine->ways, w->machine, n, err));
        for (unsigned b = 0; b < w->bytes.n && status == PS_OK; b++)
                status = reckon_case(w, kind, n, w->bytes.row[b], err);
        ps_ways_free(w->machine->ways);
        w->machine->ways = NULL;
        return status;
}

static ps_status reckon(work *w, ps_error *err)
{
        uint64_t messages = 0;
        for (unsigned i = 0; i < w->procs.n; i++)
                messages += w->procs.row[i] * w->bytes.n * w->n_kinds;
        if (messages > MESSAGES_MOST)
                return PS_FAIL(err, PS_E_USAGE,
                               "this is too much to calculate at once: messages=%llu, most=%d",
                               (unsigned long long)messages, MESSAGES_MOST);
        for (unsigned k = 0; k < w->n_kinds; k++)
                for (unsigned p = 0; p < w->procs.n; p++)
                        PS_TRY(reckon_sizes(w, w->kinds[k], (uint32_t)w->procs.row[p], err));
        return PS_OK;
}

static ps_status prepare_cost(work *w, const ps_options *options, ps_error *err)
{
        for (unsigned i = 1; i < options->n_arguments; i++)
                PS_TRY(take_operation(w, options->arguments[i], err));
        PS_TRY(parse_list(&w->procs, options->machine.procs, "--procs", err));
        PS_TRY(parse_list(&w->bytes, options->cost.bytes, "--bytes", err));
        PS_TRY(ps_machine_open(&w->machine, options->arguments[0], err));
        PS_TRY(check_procs(w, err));
        return reckon(w, err);
}

static ps_status write_costs(const void *report, const ps_report_request *request, ps_output *out,
                             ps_error *err)
{
        /* In the order of the command's list of reports. */
        static ps_status (*const writers[])(const ps_cost_report *, ps_output *, ps_error *) = {
                ps_cost_write_text, ps_cost_write_json, ps_cost_write_csv, ps_cost_write_html,
                ps_cost_write_markdown};
        return writers[request->format](report, out, err);
}

ps_status ps_cmd_cost(const ps_options *options, ps_exit *code, ps_error *err)
{
        work w = {.machine = NULL};
        ps_status status = prepare_cost(&w, options, err);
        (void)code;
        if (status == PS_OK) {
                const char *name = w.machine->name ? w.machine->name : options->arguments[0];
                status = ps_input_reports(options, write_costs,
                                          &(ps_cost_report){w.machine, name, w.rows.row, w.rows.n}, err);
        }
        free(w.rows.row);
        ps_machine_free(w.machine);
        return status;
}
