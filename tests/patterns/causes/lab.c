/* lab.c - see lab.h. */
#include "tests/patterns/causes/lab.h"

#include "core/model/pieces.h"
#include "tests/support/damage.h"

#include <stdio.h>
#include <string.h>

ps_trace *delayed_load(const char *anchor, ps_clock_mode clock)
{
        const struct ps_piece_options pieces = {.most = 1 << 26};
        const ps_load_options options = {.n_threads = 2, .clock = clock, .pieces = &pieces};
        ps_trace *trace;
        ps_error err = {0};
        if (ps_trace_load(&trace, anchor, &options, &err) < 0)
                ps_test_die("cannot load: path=\"%s\", why=\"%s\"", anchor, err.cause[0].text);
        return trace;
}

delayed delayed_by(const ps_trace *trace, const ps_timing *timing, const ps_analysis_options *analysis,
                   const ps_delay_options *options)
{
        delayed d = {.trace = trace};
        ps_analysis_options how = *analysis;
        ps_error err = {0};
        ps_status status = ps_wait_log_new(&d.log, trace, &err);
        if (status == PS_OK)
                ps_wait_log_listen(d.log, &how);
        if (status == PS_OK)
                status = ps_analyse(&d.analysis, trace, timing, &how, &err);
        if (status == PS_OK)
                status = ps_delays_new(&d.delays, &d.critical, trace, timing, d.log, options, &err);
        if (status == PS_OK)
                status = ps_causes_new(&d.causes, d.delays, d.analysis, &err);
        if (status < 0)
                ps_test_die("cannot tell delays: %s", err.cause[0].text);
        return d;
}

/* Of the calls of one kind the last end, or begin. */
static ps_time last_of(const ps_trace *trace, ps_kind kind, ps_time **times, uint32_t *n)
{
        ps_time last = 0;
        *n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (ps_op op = 0; op < trace->ops[loc].n; op++)
                        if (trace->ops[loc].kind[op] == kind) {
                                last = times[loc][op] > last ? times[loc][op] : last;
                                ++*n;
                        }
        return last;
}

delayed delayed_of(const ps_trace *trace, ps_definitions definitions, ps_time epsilon, unsigned n_threads)
{
        const ps_timing *timing = &trace->measured;
        ps_analysis_options analysis = {
                .definitions = definitions, .epsilon = epsilon, .n_threads = n_threads};
        ps_delay_options options = {
                .definitions = definitions, .end = timing->duration, .n_threads = n_threads};
        uint32_t n;
        ps_time begin = last_of(trace, PS_K_INIT, timing->leave, &n);
        if (definitions != PS_DEFINITIONS_SCALASCA && n)
                options.begin = begin;
        ps_time end = last_of(trace, PS_K_FINALIZE, timing->enter, &n);
        if (definitions != PS_DEFINITIONS_SCALASCA && n == trace->defs.processes.n)
                options.end = end;
        return delayed_by(trace, timing, &analysis, &options);
}

void delayed_free(delayed *d)
{
        ps_causes_free(d->causes);
        ps_critical_free(d->critical);
        ps_delays_free(d->delays);
        ps_analysis_free(d->analysis);
        ps_wait_log_free(d->log);
}

ps_time delayed_sum(const delayed *d, ps_delay_family family, ps_delay_term term, ps_loc loc)
{
        ps_time sum = 0;
        for (int f = 0; f < PS_N_DELAYS; f++)
                for (ps_loc l = 0; l < d->trace->n_locs; l++)
                        if ((family == PS_N_DELAYS || family == (ps_delay_family)f) &&
                            (loc == PS_NONE || l == loc))
                                sum += ps_delayed(d->delays, (ps_delay_family)f, term, l);
        return sum;
}

static int path_ends_with(const ps_trace *trace, ps_path path, const char *names)
{
        char text[512] = "", longer[512];
        for (; path; path = trace->paths[path].parent) {
                const char *name =
                        ps_defs_str(&trace->defs, trace->defs.regions.row[trace->paths[path].region].name);
                snprintf(longer, sizeof(longer), "/%.200s%.300s", name, text);
                memcpy(text, longer, sizeof(text));
        }
        size_t n = strlen(text), wanted = strlen(names);
        return n > wanted && text[n - wanted - 1] == '/' && strcmp(text + n - wanted, names) == 0;
}

