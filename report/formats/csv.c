/* csv.c - findings as a table for spreadsheets and scripts: RFC 4180, UTF-8, numbers with a point.
 *
 * A spreadsheet takes a cell that begins with = + - or @ for a formula, and the text may come from a
 * stranger's trace: such text gets an apostrophe in front, which spreadsheets read as "this is text". */
#include "report/facts/report.h"
#include "report/facts/sites.h"
#include "report/print/text.h"

#include <string.h>

static const char header[] =
        "id,site,type,process,thread,location,file,line,column,line_source,function,callpath,"
        "count,lost_s,share,confidence,new,worst_begin_s,worst_lost_s,partner_process,"
        "partner_file,partner_line,comment,advice,gain_s,place_gain_s\r\n";

static void write_name(ps_output *out, const char *name)
{
        static const char *const escapes[PS_ASCII] = {['"'] = "\"\""};

        ps_text_write_escaped(out, name, escapes);
}

static int is_formula(const char *text)
{
        return *text && strchr("=+-@", *text);
}

static void put_text(ps_output *out, const char *text)
{
        ps_output_putc(out, ',');
        if (!text || !*text)
                return;
        ps_output_puts(out, is_formula(text) ? "\"'" : "\"");
        write_name(out, text);
        ps_output_putc(out, '"');
}

static void put_number(ps_output *out, uint64_t number, int known)
{
        ps_output_putc(out, ',');
        if (known)
                ps_output_advance(out, ps_text_u64(ps_output_reserve(out, PS_NUMBER_ROOM), number));
}

static void put_time(ps_output *out, ps_time time, int known)
{
        ps_output_putc(out, ',');
        if (known)
                ps_output_advance(out, ps_text_seconds(ps_output_reserve(out, PS_NUMBER_ROOM), time));
}

/* The name with which the text of a call path begins. */
static const char *outermost(const ps_report *report, ps_path path)
{
        while (report->trace->paths[path].parent)
                path = report->trace->paths[path].parent;
        return ps_site_call(report, path);
}

static void put_callpath(ps_output *out, const ps_report *report, ps_path path)
{
        ps_output_puts(out, ",\"");
        if (path && is_formula(outermost(report, path)))
                ps_output_putc(out, '\'');
        ps_site_write_callpath(out, report, path, write_name);
        ps_output_putc(out, '"');
}

static void put_place(ps_output *out, const ps_source_place *place)
{
        put_text(out, place->file);
        put_number(out, place->line, place->line != 0);
        put_number(out, place->column, place->column != 0);
        put_text(out, ps_line_source_names[place->certainty]);
        put_text(out, place->function);
}

static void put_partner(ps_output *out, const ps_report *report, const ps_report_finding *f)
{
        const ps_source_place *place = f->partner_place;
        ps_proc process = ps_site_process(report, f->finding->worst.partner);

        put_number(out, process, process != PS_NONE);
        put_text(out, place ? place->file : NULL);
        put_number(out, place ? place->line : 0, place && place->line);
}

static void put_finding(ps_output *out, const ps_report *report, const ps_report_finding *f)
{
        char room[PS_COMMENT_ROOM];
        const ps_finding *finding = f->finding;
        const ps_location_def *location = &report->trace->defs.locations.row[finding->location];

        ps_output_printf(out, "%s,%s,%s", f->id, f->site, f->pattern->id);
        put_number(out, location->process, 1);
        put_number(out, location->thread, 1);
        put_number(out, finding->location, 1);
        put_place(out, f->place);
        put_callpath(out, report, finding->path);
        put_number(out, finding->count, 1);
        put_time(out, finding->lost, 1);
        ps_output_printf(out, ",%.9g,%s,", f->share, ps_confidence_names[f->confidence]);
        if (report->settings.baseline)
                ps_output_puts(out, f->is_new ? "true" : "false");
        put_time(out, finding->worst.begin, 1);
        put_time(out, finding->worst.lost, 1);
        put_partner(out, report, f);
        put_text(out, ps_report_comment(report, f, room));
        put_text(out, f->advice);
        put_time(out, f->gain, f->has_gain);
        put_time(out, f->place_gain, f->has_place_gain);
        ps_output_puts(out, "\r\n");
}

ps_status ps_report_write_csv(const ps_report *report, ps_output *out, ps_error *err)
{
        (void)err;
        ps_output_puts(out, header);
        for (uint32_t i = 0; i < report->n_findings && !ps_output_failed(out); i++)
                put_finding(out, report, &report->findings[i]);
        return PS_OK;
}
