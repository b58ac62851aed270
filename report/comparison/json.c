/* json.c - a comparison for programs: docs/compare.schema.json. What is not known is null. */
#include "core/base/number.h"
#include "report/comparison/words.h"
#include "report/print/record_rows.h"
#include "report/scaling/scaling.h"

static const char *const schema_names[] = {"patscan-compare-1"}, *const source_names[] = {"trace", "report"},
                         *const timing_names[] = {"measured", "predicted"},
                         *const places[] = {"both", "measured", "predicted"},
                         *const results[] = {"within", "exceeded", "unusable", "undecided"};

/* Which of `places`. */
static const char *where_found(int in_measured, int in_predicted)
{
        return places[in_measured && in_predicted ? 0 : in_measured ? 1 : 2];
}

#define RECORD     two
#define RECORD_DEF "report/comparison/two.def"
#define RECORD_IT  ps_two
#define RECORD_DOC "a time of each run; null: not known, or not there"
#include "report/print/make_record.def"

#define RECORD     errors
#define RECORD_DEF "report/comparison/errors.def"
#define RECORD_IT  ps_errors
#define RECORD_DOC "how far predicted times are from measured ones; null: it cannot be told"
#include "report/print/make_record.def"

#define RECORD     matches
#define RECORD_DEF "report/comparison/matches.def"
#define RECORD_IT  ps_matches
#define RECORD_DOC "how many are in which of the runs"
#include "report/print/make_record.def"

#define RECORD     compared_run
#define RECORD_DEF "report/comparison/run.def"
#define RECORD_IT  ps_run
#define RECORD_DOC "one of the two runs"
#include "report/print/make_record.def"

#define RECORD     sample
#define RECORD_DEF "report/comparison/sample.def"
#define RECORD_IT  ps_run_sample
#define RECORD_DOC "one of several runs of a side"
#include "report/print/make_record.def"

#define RECORD     sampled
#define RECORD_DEF "report/comparison/sampled.def"
#define RECORD_IT  ps_run_sampled
#define RECORD_DOC "what all runs say of a length"
#include "report/print/make_record.def"

/* -- parts and intervals -- */

#define RECORD     component
#define RECORD_DEF "report/comparison/component.def"
#define RECORD_IN  ps_compare
#define RECORD_IT  ps_two
#define RECORD_DOC "what all ranks did with a part of their time"
#include "report/print/make_record.def"

static void put_components(ps_row *to, const char *key, const ps_compare *c)
{
        if (isnan(c->part[0].measured) || isnan(c->part[0].predicted))
                ps_row_null(to, key);
        else
                ps_record_put_rows(to, key, &ps_record_component, c, c->part, PS_PARTS, sizeof(*c->part));
}

/* Titles, outermost first. They are told innermost first by the tree: it is walked from the top, by levels.
 */
static void put_path(ps_row *to, const char *key, const ps_compare *c, const ps_compared_interval *i)
{
        int side = i->row[PS_MEASURED] == PS_NONE ? PS_PREDICTED : PS_MEASURED;
        const ps_run *run = c->run[side];
        char title[PS_RUN_TITLE_ROOM];
        enum { DEEPEST = 64 };
        uint32_t above[DEEPEST];
        unsigned n = 0;

        for (uint32_t at = i->row[side]; at != PS_NONE && at && n < DEEPEST;
             at = run->intervals.row[at].parent)
                above[n++] = at;
        ps_row_open(to, key, '[');
        while (n--)
                ps_row_text(to, NULL, ps_run_title(title, run, above[n]));
        ps_row_close(to, ']');
}

static void put_contribution_path(ps_row *to, const char *key, const ps_compare *c,
                                  const ps_contribution *one)
{
        if (one->interval != PS_NONE)
                put_path(to, key, c, &c->intervals.row[one->interval]);
        else
                ps_row_null(to, key);
}

#define RECORD     contribution
#define RECORD_DEF "report/comparison/contribution.def"
#define RECORD_IN  ps_compare
#define RECORD_IT  ps_contribution
#define RECORD_DOC "a part of the difference"
#include "report/print/make_record.def"

#define RECORD     compared_interval
#define RECORD_DEF "report/comparison/interval.def"
#define RECORD_IN  ps_compare
#define RECORD_IT  ps_compared_interval
#define RECORD_DOC "an interval; its own times are with the intervals below it"
#include "report/print/make_record.def"