ps_delay_cost delayed_cost(const delayed *d, ps_loc loc, const char *path)
{
        for (uint32_t i = 0; i < d->delays->n_costs; i++)
                if (d->delays->cost[i].location == loc &&
                    path_ends_with(d->trace, d->delays->cost[i].path, path))
                        return d->delays->cost[i];
        return (ps_delay_cost){.location = loc};
}

/* -- laws -- */

static void must(int ok, const char *name, const char *what, unsigned family)
{
        if (!ok)
                ps_test_die("%s: %s, family=\"%s\"", name, what,
                            family < PS_N_DELAYS ? ps_delay_names[family] : "all");
}

static void check_location(const delayed *d, const char *name, ps_delay_family f, ps_loc loc)
{
        ps_time term[PS_N_DELAYED];
        int is_scalasca = d->analysis->definitions == PS_DEFINITIONS_SCALASCA;
        for (int k = 0; k < PS_N_DELAYED; k++) {
                term[k] = ps_delayed(d->delays, f, (ps_delay_term)k, loc);
                must(term[k] >= 0, name, "less than nothing", f);
        }
        must(term[PS_DELAYED_PROPAGATING] + term[PS_DELAYED_TERMINAL] == term[PS_DELAYED_WAIT], name,
             "waits are not what propagates and what ends", f);
        ps_time explained = term[PS_DELAYED_DIRECT] + term[PS_DELAYED_INDIRECT];
        must(is_scalasca ? explained == term[PS_DELAYED_WAIT] : explained <= term[PS_DELAYED_WAIT], name,
             "waits are not direct and indirect", f);
}

/* What goes forward is what came back: the findings of a cause add up to its costs. */
static void check_cause(const delayed *d, const char *name, const ps_cause *cause)
{
        ps_time findings = 0, waiting = cause->direct + cause->indirect;
        for (uint32_t k = 0; k < cause->n_findings; k++)
                findings += cause->findings[k].waiting;
        ps_time off = findings > waiting ? findings - waiting : waiting - findings;
        must(off <= waiting / 1000000 + (ps_time)d->analysis->n_findings * PS_PS_PER_NS, name,
             "a cause is not its findings", PS_N_DELAYS);
        must(waiting < PS_PS_PER_NS || cause->n_processes > 0, name, "nobody waits", PS_N_DELAYS);
}

/* By waiting, descending; of as much, by location and call path, and what nothing explains comes last. */
static bool comes_before(const ps_cause *a, const ps_cause *b)
{
        const ps_time x = a->direct + a->indirect, y = b->direct + b->indirect;
        if (x != y || a->location != b->location)
                return x != y ? x > y : a->location < b->location;
        return a->path < b->path;
}

static void check_causes(const delayed *d, const char *name)
{
        ps_time sum = 0;
        for (uint32_t i = 0; i < d->causes->n; i++) {
                const ps_cause *cause = &d->causes->row[i];
                sum += cause->direct + cause->indirect;
                if (cause->location == PS_NONE)
                        continue;
                must(cause->is_told == (i < PS_CAUSES_TOLD), name, "which causes are told", PS_N_DELAYS);
                if (cause->is_told)
                        check_cause(d, name, cause);
        }
        must(sum == d->causes->waiting, name, "causes are not all waiting", PS_N_DELAYS);
        for (uint32_t i = 1; i < d->causes->n; i++)
                must(comes_before(&d->causes->row[i - 1], &d->causes->row[i]), name, "causes are in no order",
                     PS_N_DELAYS);
}

