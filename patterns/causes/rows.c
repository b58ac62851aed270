/* rows.c - the causes that are told: who and what, and why. */
#include "patterns/causes/apart.h"
#include "patterns/causes/forward.h"

#include "core/base/memory.h"
#include "core/base/radix.h"
#include "core/sums/times.h"

#include <stdlib.h>

const char *const ps_why_names[PS_N_WHYS] = {"longer", "alone", "late-order", "transfer", "lock", "start"};

/* -- why -- */

/* Is it outside of all functions mostly before it begins? */
static bool is_late(const struct delaying *d, const ps_delay_cost *cost)
{
        ps_time late = d->line[cost->location].first - d->options.begin;
        return cost->excess < 2 * (double)late;
}

/* Outside of all functions a process computes once it has begun. Before it has begun it does not run, and
 * neither does a further thread outside of its regions. */
static bool begins_late(const struct delaying *d, const ps_delay_cost *cost)
{
        return d->trace->defs.locations.row[cost->location].thread != 0 || is_late(d, cost);
}

static ps_why why_of(const struct delaying *d, const uint8_t *kind_of_path, const ps_delay_cost *cost)
{
        const ps_trace *trace = d->trace;
        ps_region region = trace->paths[cost->path].region;
        if (2 * cost->locks > cost->direct)
                return region == PS_NONE && is_late(d, cost) ? PS_WHY_START : PS_WHY_LOCK;
        if (2 * cost->in_order > cost->direct)
                return PS_WHY_LATE_ORDER;
        if (region == PS_NONE ? begins_late(d, cost) : trace->defs.regions.row[region].kind == PS_K_INIT)
                return PS_WHY_START;
        if (ps_time_infos[kind_of_path[cost->path]].nature != PS_TIME_IS_OWN)
                return PS_WHY_TRANSFER;
        return cost->is_alone ? PS_WHY_ALONE : PS_WHY_LONGER;
}

/* -- the rows -- */

/* What is sorted in place of rows, which are longer. */
struct costly {
        ps_time waiting;
        uint32_t cost; /* n_costs: what nothing explains */
        ps_path path;
};

/* Descending. */
static uint64_t by_cost(const void *costly)
{
        return ~ps_radix_signed(((const struct costly *)costly)->waiting);
}

static uint64_t by_path(const void *costly)
{
        return ((const struct costly *)costly)->path;
}

static bool is_as_costly(const ps_delays *delays, const struct costly *a, const struct costly *b)
{
        return a->waiting == b->waiting && a->cost < delays->n_costs && b->cost < delays->n_costs &&
               delays->cost[a->cost].location == delays->cost[b->cost].location;
}

/* What costs a location as much is in no order yet. */
static ps_status order_by_path(const ps_delays *delays, struct costly *costly, uint32_t n, ps_error *err)
{
        for (uint32_t first = 0, i = 1; i <= n; i++) {
                if (i < n && is_as_costly(delays, &costly[first], &costly[i]))
                        continue;
                if (i - first > 1 && ps_radix_sort(&costly[first], i - first, sizeof(*costly),
                                                   (ps_row_number *[]){by_path}, 1))
                        return PS_NOMEM(err, "causes", i - first);
                first = i;
        }
        return PS_OK;
}

static ps_time unexplained_of(const ps_delays *delays)
{
        ps_time sum = 0;
        for (int f = 0; f < PS_N_DELAYS; f++)
                for (ps_loc loc = 0; loc < delays->n_locs; loc++)
                        sum += ps_delayed(delays, (ps_delay_family)f, PS_DELAYED_UNEXPLAINED, loc);
        return sum;
}

/* What costs as much comes by location and path, the unexplained ones last. */
static ps_status find_costly(struct costly *costly, uint32_t *n, const ps_delays *delays, ps_error *err)
{
        const ps_time unexplained = unexplained_of(delays);
        struct costly *next = costly;
        for (uint32_t i = 0; i < delays->n_costs; i++) {
                const ps_delay_cost *cost = &delays->cost[i];
                if (cost->direct + cost->indirect > 0)
                        *next++ = (struct costly){cost->direct + cost->indirect, i, cost->path};
        }
        if (unexplained)
                *next++ = (struct costly){unexplained, delays->n_costs, 0};
        *n = (uint32_t)(next - costly);
        return ps_radix_sort(costly, *n, sizeof(*costly), (ps_row_number *[]){by_cost}, 1)
                       ? PS_NOMEM(err, "causes", *n)
                       : order_by_path(delays, costly, *n, err);
}

static void fill_row(ps_cause *row, const ps_delays *delays, const uint8_t *kind_of_path,
                     const struct costly *costly)
{
        const ps_delay_cost *cost = &delays->cost[costly->cost];
        if (costly->cost == delays->n_costs)
                *row = (ps_cause){.location = PS_NONE, .direct = costly->waiting};
        else
                *row = (ps_cause){.location = cost->location,
                                  .path = cost->path,
                                  .why = why_of(delays->of, kind_of_path, cost),
                                  .excess = (ps_time)(cost->excess + 0.5),
                                  .direct = cost->direct,
                                  .indirect = cost->indirect};
}

static ps_status fill_rows(ps_causes *out, const ps_delays *delays, const uint8_t *kind_of_path,
                           ps_error *err)
{
        struct costly *costly = ps_memory_new((delays->n_costs + (size_t)1) * sizeof(*costly));
        uint32_t n = 0;
        ps_status status =
                costly ? find_costly(costly, &n, delays, err) : PS_NOMEM(err, "causes", delays->n_costs);
        out->n = status == PS_OK ? n : 0;
        for (uint32_t i = 0; i < out->n; i++) {
                fill_row(&out->row[i], delays, kind_of_path, &costly[i]);
                out->waiting += costly[i].waiting;
        }
        free(costly);
        return status;
}

ps_status ps_causes_new(ps_causes **out, const ps_delays *delays, const ps_analysis *analysis, ps_error *err)
{
        ps_causes *causes = *out = calloc(1, sizeof(*causes));
        if (causes)
                causes->row = ps_memory_new((delays->n_costs + (size_t)1) * sizeof(*causes->row));
        ps_status status = causes && causes->row ? PS_OK : PS_NOMEM(err, "causes", delays->n_costs);
        uint8_t *kind_of_path = NULL;
        PS_THEN(status, ps_times_of_paths(&kind_of_path, delays->of->trace, err));
        PS_THEN(status, fill_rows(causes, delays, kind_of_path, err));
        PS_THEN(status, ps_forward_tell(causes, delays->of, analysis, err));
        free(kind_of_path);
        ps_apart_close(delays->of);
        if (status != PS_OK) {
                ps_causes_free(causes);
                *out = NULL;
        }
        return status;
}

void ps_causes_free(ps_causes *causes)
{
        if (!causes)
                return;
        for (uint32_t i = 0; causes->row && i < causes->n && i < PS_CAUSES_TOLD; i++) {
                free(causes->row[i].processes);
                free(causes->row[i].waits);
                free(causes->row[i].findings);
        }
        free(causes->row);
        free(causes);
}
