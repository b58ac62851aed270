/* scale.c - aligns the runs' call paths, and tells what grows. */
#include "compare/scale.h"
#include "core/base/hash.h"
#include "core/base/lookup.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many times as many locations. */
static const unsigned ahead[PS_SCALE_AHEAD] = {2, 4, 16};

const char *const ps_scale_names[PS_SCALE_WHATS] = {
#define PS_SCALE_WHAT(id, name, text) name,
#include "compare/scale_whats.def"
#undef PS_SCALE_WHAT
};

const double ps_scale_least_share = 0.01;

/* Who has so much of a function runs it alone: between two calls the others do next to nothing. */
const double ps_scale_alone = 0.95;

void ps_scaling_clear(ps_scaling *s)
{
        for (unsigned i = 0; i < PS_SCALE_RUNS_MAX; i++)
                ps_scale_run_clear(&s->run[i]);
        free(s->rows.row);
        free(s->limits.row);
        free(s->intervals.row);
        free(s->stays);
        *s = (ps_scaling){0};
}

/* -- the factors of each run -- */

static int by_locations(const void *a, const void *b)
{
        const ps_scale_run *x = a, *y = b;
        PS_ORDER_BY(x->locations, y->locations);
        PS_ORDER_BY(x->duration_s, y->duration_s);
        return strcmp(x->path, y->path);
}

double ps_scale_fair_growth(const ps_scaling *s, unsigned run)
{
        return s->is_weak ? (double)s->run[run].locations / (double)s->run[0].locations : 1;
}

static void find_factors(ps_scaling *s, unsigned i)
{
        const ps_scale_run *first = &s->run[0];
        ps_scale_run *run = &s->run[i];
        double fair = ps_scale_fair_growth(s, i);
        run->speedup = first->duration_s / run->duration_s * fair;
        run->factors.computation_scalability =
                run->computing_s > 0 ? first->computing_s * fair / run->computing_s : NAN;
        run->factors.global = run->factors.parallel * run->factors.computation_scalability;
}

/* -- call paths over all runs -- */

static uint64_t hash_row(const void *rows, uint32_t row)
{
        const char *key = ((const ps_scale_row *)rows)[row].key;
        return ps_hash_bytes(key, strlen(key));
}

static bool has_key(const void *key, const void *rows, uint32_t row)
{
        return strcmp(((const ps_scale_row *)rows)[row].key, key) == 0;
}

static ps_status find_function_row(uint32_t *out, ps_scaling *s, ps_lookup *table, const ps_scale_function *f,
                                   ps_error *err)
{
        if (ps_lookup_room(table, s->rows.n, hash_row, s->rows.row))
                return PS_NOMEM(err, "functions", s->rows.n);
        uint64_t hash = ps_hash_bytes(f->key, strlen(f->key));
        uint32_t *slot = ps_lookup_find(table, hash, has_key, f->key, s->rows.row);
        if (!*slot) {
                ps_scale_row row = {.key = f->key,
                                    .name = f->name,
                                    .file = f->file,
                                    .line = f->line,
                                    .is_call = f->is_call,
                                    .is_idle = f->is_idle};
                if (PS_PUSH(s->rows, row))
                        return PS_NOMEM(err, "functions", s->rows.n);
                *slot = s->rows.n;
        }
        *out = *slot - 1;
        return PS_OK;
}

static ps_status align_rows(ps_scaling *s, ps_lookup *table, ps_error *err)
{
        for (unsigned i = 0; i < s->n; i++)
                for (uint32_t k = 0; k < s->run[i].functions.n; k++) {
                        const ps_scale_function *f = &s->run[i].functions.row[k];
                        uint32_t row = 0;
                        PS_TRY(find_function_row(&row, s, table, f, err));
                        ps_scale_part *part = &s->rows.row[row].part[i];
                        part->exclusive_s += f->part.exclusive_s;
                        part->waiting_s += f->part.waiting_s;
                        part->longest_s = fmax(part->longest_s, f->part.longest_s);
                        part->visits += f->part.visits;
                }
        return PS_OK;
}

/* -- growth -- */

static double cpu_time(const ps_scale_run *run)
{
        return run->duration_s * (double)run->locations;
}

static void fit_row(const ps_scaling *s, ps_scale_row *row)
{
        double p[PS_SCALE_RUNS_MAX] = {0}, cost[PS_SCALE_RUNS_MAX] = {0};
        for (unsigned i = 0; i < s->n; i++) {
                p[i] = (double)s->run[i].locations;
                cost[i] = row->part[i].exclusive_s / (s->is_weak ? p[i] : 1);
        }
        row->growth = ps_growth_fit(p, cost, s->n);
        row->lost_s = row->part[s->n - 1].exclusive_s -
                      row->part[0].exclusive_s * ps_scale_fair_growth(s, s->n - 1);
}

static int by_loss(const void *a, const void *b)
{
        const ps_scale_row *x = a, *y = b;
        PS_ORDER_BY(y->lost_s, x->lost_s);
        return strcmp(x->key, y->key);
}

