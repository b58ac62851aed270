/* run.c - the tables of a run: how they grow, and what follows from them. */
#include "compare/run.h"

#include "core/base/hash.h"
#include "core/base/map.h"
#include "core/base/search.h"
#include "core/base/text.h"
#include "core/base/vector.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ps_part_info ps_parts[PS_PARTS] = {
        [PS_PART_COMPUTE] = {"compute", "calculating"},
        [PS_PART_OVERHEAD] = {"overhead", "communicating"},
        [PS_PART_P2P_WAIT] = {"p2p_wait", "waiting for partners"},
        [PS_PART_COLLECTIVE_WAIT] = {"collective_wait", "waiting in collective calls"},
        [PS_PART_IDLE] = {"idle", "idle"},
};

/* In which operations a wait counts as one for a single partner. */
static const uint8_t is_p2p[PS_IC_COUNT] = {[PS_IC_SHADOW] = 1,
                                            [PS_IC_REMOTE_ACCESS] = 1,
                                            [PS_IC_REDISTRIBUTION] = 1,
                                            [PS_IC_POINT_TO_POINT] = 1};

/* -- growing -- */

#define ADD(table, row_, what) (PS_PUSH(table, *(row_)) ? PS_NOMEM(err, what, (table).n) : PS_OK)

ps_status ps_run_add_interval(ps_run *run, const ps_run_interval *row, ps_error *err)
{
        return ADD(run->intervals, row, "intervals");
}

ps_status ps_run_add_pattern(ps_run *run, const ps_run_pattern *row, ps_error *err)
{
        return ADD(run->patterns, row, "patterns");
}

ps_status ps_run_add_site(ps_run *run, const ps_run_site *row, ps_error *err)
{
        return ADD(run->sites, row, "findings");
}

void ps_run_clear(ps_run *run)
{
        for (uint32_t i = 0; i < run->intervals.n; i++)
                free(run->intervals.row[i].share);
        free(run->intervals.row);
        free(run->patterns.row);
        free(run->sites.row);
        free(run->location);
        free(run->interval_of);
        cJSON_Delete(run->json);
        *run = (ps_run){0};
}

double ps_run_seconds(double seconds)
{
        const double ns_per_s = 1e9, most_s = 1e6;

        /* Beyond that, seconds have no more digits than nanoseconds. Most times are none. */
        return seconds == 0 || fabs(seconds) >= most_s ? seconds
                                                       : round(round(seconds * 1e12) / 1e3) / ns_per_s;
}

/* -- finishing -- */

static int compare_ids(const void *a, const void *b)
{
        return strcmp(((const ps_run_pattern *)a)->id, ((const ps_run_pattern *)b)->id);
}

static int compare_sites(const void *a, const void *b)
{
        const ps_run_site *x = a, *y = b;

        PS_ORDER_BY(x->site, y->site);
        PS_ORDER_BY(y->lost_s, x->lost_s);
        return PS_ORDER(x->line, y->line);
}

static void merge_sites(ps_run *run)
{
        uint32_t n = 0;

        if (run->sites.n)
                qsort(run->sites.row, run->sites.n, sizeof(*run->sites.row), compare_sites);
        for (uint32_t i = 0; i < run->sites.n; i++) {
                const ps_run_site *row = &run->sites.row[i];
                ps_run_site *last = n ? &run->sites.row[n - 1] : NULL;
                if (last && last->site == row->site) {
                        last->lost_s = ps_run_seconds(last->lost_s + row->lost_s);
                        last->count += row->count;
                } else {
                        run->sites.row[n++] = *row;
                }
        }
        run->sites.n = n;
}

/* Children stand behind their parents: what is taken from a parent still has its own children in it. */
static void take_out_children(ps_run *run)
{
        for (uint32_t i = 1; i < run->intervals.n && run->has_shares; i++) {
                const ps_run_interval *row = &run->intervals.row[i];
                ps_run_share *above = run->intervals.row[row->parent].share;
                for (uint32_t p = 0; p < run->n_processors; p++) {
                        above[p].execution_s -= row->share[p].execution_s;
                        above[p].communication_s -= row->share[p].communication_s;
                        for (int c = 0; c < PS_IC_COUNT; c++)
                                above[p].synchronization_s[c] -= row->share[p].synchronization_s[c];
                }
        }
}

/* Most of them are nothing. */
static void round_share(ps_run_share *share)
{
        share->execution_s = ps_run_seconds(share->execution_s);
        share->communication_s = ps_run_seconds(share->communication_s);
        for (int c = 0; c < PS_IC_COUNT; c++)
                if (share->synchronization_s[c] != 0)
                        share->synchronization_s[c] = ps_run_seconds(share->synchronization_s[c]);
}

