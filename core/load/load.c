/* load.c - the stages of a load: folding (a location a round), the common tables, matching, clocks. */
#include "core/load/load.h"
#include "core/load/away.h"
#include "core/load/files.h"
#include "core/load/focus.h"
#include "core/load/folding.h"
#include "core/load/opening.h"
#include "core/load/share.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/clock/clock.h"
#include "core/fold/fold.h"
#include "core/match/match.h"

#include <stdlib.h>

/* -- the zero of time -- */

/* What is no row: those have been shifted where they were read. */
static void shift_to_zero(ps_trace *trace, ps_time zero)
{
        ps_time last = zero;
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                ps_location_info *info = &trace->info[l];
                if (!info->n_events)
                        continue;
                last = info->last > last ? info->last : last;
                info->first -= zero;
                info->last -= zero;
        }
        trace->measured.duration = last - zero;
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (trace->issues.row[kind].time != INT64_MIN)
                        trace->issues.row[kind].time -= zero;
}

/* -- stages -- */

static ps_status check_strict(const ps_trace *trace, const ps_load_options *options, ps_error *err)
{
        if (!options->strict)
                return PS_OK;
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (trace->issues.row[kind].count)
                        return PS_FAIL(err, PS_E_INPUT,
                                       "the trace has a defect: kind=%s, count=%llu, meaning=\"%s\"",
                                       ps_issue_infos[kind].name,
                                       (unsigned long long)trace->issues.row[kind].count,
                                       ps_issue_infos[kind].text);
        return PS_OK;
}

static ps_status check_clocks(const struct ps_folding *load, ps_error *err)
{
        const ps_clock_tally *counted = load->owner ? &load->known.contradictions : NULL;
        const ps_clock_known known = {counted, load->agreed.agrees ? counted : NULL, &load->slacks,
                                      load->is_mended ? &load->mended : NULL};
        return ps_clock_check(load->trace, load->options->clock, &known, load->options->n_threads, err);
}

/* Several processes have matched what each has read; collective operations of all, where process 0 has all
 * rows. */
static ps_status match_rest(struct ps_folding *load, const uint64_t *const *received, ps_error *err)
{
        if (load->rows_are_away) {
                ps_agreed_wrong_note(load->trace, &load->known.wrong);
        } else {
                ps_agreed_forget_members(&load->agreed);
                PS_TRY(ps_match_collectives(load->trace, received, load->options->n_threads, err));
        }
        load->trace->n_messages = load->near.matched;
        ps_match_note_lonely(load->trace, &load->lonely);
        ps_lonely_note(load->trace, PS_I_COMM_IGNORED, &load->other_comms);
        return PS_OK;
}

static ps_status match_all(struct ps_folding *load, ps_error *err)
{
        ps_trace *trace = load->trace;
        const uint64_t **received = calloc(trace->n_locs ? trace->n_locs : 1, sizeof(*received));
        if (!received)
                return PS_NOMEM(err, "locations", trace->n_locs);
        uint32_t n;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                received[l] = ps_builder_received(load->builders[l], &n);
        ps_status status =
                load->owner ? match_rest(load, received, err)
                            : ps_match_all(trace, received, load->options->n_threads, &load->slacks, err);
        PS_THEN(status, ps_files_check(trace, err));
        free(received);
        return status;
}

static ps_status run_stages(struct ps_folding *load, ps_error *err)
{
        ps_trace *trace = load->trace;
        trace->defs.upc_flags = load->options->upc_flags;
        PS_TRY(ps_defs_freeze(&trace->defs, err));
        PS_TRY(check_strict(trace, load->options, err));
        trace->n_locs = trace->defs.locations.n;
        ps_status status = ps_load_focus_regions(&load->in_focus, trace, load->options->focus, err);
        PS_THEN(status, ps_share_fold(load, err));
        if (!load->rows_are_away) /* else letters about them come next */
                ps_memory_give_back();
        PS_THEN(status, ps_build_finish(trace, load->builders, load->options->n_threads, err));
        if (status == PS_OK)
                shift_to_zero(trace, load->zero);
        if (load->rows_are_away)
                PS_THEN(status, ps_away_place(load, err));
        PS_THEN(status, match_all(load, err));
        if (!load->owner) /* as above */
                ps_memory_give_back();
        PS_THEN(status, check_clocks(load, err));
        PS_THEN(status, ps_pieces_settle(trace, err));
        if (load->options->focus)
                PS_THEN(status, ps_load_focus(load, err));
        PS_THEN(status, check_strict(trace, load->options, err));
        PS_THEN(status, ps_share_spread(load, err));
        if (status == PS_OK)
                ps_share_count(load);
        return status;
}

static ps_status load_streams(struct ps_folding *load, ps_error *err)
{
        static const ps_load_options defaults;
        load->options = load->options ? load->options : &defaults;
        ps_status status = run_stages(load, err);
        ps_folding_clear(load);
        ps_blocks_give_back();
        return status;
}

ps_status ps_load_streams(ps_trace *trace, const ps_reader_class *format, ps_reader *reader,
                          const ps_load_options *options, ps_error *err)
{
        struct ps_folding load = {.format = format, .options = options, .trace = trace, .reader = reader};
        return load_streams(&load, err);
}

ps_status ps_load(ps_trace **out, const ps_reader_class *format, const char *path,
                  const ps_load_options *options, ps_error *err)
{
        ps_trace *trace;
        struct ps_folding load = {.format = format, .options = options, .path = path};
        *out = NULL;
        PS_TRY(ps_trace_new(&trace, format->name, err));
        load.trace = trace;
        ps_status status = ps_opening_lead(&load, err);
        PS_THEN(status, load_streams(&load, err));
        if (load.reader)
                format->close(load.reader);
        if (status == PS_OK) {
                *out = trace;
                return PS_OK;
        }
        ps_trace_close(trace);
        return PS_CAUSE(err, status, "cannot load the trace: path=\"%s\", format=%s", path, format->name);
}
