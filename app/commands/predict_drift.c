/* predict_drift.c - see predict_drift.h. */
#include "app/commands/predict_drift.h"

#include "app/cli/message.h"
#include "app/cli/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

ps_status ps_drift_limit(ps_drift *drift, const ps_options *options, ps_error *err)
{
        const char *text = options->max_drift ? options->max_drift : "1%";
        ps_quantity limit;
        ps_status status = ps_quantity_parse(&limit, text, strlen(text), "--max-drift", err);
        if (status == PS_OK && !limit.is_share && limit.time)
                status = PS_FAIL(err, PS_E_USAGE, "not a percentage: option=\"--max-drift\", value=\"%s\"",
                                 text);
        drift->limit = limit.share;
        return status;
}

void ps_drift_judge(const ps_drift *drift, const ps_options *options, ps_exit *code)
{
        char interval[PS_DRIFT_NAME_ROOM + 64] = "";
        if (!drift->is_exceeded)
                return;
        if (drift->worst_interval)
                snprintf(interval, sizeof(interval), "worst_interval=\"%s\" (%+.3f%%), ",
                         drift->worst_interval, 100 * drift->interval);
        ps_message_warn(options,
                        "the replay without edits is too far from the measurement: drift=%+.3f%%, "
                        "worst_rank=%" PRIu32 " (%+.3f%%), %slimit=%g%%; --allow-partial accepts that",
                        100 * drift->total, drift->worst_rank, 100 * drift->rank, interval,
                        100 * drift->limit);
        if (*code == PS_EXIT_OK && !options->allow_partial)
                *code = PS_EXIT_PARTIAL;
}
