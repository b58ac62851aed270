/* request.c - see request.h. */
#include "library/run/request.h"
#include "report/facts/report.h"
#include "report/subjects/profile.h"

#include <stdio.h>
#include <string.h>

ps_status ps_request_find_table(ps_report_request *request, const ps_record *document, const char *name,
                                size_t n, ps_error *err)
{
        const ps_record *const documents[] = {document,
                                              document == &ps_record_report ? &ps_record_pictures : NULL};
        char choices[256], more[128] = "";

        for (unsigned i = 0; i < 2 && documents[i] && !request->table; i++) {
                request->table = ps_record_table(documents[i], name, n);
                request->document = documents[i];
        }
        if (request->table)
                return PS_OK;
        ps_record_name_tables(choices, sizeof(choices), document);
        if (documents[1])
                ps_record_name_tables(more, sizeof(more), documents[1]);
        return PS_FAIL(err, PS_E_USAGE, "this report has no such table: value=\"%s\", choices=\"%s%s%s\"",
                       request->text, choices, *more ? "|" : "", more);
}

static ps_status fail_format(const char *name, ps_error *err)
{
        char choices[160] = "";
        size_t at = 0;

        for (unsigned i = 0; i < ps_report_n_formats && at < sizeof(choices); i++)
                at += (size_t)snprintf(choices + at, sizeof(choices) - at, "%s%s", i ? "|" : "",
                                       ps_report_formats[i].name);
        return PS_FAIL(err, PS_E_USAGE, "there is no such report: value=\"%.40s\", choices=\"%s\"", name,
                       choices);
}

ps_status ps_request_parse(ps_report_request *out, const char *name, ps_error *err)
{
        size_t n = strcspn(name, ".");
        unsigned format = 0;

        *out = (ps_report_request){.text = name};
        while (format < ps_report_n_formats &&
               (strncmp(ps_report_formats[format].name, name, n) != 0 || ps_report_formats[format].name[n]))
                format++;
        if (format == ps_report_n_formats || (name[n] && strncmp(name, "csv", n) != 0))
                return fail_format(name, err);
        out->format = format;
        return name[n] ? ps_request_find_table(out, &ps_record_report, name + n + 1, strlen(name + n + 1),
                                               err)
                       : PS_OK;
}

bool ps_request_wants_profile(const ps_report_request *request)
{
        return ps_report_formats[request->format].wants_profile || request->document == &ps_record_pictures;
}

bool ps_request_borrows_rows(const ps_report_request *request)
{
        return ps_report_formats[request->format].wants_rows == PS_ROWS_IN_TURN;
}

bool ps_request_wants_chains(const ps_report_request *request)
{
        return ps_report_formats[request->format].wants_rows == PS_ROWS_OF_CAUSES;
}

bool ps_request_wants_causes(const ps_report_request *request)
{
        return ps_report_formats[request->format].wants_causes || request->document == &ps_record_report;
}