/* All CPU time is the functions', and what is not running: that is one more cost. */
static double time_ahead(const ps_scaling *s, double p)
{
        double rest[PS_SCALE_RUNS_MAX], at[PS_SCALE_RUNS_MAX], sum = 0;
        for (unsigned i = 0; i < s->n; i++) {
                at[i] = (double)s->run[i].locations;
                rest[i] = cpu_time(&s->run[i]);
                for (uint32_t k = 0; k < s->rows.n; k++)
                        rest[i] -= s->rows.row[k].part[i].exclusive_s;
                rest[i] = fmax(0, rest[i]) / (s->is_weak ? at[i] : 1);
        }
        ps_growth other = ps_growth_fit(at, rest, s->n);
        for (uint32_t k = 0; k < s->rows.n; k++)
                sum += ps_growth_at(&s->rows.row[k].growth, p);
        sum += ps_growth_at(&other, p);
        return s->is_weak ? sum : sum / p;
}

static double share_in_common(const ps_scaling *s)
{
        double common = 0, all = 0;
        for (uint32_t i = 0; i < s->rows.n; i++) {
                double time = s->rows.row[i].part[s->n - 1].exclusive_s;
                all += time;
                common += s->rows.row[i].part[0].exclusive_s > 0 ? time : 0;
        }
        return all > 0 ? common / all : 1;
}

static void look_ahead(ps_scaling *s)
{
        const ps_scale_run *first = &s->run[0], *last = &s->run[s->n - 1];
        s->missed_by = s->n < 3 ? NAN : time_ahead(s, (double)last->locations) / last->duration_s - 1;
        for (int i = 0; i < PS_SCALE_AHEAD; i++) {
                ps_scale_forecast *f = &s->ahead[i];
                f->locations = last->locations * ahead[i];
                f->duration_s = s->n < 3 ? NAN : time_ahead(s, (double)f->locations);
                f->speedup = first->duration_s / f->duration_s *
                             (s->is_weak ? (double)f->locations / (double)first->locations : 1);
        }
}

/* -- what stops it -- */

/* What the others would wait for if all waited for the longest process. */
static double excess(const ps_scale_row *row, const ps_scale_run *run, unsigned i)
{
        return fmax(0, row->part[i].longest_s * (double)run->processes - row->part[i].exclusive_s);
}

static ps_status add_limit(ps_scaling *s, ps_scale_what what, uint32_t row, double lost, ps_error *err)
{
        double share = lost / cpu_time(&s->run[s->n - 1]);
        if (!(share >= ps_scale_least_share))
                return PS_OK;
        return PS_PUSH(s->limits, ((ps_scale_limit){what, row, lost, share}))
                       ? PS_NOMEM(err, "limits", s->limits.n)
                       : PS_OK;
}

/* What is computed between calls is told of the function that they are in. Where few processes make none of
 * them, nobody knows in which function the same was computed. */
static bool is_known_by_calls(const ps_scale_part *now, const ps_scale_part *then)
{
        return !(now->visits > 0) && !(then->exclusive_s > 0);
}

static ps_status find_limits_of(ps_scaling *s, uint32_t at, ps_error *err)
{
        const ps_scale_row *row = &s->rows.row[at];
        unsigned last = s->n - 1;
        const ps_scale_run *big = &s->run[last], *small = &s->run[0];
        const ps_scale_part *now = &row->part[last], *then = &row->part[0];
        double fair = ps_scale_fair_growth(s, last);
        if (row->is_idle)
                return PS_OK; /* what it waits for is the cause */
        if (row->is_call)
                return add_limit(s, PS_SCALE_TRANSFER, at,
                                 now->exclusive_s - now->waiting_s -
                                         (then->exclusive_s - then->waiting_s) * fair,
                                 err);
        bool is_alone = now->longest_s >= ps_scale_alone * now->exclusive_s && big->processes > 1;
        if (!is_known_by_calls(now, then))
                PS_TRY(add_limit(s, PS_SCALE_COMPUTATION, at, row->lost_s, err));
        return add_limit(s, is_alone ? PS_SCALE_ALONE : PS_SCALE_IMBALANCE, at,
                         excess(row, big, last) - excess(row, small, 0) * fair, err);
}

static int by_share(const void *a, const void *b)
{
        const ps_scale_limit *x = a, *y = b;
        PS_ORDER_BY(y->lost_s, x->lost_s);
        PS_ORDER_BY(x->row, y->row);
        return PS_ORDER(x->what, y->what);
}