static ps_run_parts parts_of(const ps_run_share *share)
{
        double wait[2] = {0, 0};

        for (int c = 0; c < PS_IC_COUNT; c++)
                wait[is_p2p[c]] += share->synchronization_s[c];
        return (ps_run_parts){{[PS_PART_COMPUTE] = share->execution_s - share->communication_s,
                               [PS_PART_OVERHEAD] = share->communication_s - wait[0] - wait[1],
                               [PS_PART_P2P_WAIT] = wait[1],
                               [PS_PART_COLLECTIVE_WAIT] = wait[0]}};
}

static void add_up_shares(const ps_run *run, ps_run_interval *row)
{
        double sum[PS_OWN_PARTS] = {0};

        for (uint32_t p = 0; p < run->n_processors; p++) {
                round_share(&row->share[p]);
                const ps_run_parts own = parts_of(&row->share[p]);
                for (int part = 0; part < PS_OWN_PARTS; part++)
                        sum[part] += own.of[part];
        }
        for (int part = 0; part < PS_OWN_PARTS; part++)
                row->sum[part] = ps_run_seconds(sum[part]);
}

/* The whole run is the same in all runs. Named intervals are known by their names, because lines move from
 * version to version; folders differ from machine to machine. */
static uint64_t site_key(const ps_run_interval *row, uint64_t parent)
{
        const char *file = ps_file_name(row->file);
        uint64_t key = ps_hash_pair(parent, ps_hash_bytes(row->type, strlen(row->type)));

        key = ps_hash_pair(key, ps_hash_bytes(row->name, strlen(row->name)));
        key = ps_hash_pair(key, ps_hash_bytes(file, strlen(file)));
        key = ps_hash_pair(key, *row->name ? 0 : row->line);
        return ps_hash_pair(key, row->has_index ? ps_hash_mix((uint64_t)row->index) + 1 : 0);
}

uint64_t ps_run_interval_id(const ps_run_interval *row, uint64_t parent)
{
        return ps_hash_pair(site_key(row, parent), 0);
}

static ps_status name_intervals(ps_run *run, ps_error *err)
{
        ps_map seen = {0};
        ps_status status = PS_OK;

        for (uint32_t i = 0; i < run->intervals.n && status == PS_OK; i++) {
                ps_run_interval *row = &run->intervals.row[i];
                row->id = i ? site_key(row, run->intervals.row[row->parent].id) : 1;
                ps_time *n = ps_map_at(&seen, (uint32_t)(row->id >> 32), (uint32_t)row->id, 0);
                if (n)
                        row->id = ps_hash_pair(row->id, (uint64_t)(*n)++);
                else
                        status = PS_NOMEM(err, "intervals", run->intervals.n);
        }
        ps_map_free(&seen);
        return status;
}

ps_status ps_run_finish(ps_run *run, ps_error *err)
{
        if (run->patterns.n)
                qsort(run->patterns.row, run->patterns.n, sizeof(*run->patterns.row), compare_ids);
        merge_sites(run);
        take_out_children(run);
        for (uint32_t i = 0; i < run->intervals.n && run->has_shares; i++)
                add_up_shares(run, &run->intervals.row[i]);
        return name_intervals(run, err);
}

/* -- looking -- */

ps_run_parts ps_run_parts_of(const ps_run_interval *row, uint32_t processor)
{
        ps_run_parts parts = parts_of(&row->share[processor]);
        for (int part = 0; part < PS_OWN_PARTS; part++)
                parts.of[part] = ps_run_seconds(parts.of[part]);
        return parts;
}

double ps_run_mean(const ps_run *run, uint32_t interval, ps_part part)
{
        assert(part != PS_PART_IDLE);
        return run->has_shares ? run->intervals.row[interval].sum[part] / run->n_processors : NAN;
}

double ps_run_total(const ps_run *run, ps_part part)
{
        double sum = part == PS_PART_IDLE ? run->duration_s * run->n_processors : 0;

        if (!run->has_shares)
                return NAN;
        for (uint32_t i = 0; i < run->intervals.n; i++) {
                const ps_run_interval *row = &run->intervals.row[i];
                if (part != PS_PART_IDLE)
                        sum += row->sum[part];
                for (int other = 0; part == PS_PART_IDLE && other < PS_OWN_PARTS; other++)
                        sum -= row->sum[other];
        }
        return ps_run_seconds(sum) / run->n_processors;
}

const char *ps_run_title(char room[PS_RUN_TITLE_ROOM], const ps_run *run, uint32_t interval)
{
        const ps_run_interval *row = &run->intervals.row[interval];
        char index[32] = "", line[16] = "";

        if (row->has_index)
                snprintf(index, sizeof(index), " (%" PRId64 ")", row->index);
        if (row->line)
                snprintf(line, sizeof(line), ":%" PRIu32, row->line);
        if (!interval)
                snprintf(room, PS_RUN_TITLE_ROOM, "the whole run");
        else if (*row->name)
                snprintf(room, PS_RUN_TITLE_ROOM, "%.120s%s", row->name, index);
        else
                snprintf(room, PS_RUN_TITLE_ROOM, "%.20s %.100s%s%s", row->type, ps_file_name(row->file),
                         line, index);
        return room;
}