void delayed_check(const delayed *d, const char *name)
{
        check_causes(d, name);
        ps_time costs = 0, waits = 0, unexplained = 0, path = 0;
        for (int f = 0; f < PS_N_DELAYS; f++) {
                ps_time wait = delayed_sum(d, (ps_delay_family)f, PS_DELAYED_WAIT, PS_NONE);
                ps_time rest = delayed_sum(d, (ps_delay_family)f, PS_DELAYED_UNEXPLAINED, PS_NONE);
                must(wait == rest + delayed_sum(d, (ps_delay_family)f, PS_DELAYED_SHORT, PS_NONE) +
                                     delayed_sum(d, (ps_delay_family)f, PS_DELAYED_LONG, PS_NONE),
                     name, "waits are not costs and what is unexplained", (unsigned)f);
                for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                        check_location(d, name, (ps_delay_family)f, loc);
                waits += wait;
                unexplained += rest;
        }
        for (uint32_t i = 0; i < d->delays->n_costs; i++) {
                const ps_delay_cost *c = &d->delays->cost[i];
                must(c->direct >= 0 && c->indirect >= 0 && c->in_order <= c->direct && c->locks <= c->direct,
                     name, "a cost", PS_N_DELAYS);
                costs += c->direct + c->indirect;
        }
        must(waits == costs + unexplained, name, "waits are not the costs of all paths", PS_N_DELAYS);
        for (uint32_t i = 0; i < d->critical->n; i++)
                path += d->critical->row[i].time;
        must(path == d->critical->length, name, "the critical path is not its rows", PS_N_DELAYS);
        if (d->analysis->definitions != PS_DEFINITIONS_SCALASCA)
                must(path == d->delays->length, name, "the critical path is not the focus", PS_N_DELAYS);
}

static bool is_same_cause(const ps_cause *x, const ps_cause *y)
{
        if (x->location != y->location || x->path != y->path || x->why != y->why || x->excess != y->excess ||
            x->direct != y->direct || x->indirect != y->indirect || x->is_told != y->is_told ||
            x->n_processes != y->n_processes || x->n_findings != y->n_findings)
                return false;
        for (uint32_t i = 0; i < x->n_processes; i++)
                if (x->processes[i] != y->processes[i] || x->waits[i] != y->waits[i])
                        return false;
        for (uint32_t i = 0; i < x->n_findings; i++)
                if (x->findings[i].finding != y->findings[i].finding ||
                    x->findings[i].waiting != y->findings[i].waiting)
                        return false;
        return true;
}

static void same_path(const delayed *a, const delayed *b, const char *name)
{
        const ps_critical *x = a->critical, *y = b->critical;
        must(x->n == y->n && x->length == y->length && x->n_steps == y->n_steps, name,
             "critical paths differ", PS_N_DELAYS);
        for (uint32_t i = 0; i < x->n; i++)
                must(x->row[i].path == y->row[i].path && x->row[i].time == y->row[i].time &&
                             x->row[i].imbalance == y->row[i].imbalance &&
                             memcmp(x->row[i].by_location, y->row[i].by_location,
                                    a->delays->n_locs * sizeof(ps_time)) == 0,
                     name, "a row of the critical path differs", PS_N_DELAYS);
        for (uint32_t i = 0; i < x->n_steps; i++)
                must(x->step[i].location == y->step[i].location && x->step[i].begin == y->step[i].begin &&
                             x->step[i].end == y->step[i].end,
                     name, "a step of the critical path differs", PS_N_DELAYS);
}

void delayed_same(const delayed *a, const delayed *b, const char *name)
{
        size_t sums = a->delays->n_locs * sizeof(*a->delays->sum);
        must(memcmp(a->delays->sum, b->delays->sum, sums) == 0, name, "sums differ", PS_N_DELAYS);
        must(a->delays->n_costs == b->delays->n_costs, name, "costs differ", PS_N_DELAYS);
        for (uint32_t i = 0; i < a->delays->n_costs; i++) {
                const ps_delay_cost *x = &a->delays->cost[i], *y = &b->delays->cost[i];
                must(x->location == y->location && x->path == y->path && x->direct == y->direct &&
                             x->indirect == y->indirect && x->excess == y->excess &&
                             x->in_order == y->in_order && x->locks == y->locks && x->is_alone == y->is_alone,
                     name, "a cost differs", PS_N_DELAYS);
        }
        same_path(a, b, name);
        must(a->causes->n == b->causes->n, name, "causes differ", PS_N_DELAYS);
        for (uint32_t i = 0; i < a->causes->n; i++)
                must(is_same_cause(&a->causes->row[i], &b->causes->row[i]), name, "a cause differs",
                     PS_N_DELAYS);
}
