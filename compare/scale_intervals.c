/* scale_intervals.c - intervals over runs on different numbers of processes: the same factors as of the whole
 * run, and what keeps each from scaling. */
#include "compare/scale.h"
#include "core/base/hash.h"
#include "core/base/map.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/text.h"
#include "core/base/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- of one run -- */

/* Computation by interval and processor, and transfer by interval, with the intervals below; and what
 * intervals are known by. */
typedef struct sums {
        double *computing, *transfer;
        uint64_t *id;
} sums;

/* It is one program: those of a name are the same, wherever its file lay in this run. */
static uint64_t interval_key(const ps_run_interval *row, uint64_t parent)
{
        const char *name = *row->name ? row->name : ps_file_name(row->file);
        uint64_t key = ps_hash_pair(parent, ps_hash_bytes(row->type, strlen(row->type)));
        key = ps_hash_pair(key, ps_hash_bytes(name, strlen(name)));
        key = ps_hash_pair(key, *row->name ? 0 : row->line);
        return ps_hash_pair(key, row->has_index ? ps_hash_mix((uint64_t)row->index) + 1 : 0);
}

/* Of several equal ones the n-th is the n-th. */
static ps_status name_intervals(sums *sum, const ps_run *run, ps_error *err)
{
        ps_map seen = {0};
        ps_status status = PS_OK;
        for (uint32_t i = 1; i < run->intervals.n && status == PS_OK; i++) {
                uint64_t key = interval_key(&run->intervals.row[i], sum->id[run->intervals.row[i].parent]);
                ps_time *n = ps_map_at(&seen, (uint32_t)(key >> 32), (uint32_t)key, 0);
                if (n)
                        sum->id[i] = ps_hash_pair(key, (uint64_t)(*n)++);
                else
                        status = PS_NOMEM(err, "intervals", run->intervals.n);
        }
        ps_map_free(&seen);
        return status;
}

static void add_up_intervals(sums *sum, const ps_run *run)
{
        uint32_t n = run->n_processors;
        for (uint32_t i = run->intervals.n; i-- > 0;) {
                const ps_run_interval *row = &run->intervals.row[i];
                for (uint32_t p = 0; p < n; p++) {
                        double *own = &sum->computing[(size_t)i * n + p];
                        const ps_run_parts parts = ps_run_parts_of(row, p);
                        *own += parts.of[PS_PART_COMPUTE];
                        sum->transfer[i] += parts.of[PS_PART_OVERHEAD];
                        if (i)
                                sum->computing[(size_t)row->parent * n + p] += *own;
                }
                if (i)
                        sum->transfer[row->parent] += sum->transfer[i];
        }
}

static ps_status add_interval(ps_scale_run *out, const ps_run *run, uint32_t at, const sums *sum,
                              ps_error *err)
{
        char title[PS_RUN_TITLE_ROOM];
        const ps_run_interval *row = &run->intervals.row[at];
        ps_scale_lap lap = {.id = sum->id[at],
                            .title = strdup(ps_run_title(title, run, at)),
                            .name = strdup(row->name),
                            .file = strdup(row->file),
                            .line = row->line,
                            .level = row->level,
                            .stay = {.is_there = true,
                                     .duration_s = row->execution_s,
                                     .cpu_s = row->execution_s * run->n_processors,
                                     .transfer_s = sum->transfer[at]}};
        for (uint32_t p = 0; p < run->n_processors; p++) {
                double own = sum->computing[(size_t)at * run->n_processors + p];
                lap.stay.computing_s += own;
                lap.stay.longest_s = fmax(lap.stay.longest_s, own);
        }
        if (lap.title && lap.name && lap.file && PS_PUSH(out->laps, lap) == 0)
                return PS_OK;
        ps_scale_lap_clear(&lap);
        return PS_NOMEM(err, "intervals", out->laps.n);
}