/* These may be many: a line each. */
static void put_lines(ps_row *to, const char *key, const ps_record *record, const ps_compare *c,
                      const void *first, size_t n, size_t size)
{
        ps_row_open(to, key, '[');
        for (size_t i = 0; i < n && !ps_output_failed(to->out); i++) {
                ps_output_putc(to->out, '\n');
                ps_record_put(to, NULL, record, c, (const char *)first + i * size);
        }
        ps_row_close(to, ']');
}

static void put_intervals(ps_row *to, const char *key, const ps_compare *c)
{
        put_lines(to, key, &ps_record_compared_interval, c, c->intervals.row, c->intervals.n,
                  sizeof(*c->intervals.row));
}

/* -- ranks and messages -- */

#define RECORD     compared_rank
#define RECORD_DEF "report/comparison/rank.def"
#define RECORD_IT  ps_compared_rank
#define RECORD_DOC "a rank: a location that calculates"
#include "report/print/make_record.def"

#define RECORD     compared_size
#define RECORD_DEF "report/comparison/size.def"
#define RECORD_IT  ps_compared_size
#define RECORD_DOC "messages of about one size"
#include "report/print/make_record.def"

/* -- patterns and findings -- */

static bool have_findings(const ps_compare *c)
{
        return c->run[PS_MEASURED]->has_findings && c->run[PS_PREDICTED]->has_findings;
}

#define RECORD     compared_pattern
#define RECORD_DEF "report/comparison/pattern.def"
#define RECORD_IT  ps_compared_pattern
#define RECORD_DOC "what a pattern lost"
#include "report/print/make_record.def"

static void put_patterns(ps_row *to, const char *key, const ps_compare *c)
{
        if (have_findings(c))
                ps_record_put_rows(to, key, &ps_record_compared_pattern, NULL, c->patterns.row, c->patterns.n,
                                   sizeof(*c->patterns.row));
        else
                ps_row_null(to, key);
}

static void put_site_id(ps_row *to, const char *key, uint64_t site)
{
        char room[PS_HEX_BYTES];

        ps_row_word(to, key, ps_number_print_hex(room, site));
}

#define RECORD     compared_site
#define RECORD_DEF "report/comparison/site.def"
#define RECORD_IT  ps_compared_site
#define RECORD_DOC "all findings of a site"
#include "report/print/make_record.def"

static void put_sites(ps_row *to, const char *key, const ps_compare *c)
{
        put_lines(to, key, &ps_record_compared_site, c, c->sites.row, c->sites.n, sizeof(*c->sites.row));
}

/* -- the whole -- */

static void put_comparison_notes(ps_row *to, const char *key, const ps_compare *c)
{
        char room[PS_COMPARE_NOTE_ROOM];

        ps_row_open(to, key, '[');
        for (unsigned i = 0; ps_compare_note(room, c, i); i++)
                ps_row_text(to, NULL, ps_compare_note(room, c, i));
        ps_row_close(to, ']');
}

/* One of `results`; NULL: there is no limit. */
static const char *result_of(const ps_compare *c)
{
        if (ps_compare_is_unusable(c))
                return results[2];
        if (isnan(c->options.tolerance))
                return NULL;
        if (c->total_exceeded || c->intervals_exceeded)
                return results[1];
        return results[c->total_beyond || c->intervals_beyond ? 3 : 0];
}

/* Of all runs of a side. */
static void put_samples(ps_row *to, const char *key, const ps_compare *c, ps_run_role side)
{
        const ps_run_samples *samples = c->options.samples;

        ps_record_put_rows(to, key, &ps_record_sample, NULL, samples ? samples->row[side] : NULL,
                           samples ? samples->n[side] : 0, sizeof(ps_run_sample));
}

#define RECORD     comparison
#define RECORD_DEF "report/comparison/comparison.def"
#define RECORD_IT  ps_compare
#define RECORD_DOC                                                                                           \
        "What `patscan compare MEASURED PREDICTED --report json` writes, version 1. Keys may be added in "   \
        "later versions; these stay. Times are seconds, with nanoseconds; shares are parts of 1; what is "   \
        "not known or cannot be told is null."
#define RECORD_WRITE ps_compare_write_json
#define RECORD_STYLE PS_ROW_SPACED
#include "report/print/make_record.def"
