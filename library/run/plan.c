/* plan.c - see plan.h. */
#include "library/run/plan.h"
#include "core/base/number.h"
#include "core/base/parallel.h"
#include "library/run/quantity.h"
#include "library/run/request.h"

#include <string.h>
#include <sys/stat.h>

static ps_status parse_eager(ps_plan *p, const char *text, ps_error *err)
{
        p->eager_bytes = PS_EAGER_DEFAULT;
        p->has_eager = text && strcmp(text, "auto") != 0;
        if (!p->has_eager)
                return PS_OK;
        return ps_whole_parse(&p->eager_bytes, "eager", text, 1, UINT64_MAX, err);
}

static ps_status parse_master(ps_plan *p, const char *text, ps_error *err)
{
        uint64_t rank;

        if (!text)
                return PS_OK;
        PS_TRY(ps_whole_parse(&rank, "master", text, 0, PS_NONE - 1, err));
        p->has_master = true;
        p->master = (uint32_t)rank;
        return PS_OK;
}

static ps_status check_maps(const ps_word_list *maps, ps_error *err)
{
        for (unsigned i = 0; i < maps->n; i++)
                if (!strchr(maps->row[i], '=') || maps->row[i][0] == '=')
                        return PS_FAIL(err, PS_E_USAGE, "--path-map needs OLD=NEW: value=\"%s\"",
                                       maps->row[i]);
        return PS_OK;
}

/* A folder that is not there holds no sources. */
static ps_status check_roots(const ps_word_list *roots, ps_error *err)
{
        for (unsigned i = 0; i < roots->n; i++) {
                struct stat st;
                if (stat(roots->row[i], &st) != 0 || !S_ISDIR(st.st_mode))
                        return PS_FAIL(err, PS_E_USAGE,
                                       "there is no such folder: option=\"--source-root\", value=\"%s\"",
                                       roots->row[i]);
        }
        return PS_OK;
}

static ps_status make_gates(ps_plan *p, const ps_asked_limits *asked, ps_definitions definitions,
                            ps_error *err)
{
        for (unsigned i = 0; i < asked->fail_on.n; i++)
                PS_TRY(ps_gates_parse(&p->gates, asked->fail_on.row[i], err));
        if (ps_gates_need_baseline(&p->gates) && !asked->baseline)
                return PS_FAIL(err, PS_E_USAGE, "the limit \"%s\" needs --baseline",
                               ps_gates_need_causes(&p->gates) ? "new-cause" : "new");
        return ps_gates_check(&p->gates, p->selection.left_out, definitions, err);
}

static ps_status parse_analysis(ps_plan *p, const ps_asked_analysis *asked, ps_error *err)
{
        const char *epsilon = asked->epsilon;

        if (epsilon)
                PS_TRY(ps_quantity_parse(&p->epsilon, epsilon, strlen(epsilon), "--epsilon", err));
        PS_TRY(parse_eager(p, asked->eager, err));
        return parse_master(p, asked->master, err);
}

static ps_status parse_gains(ps_plan *p, const char *text, bool are_ranked_by, ps_error *err)
{
        PS_TRY(ps_gains_parse(&p->gains, text, PS_GAINS_AUTO, err));

        if (are_ranked_by && !p->fixes)
                return PS_FAIL(err, PS_E_USAGE, "--rank-by gain needs --causes");
        if (p->fixes == PS_FIXES_AUTO && text && p->gains)
                p->fixes = p->gains;
        else if (p->fixes == PS_FIXES_AUTO && are_ranked_by)
                p->fixes = PS_GAINS_USUAL;
        return PS_OK;
}

/* Causes are told whatever their number is: it is of those whose fixes are tried. */
static ps_status parse_causes(ps_plan *p, const char *text, ps_error *err)
{
        const char *at = text;
        uint64_t n = 0;

        p->tells_causes = !text || strcmp(text, "none") != 0;
        p->fixes = !text ? PS_FIXES_AUTO : p->tells_causes ? UINT32_MAX : 0;
        p->all_fixes = text && p->tells_causes;
        if (!text || !p->tells_causes || strcmp(text, "all") == 0)
                return PS_OK;
        if (!ps_number_whole(&at, PS_FIXES_AUTO - 1, &n) || *at)
                return PS_FAIL(err, PS_E_USAGE, "--causes needs a number, all or none: value=\"%s\"", text);
        p->fixes = (uint32_t)n;
        p->all_fixes = n > 0;
        return PS_OK;
}

/* A replay of so many operations takes a fraction of a second: analyze does it without being asked. Of more,
 * up to MOST_OPERATIONS, it tries the usual fixes. */
enum { CHEAP_OPERATIONS = 1000000, MOST_OPERATIONS = 10000000 };

uint32_t ps_plan_fixes(const ps_plan *p, uint64_t n_operations)
{
        enum { USUAL = 10 };

        if (p->fixes != PS_FIXES_AUTO)
                return p->fixes;
        return n_operations <= MOST_OPERATIONS ? USUAL : 0;
}