void ps_scale_lap_clear(ps_scale_lap *lap)
{
        free(lap->title);
        free(lap->name);
        free(lap->file);
}

ps_status ps_scale_run_add_intervals(ps_scale_run *out, const ps_run *run, ps_error *err)
{
        if (run->intervals.n < 2 || !run->has_shares)
                return PS_OK;
        sums sum = {ps_memory_zeroed((size_t)run->intervals.n * run->n_processors, sizeof(*sum.computing)),
                    ps_memory_zeroed(run->intervals.n, sizeof(*sum.transfer)),
                    ps_memory_zeroed(run->intervals.n, sizeof(*sum.id))};
        ps_status status = sum.computing && sum.transfer && sum.id
                                   ? name_intervals(&sum, run, err)
                                   : PS_NOMEM(err, "intervals", run->intervals.n);
        if (status == PS_OK)
                add_up_intervals(&sum, run);
        for (uint32_t i = 1; i < run->intervals.n; i++)
                PS_THEN(status, add_interval(out, run, i, &sum, err));
        free(sum.computing);
        free(sum.transfer);
        free(sum.id);
        return status;
}

/* -- over all runs -- */

static ps_status align_intervals(ps_scaling *s, ps_map *map, ps_error *err)
{
        for (unsigned i = 0; i < s->n; i++)
                for (uint32_t k = 0; k < s->run[i].laps.n; k++) {
                        const ps_scale_lap *lap = &s->run[i].laps.row[k];
                        ps_time *row = ps_map_at(map, (uint32_t)(lap->id >> 32), (uint32_t)lap->id, 0);
                        if (!row)
                                return PS_NOMEM(err, "intervals", s->intervals.n);
                        if (*row)
                                continue;
                        ps_scale_interval interval = {.lap = lap, .what = PS_SCALE_WHATS, .limit = PS_NONE};
                        if (PS_PUSH(s->intervals, interval))
                                return PS_NOMEM(err, "intervals", s->intervals.n);
                        *row = s->intervals.n;
                }
        return PS_OK;
}

static void place_stays(ps_scaling *s, const ps_map *map)
{
        for (uint32_t i = 0; i < s->intervals.n; i++)
                s->intervals.row[i].stay = &s->stays[(size_t)i * s->n];
        for (unsigned i = 0; i < s->n; i++)
                for (uint32_t k = 0; k < s->run[i].laps.n; k++) {
                        const ps_scale_lap *lap = &s->run[i].laps.row[k];
                        ps_time row = ps_map_get(map, (uint32_t)(lap->id >> 32), (uint32_t)lap->id, 0);
                        s->intervals.row[row - 1].stay[i] = lap->stay;
                }
}