ps_status ps_scale(ps_scaling *s, ps_error *err)
{
        ps_lookup table = {0};
        qsort(s->run, s->n, sizeof(*s->run), by_locations);
        if (s->n < 2 || s->run[0].locations == s->run[s->n - 1].locations)
                return PS_FAIL(err, PS_E_USAGE,
                               "all runs have the same number of processes: locations=%" PRIu64
                               "; for two such runs use patscan compare",
                               s->n ? s->run[0].locations : 0);
        for (unsigned i = 0; i < s->n; i++)
                find_factors(s, i);
        ps_status status = align_rows(s, &table, err);
        ps_lookup_free(&table);
        for (uint32_t i = 0; i < s->rows.n && status == PS_OK; i++)
                fit_row(s, &s->rows.row[i]);
        if (status == PS_OK && s->rows.n)
                qsort(s->rows.row, s->rows.n, sizeof(*s->rows.row), by_loss);
        for (uint32_t i = 0; i < s->rows.n; i++)
                PS_THEN(status, find_limits_of(s, i, err));
        if (s->limits.n)
                qsort(s->limits.row, s->limits.n, sizeof(*s->limits.row), by_share);
        PS_THEN(status, ps_scale_find_intervals(s, err));
        if (status == PS_OK) {
                s->common_share = share_in_common(s);
                look_ahead(s);
        }
        return status;
}

/* -- in words -- */

/* What a sentence is about. */
typedef struct words {
        const ps_scale_row *row;
        const ps_scale_run *small, *big;
        const ps_scale_part *then, *now;
        char name[PS_SCALE_NAME_ROOM], lost[PS_NUMBER_ROOM];
} words;

const char *ps_scale_name(char room[PS_SCALE_NAME_ROOM], const ps_scale_row *row)
{
        static const char between[] = " > ";
        const size_t gap = sizeof(between) - 1;
        const char *end = row->name >= row->key + gap ? row->name - gap : row->key, *begin = end;
        while (begin > row->key && (begin < row->key + gap || memcmp(begin - gap, between, gap) != 0))
                begin--;
        if ((row->is_call || row->is_idle) && end > begin)
                snprintf(room, PS_SCALE_NAME_ROOM, "%.100s in %.*s", row->name,
                         end - begin < 100 ? (int)(end - begin) : 100, begin);
        else
                snprintf(room, PS_SCALE_NAME_ROOM, "%.200s", row->name);
        return room;
}

static const char *time_text(char room[PS_NUMBER_ROOM], double seconds)
{
        ps_text_seconds_short(room, seconds);
        return room;
}

static void say_computation(char *room, const words *w)
{
        char then[PS_NUMBER_ROOM], now[PS_NUMBER_ROOM];
        snprintf(room, PS_SCALE_TEXT_ROOM,
                 "%s takes %s of CPU time on %" PRIu64 " process%s, and %s on %" PRIu64
                 ": %s more than if it scaled.",
                 w->name, time_text(then, w->then->exclusive_s), w->small->processes,
                 w->small->processes == 1 ? "" : "es", time_text(now, w->now->exclusive_s), w->big->processes,
                 w->lost);
}

static void say_imbalance(char *room, const words *w)
{
        char mean[PS_NUMBER_ROOM], longest[PS_NUMBER_ROOM];
        snprintf(room, PS_SCALE_TEXT_ROOM,
                 "%s takes one of %" PRIu64 " processes %s, where the mean is %s: the others may wait for "
                 "it, %s of CPU time more than on %" PRIu64 ".",
                 w->name, w->big->processes, time_text(longest, w->now->longest_s),
                 time_text(mean, w->now->exclusive_s / (double)w->big->processes), w->lost,
                 w->small->processes);
}

static void say_alone(char *room, const words *w)
{
        char longest[PS_NUMBER_ROOM];
        snprintf(room, PS_SCALE_TEXT_ROOM,
                 "%s is run by one process, for %s: on %" PRIu64
                 " processes the others may wait for it, %s of CPU time more than on %" PRIu64 ".",
                 w->name, time_text(longest, w->now->longest_s), w->big->processes, w->lost,
                 w->small->processes);
}

static void say_transfer(char *room, const words *w)
{
        char then[PS_NUMBER_ROOM], now[PS_NUMBER_ROOM];
        snprintf(room, PS_SCALE_TEXT_ROOM,
                 "%s takes %s, waiting apart, on %" PRIu64 " process%s, and %s on %" PRIu64
                 ": %s more than if it scaled.",
                 w->name, time_text(then, w->then->exclusive_s - w->then->waiting_s), w->small->processes,
                 w->small->processes == 1 ? "" : "es",
                 time_text(now, w->now->exclusive_s - w->now->waiting_s), w->big->processes, w->lost);
}

const char *ps_scale_say(char room[PS_SCALE_TEXT_ROOM], const ps_scaling *s, const ps_scale_limit *limit)
{
        static void (*const sayers[PS_SCALE_WHATS])(char *, const words *) = {
                [PS_SCALE_COMPUTATION] = say_computation,
                [PS_SCALE_IMBALANCE] = say_imbalance,
                [PS_SCALE_ALONE] = say_alone,
                [PS_SCALE_TRANSFER] = say_transfer};
        const ps_scale_row *row = &s->rows.row[limit->row];
        words w = {row, &s->run[0], &s->run[s->n - 1], &row->part[0], &row->part[s->n - 1], "", ""};
        ps_scale_name(w.name, row);
        time_text(w.lost, limit->lost_s);
        sayers[limit->what](room, &w);
        return room;
}