bool ps_plan_wants_causes(const ps_plan *p, const ps_options *options)
{
        bool wants = options->reports.are_open || ps_gates_need_causes(&p->gates) ||
                     options->reports.rank_by == PS_RANK_BY_GAIN;

        for (unsigned i = 0; i < options->reports.n; i++)
                wants |= ps_request_wants_causes(&options->reports.row[i]);
        return p->needs_causes || (wants && p->tells_causes);
}

bool ps_plan_replays(const ps_plan *p, const ps_options *options, uint64_t n_operations)
{
        return n_operations &&
               ((p->gains && p->gains != PS_GAINS_AUTO) ||
                (p->tells_causes && (ps_gates_need_split(&p->gates) || n_operations <= CHEAP_OPERATIONS)) ||
                (ps_plan_wants_causes(p, options) && ps_plan_fixes(p, n_operations)));
}

/* Who may be asked for any report later. */
static bool reports_want_rows(const ps_plan *p, const ps_options *options)
{
        (void)p;
        return options->reports.are_open;
}

bool ps_plan_borrows_rows(const ps_options *options)
{
        bool borrows = false;
        for (unsigned i = 0; i < options->reports.n && !borrows; i++)
                borrows = ps_request_borrows_rows(&options->reports.row[i]);
        return borrows;
}

/* Scalasca's causes ask for times of whole collective operations. */
static bool definitions_want_rows(const ps_plan *p, const ps_options *options)
{
        return options->analysis.definitions == PS_DEFINITIONS_SCALASCA && ps_plan_wants_causes(p, options);
}

uint64_t ps_plan_rows_from(const ps_plan *p, const ps_options *options, const char **what)
{
        static const struct {
                bool (*want_rows)(const ps_plan *p, const ps_options *options);
                const char *what;
        } row[] = {{reports_want_rows, "any report may be asked for later"},
                   {definitions_want_rows, "causes are those of Scalasca's definitions"}};
        static const uint64_t longer[] = {1, CHEAP_OPERATIONS + 1, MOST_OPERATIONS + 1};
        for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
                *what = row[i].what;
                if (row[i].want_rows(p, options))
                        return UINT64_MAX;
        }
        *what = "the run is replayed";
        for (size_t i = 0; i < sizeof(longer) / sizeof(*longer); i++)
                if (!ps_plan_replays(p, options, longer[i]))
                        return longer[i];
        return UINT64_MAX;
}

static ps_status check_new_causes(const ps_plan *p, ps_error *err)
{
        if (!ps_gates_need_causes(&p->gates))
                return PS_OK;
        if (!p->tells_causes)
                return PS_FAIL(err, PS_E_USAGE,
                               "the limit \"new-cause\" cannot be checked with --causes none");
        return p->baseline.has_causes ? PS_OK
                                      : PS_FAIL(err, PS_E_USAGE,
                                                "the limit \"new-cause\" needs a baseline with causes: write "
                                                "it with --report json, and without --causes none");
}

ps_status ps_plan_check(ps_plan *p, const ps_options *options, ps_error *err)
{
        const ps_asked_analysis *asked = &options->analysis;
        PS_TRY(ps_selection_make(&p->selection, &asked->only, &asked->ignore, err));

        PS_TRY(make_gates(p, &options->limits, (ps_definitions)asked->definitions, err));
        PS_TRY(parse_analysis(p, asked, err));
        PS_TRY(check_maps(&options->source.maps, err));
        PS_TRY(check_roots(&options->source.roots, err));
        PS_TRY(parse_causes(p, options->predict.causes, err));
        return parse_gains(p, options->predict.gains, options->reports.rank_by == PS_RANK_BY_GAIN, err);
}

ps_status ps_plan_make(ps_plan *p, const ps_options *options, ps_error *err)
{
        PS_TRY(ps_plan_check(p, options, err));
        if (options->limits.baseline)
                PS_TRY(ps_baseline_read(&p->baseline, options->limits.baseline, err));
        return check_new_causes(p, err);
}

static ps_time epsilon_of(const ps_plan *p, const ps_options *options, const ps_timing *timing)
{
        if (!options->analysis.epsilon)
                return -1;
        return p->epsilon.is_share ? (ps_time)(p->epsilon.share * (double)timing->duration) : p->epsilon.time;
}

unsigned ps_plan_threads(const ps_options *options, const ps_trace *trace)
{
        return ps_parallel_worth(options->load.threads, trace->n_events);
}

void ps_plan_settle(ps_plan *p, const ps_options *options, const ps_trace *trace, const ps_timing *timing)
{
        p->how = (ps_analysis_options){.definitions = (ps_definitions)options->analysis.definitions,
                                       .epsilon = epsilon_of(p, options, timing),
                                       .n_threads = ps_plan_threads(options, trace),
                                       .eager_bytes = p->eager_bytes,
                                       .master = p->master,
                                       .has_master = p->has_master};
        memcpy(p->how.off, p->selection.off, sizeof(p->how.off));
}

void ps_plan_clear(ps_plan *p)
{
        ps_stacks_free(p->stacks);
        ps_baseline_clear(&p->baseline);
}