static void find_factors(const ps_scaling *s, ps_scale_stay *stays, unsigned i)
{
        ps_scale_stay *stay = &stays[i];
        double fair = ps_scale_fair_growth(s, i), n = (double)s->run[i].locations;
        ps_scale_factors *f = &stay->factors;
        stay->run = i;
        stay->speedup = stays->is_there && stay->is_there && stay->duration_s > 0
                                ? stays->duration_s / stay->duration_s * fair
                                : NAN;
        *f = (ps_scale_factors){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
        if (!stay->is_there || !(stay->longest_s > 0) || !(stay->duration_s > 0))
                return;
        f->load_balance = stay->computing_s / n / stay->longest_s;
        f->communication = stay->longest_s / stay->duration_s;
        f->parallel = f->load_balance * f->communication;
        f->computation_scalability = stays->is_there ? stays->computing_s * fair / stay->computing_s : NAN;
        f->global = f->parallel * f->computation_scalability;
}

/* What the others would wait for if all waited for the longest. */
static double excess(const ps_scale_stay *stay, const ps_scale_run *run)
{
        return fmax(0, stay->longest_s * (double)run->locations - stay->computing_s);
}

/* The part that grows by most beyond what it would if the interval scaled. */
static void find_reason(const ps_scaling *s, ps_scale_interval *row)
{
        const ps_scale_run *big = &s->run[s->n - 1];
        const ps_scale_stay *now = &row->stay[s->n - 1], *then = &row->stay[0];
        double fair = ps_scale_fair_growth(s, s->n - 1);
        bool is_alone = now->longest_s >= ps_scale_alone * now->computing_s && big->locations > 1;
        const struct {
                ps_scale_what what;
                double lost_s;
        } parts[] = {{PS_SCALE_COMPUTATION, now->computing_s - then->computing_s * fair},
                     {is_alone ? PS_SCALE_ALONE : PS_SCALE_IMBALANCE,
                      excess(now, big) - excess(then, &s->run[0]) * fair},
                     {PS_SCALE_TRANSFER, now->transfer_s - then->transfer_s * fair}};
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
                if (parts[i].lost_s > row->reason_s &&
                    parts[i].lost_s >= ps_scale_least_share * big->duration_s * (double)big->locations) {
                        row->what = parts[i].what;
                        row->reason_s = parts[i].lost_s;
                }
}

static void fit(const ps_scaling *s, ps_scale_interval *row)
{
        double p[PS_SCALE_RUNS_MAX], cost[PS_SCALE_RUNS_MAX];
        for (unsigned i = 0; i < s->n; i++) {
                p[i] = (double)s->run[i].locations;
                cost[i] = row->stay[i].cpu_s / (s->is_weak ? p[i] : 1);
        }
        row->growth = ps_growth_fit(p, cost, s->n);
        row->lost_s = row->stay[s->n - 1].cpu_s - row->stay[0].cpu_s * ps_scale_fair_growth(s, s->n - 1);
}

static bool goes_through(const char *key, const char *name)
{
        size_t n = strlen(name);
        for (const char *at = key; n && (at = strstr(at, name)) != NULL; at += n)
                if ((at == key || at[-1] == ' ') && (!at[n] || at[n] == ' '))
                        return true;
        return false;
}

/* The largest limit in it for the same reason, or for any. */
static uint32_t limit_of(const ps_scaling *s, const ps_scale_interval *row)
{
        uint32_t any = PS_NONE;
        for (uint32_t i = 0; i < s->limits.n; i++) {
                const ps_scale_limit *limit = &s->limits.row[i];
                if (!goes_through(s->rows.row[limit->row].key, row->lap->name))
                        continue;
                if (limit->what == row->what)
                        return i;
                any = any == PS_NONE ? i : any;
        }
        return any;
}

static int by_loss(const void *a, const void *b)
{
        const ps_scale_interval *x = a, *y = b;
        PS_ORDER_BY(y->lost_s, x->lost_s);
        return PS_ORDER(x->stay, y->stay);
}

ps_status ps_scale_find_intervals(ps_scaling *s, ps_error *err)
{
        ps_map map = {0};
        ps_status status = align_intervals(s, &map, err);
        if (status == PS_OK && s->intervals.n) {
                s->stays = ps_memory_zeroed((size_t)s->intervals.n * s->n, sizeof(*s->stays));
                status = s->stays ? PS_OK : PS_NOMEM(err, "intervals", s->intervals.n);
        }
        if (status == PS_OK)
                place_stays(s, &map);
        ps_map_free(&map);
        for (uint32_t i = 0; i < s->intervals.n && status == PS_OK; i++) {
                ps_scale_interval *row = &s->intervals.row[i];
                for (unsigned k = 0; k < s->n; k++)
                        find_factors(s, row->stay, k);
                fit(s, row);
                find_reason(s, row);
                row->limit = row->what == PS_SCALE_WHATS ? PS_NONE : limit_of(s, row);
        }
        if (status == PS_OK && s->intervals.n)
                qsort(s->intervals.row, s->intervals.n, sizeof(*s->intervals.row), by_loss);
        return status;
}
