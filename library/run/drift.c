/* drift.c - see drift.h. */
#include "library/run/drift.h"

#include "library/run/message.h"
#include "library/run/quantity.h"
#include "patterns/engine/intervals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

ps_status ps_drift_limit(double *limit, const char *asked, const char *preset, ps_error *err)
{
        const char *text = asked ? asked : preset;
        ps_quantity quantity;
        PS_TRY(ps_quantity_parse(&quantity, text, strlen(text), "--max-drift", err));
        if (!quantity.is_share && quantity.time)
                return PS_FAIL(err, PS_E_USAGE, "--max-drift needs a percentage: value=\"%s\"", text);
        *limit = quantity.share;
        return PS_OK;
}

ps_status ps_drift_measure(ps_drift_told *told, const ps_options *options, const ps_replays *replays,
                           ps_error *err)
{
        const ps_timing *timings[] = {&replays->recorded->measured,
                                      replays->run[PS_REPLAYED_RECORDED].timing};
        const ps_word_list *names = &options->reports.intervals;
        ps_intervals *trees[2] = {NULL, NULL};
        ps_status status = PS_OK;
        for (int i = 0; i < 2 && status == PS_OK; i++)
                status = ps_intervals_of(&trees[i], replays->recorded, timings[i], NULL, names->row, names->n,
                                         options->load.threads, err);
        told->worst_interval[0] = '\0';
        if (status == PS_OK)
                ps_drift_find(&told->drift, replays, trees[0], trees[1]);
        if (status == PS_OK && told->drift.worst_interval)
                ps_interval_title(told->worst_interval, trees[0], told->drift.worst_interval);
        ps_intervals_free(trees[0]);
        ps_intervals_free(trees[1]);
        return status;
}

void ps_drift_judge(const ps_drift_told *told, const ps_options *options, ps_exit *code)
{
        const ps_drift *drift = &told->drift;
        char interval[PS_INTERVAL_TITLE_ROOM + 64] = "";
        if (!drift->is_exceeded)
                return;
        if (drift->worst_interval)
                snprintf(interval, sizeof(interval), "worst_interval=\"%s\" (%+.3f%%), ",
                         told->worst_interval, 100 * drift->interval);
        ps_message_warn(
                &options->terminal,
                "the replay without edits is too far from the measurement: drift=%+.3f%%, worst_rank=%" PRIu32
                " (%+.3f%%), %slimit=%g%%; --allow-partial accepts that",
                100 * drift->total, drift->worst_rank, 100 * drift->rank, interval, 100 * drift->limit);
        if (*code == PS_EXIT_OK && !options->limits.allow_partial)
                *code = PS_EXIT_PARTIAL;
}
