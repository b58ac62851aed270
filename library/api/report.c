/* report.c - reports in any format, handed to a function. */
#include "core/load/profiled.h"
#include "library/api/handle.h"
#include "library/api/settings.h"
#include "library/run/info.h"
#include "library/run/request.h"

#include <string.h>

/* -- of an analysis -- */

ps_status ps_handle_output(ps_output **out, const patscan_report_options *options, patscan_write *write,
                           void *ctx, ps_error *err)
{
        unsigned width = options && options->width ? options->width : PS_WIDTH_DEFAULT;

        return ps_output_open_taker(out, write, ctx, width, options && options->color, err);
}

ps_status ps_handle_close(ps_output *out, ps_status status, ps_error *err)
{
        if (status == PS_OK)
                return ps_output_commit(out, err);
        ps_output_discard(out);
        return status;
}

/* A profile is made once somebody asks for a report that tells of it. */
static ps_status make_profile(patscan_analysis *a, const ps_report_request *request, ps_error *err)
{
        ps_report *report = a->w.report;
        ps_status status = PS_OK;

        if (!ps_request_wants_profile(request))
                return PS_OK;
        pthread_mutex_lock(&a->lock);
        if (!a->w.profile)
                status = ps_profile_make_fine_all(&a->w.profile, report->trace, report->timing, err);
        report->settings.profile = a->w.profile;
        pthread_mutex_unlock(&a->lock);
        return status;
}

patscan_status patscan_report(const patscan_analysis *analysis, const char *format,
                              const patscan_report_options *options, patscan_write *write, void *ctx,
                              patscan_error *err)
{
        // NOLINTNEXTLINE(performance-no-int-to-ptr): const goes; what is told of the analysis stays the same
        patscan_analysis *a = (patscan_analysis *)(uintptr_t)analysis;
        ps_report_request request;
        ps_output *out;

        PS_TRY(ps_request_parse(&request, format, err));
        PS_TRY(make_profile(a, &request, err));
        PS_TRY(ps_handle_output(&out, options, write, ctx, err));
        return ps_handle_close(out, ps_plan_write(a->w.report, &request, out, err), err);
}

/* -- of a trace -- */

patscan_status patscan_info(const patscan_trace *trace, const char *format,
                            const patscan_info_options *options, const patscan_report_options *how,
                            patscan_write *write, void *ctx, patscan_error *err)
{
        ps_arena *arena = ps_arena_new();
        ps_options asked = trace->asked;
        ps_output *out;
        ps_status status = arena ? PS_OK : PS_NOMEM(err, "options", 1);

        PS_THEN(status, ps_settings_take(&asked, PS_SETTINGS_INFO, options, arena, err));
        PS_THEN(status, ps_handle_output(&out, how, write, ctx, err));
        PS_THEN(status, ps_handle_close(out, ps_info_write(trace->trace, &asked, format, out, err), err));
        ps_arena_free(arena);
        return status;
}
