/* focus.c - see focus.h. */
#include "library/run/focus.h"

#include "library/run/quantity.h"
#include "patterns/table/pattern.h"

#include <string.h>

/* A moment text[0 .. len), or `otherwise` where nothing stands. */
static ps_status parse_moment(ps_time *out, const char *text, size_t len, ps_time otherwise, const char *what,
                              ps_error *err)
{
        ps_quantity quantity = {0};
        if (len)
                PS_TRY(ps_quantity_parse(&quantity, text, len, what, err));
        if (quantity.is_share)
                return PS_FAIL(err, PS_E_USAGE,
                               "this is not a time since the start of the run: option=\"%s\", value=\"%.*s\"",
                               what, (int)len, text);
        *out = len ? quantity.time : otherwise;
        return PS_OK;
}

static ps_status parse_range(ps_focus_wish *out, const char *from, size_t from_len, const char *to,
                             const char *from_name, const char *to_name, ps_error *err)
{
        PS_TRY(parse_moment(&out->from, from, from_len, 0, from_name, err));
        out->how = PS_FOCUS_RANGE;
        return parse_moment(&out->to, to, strlen(to), PS_TIME_MAX, to_name, err);
}

/* Names of regions may hold dots, too: a range begins and ends with a digit, or is open at one end. */
static const char *find_dots(const char *text)
{
        const char *dots = strstr(text, "..");
        int begins = dots && (dots == text || (text[0] >= '0' && text[0] <= '9'));
        return begins && (!dots[2] || (dots[2] >= '0' && dots[2] <= '9')) ? dots : NULL;
}

static ps_status parse_focus(ps_focus_wish *out, const char *text, ps_error *err)
{
        const char *dots = find_dots(text);
        if (dots)
                return parse_range(out, text, (size_t)(dots - text), dots + 2, "--focus", "--focus", err);
        for (unsigned how = PS_FOCUS_PROGRAM; how <= PS_FOCUS_WHOLE_RUN; how++)
                if (strcmp(text, ps_focus_names[how]) == 0) {
                        out->how = (ps_focus_how)how;
                        return PS_OK;
                }
        out->how = PS_FOCUS_REGION;
        out->region = text;
        return PS_OK;
}

ps_status ps_focus_asked(ps_focus_wish *out, const ps_options *options, ps_error *err)
{
        const ps_asked_focus *asked = &options->focus;
        bool is_scalasca = options->analysis.definitions == PS_DEFINITIONS_SCALASCA;
        *out = (ps_focus_wish){.how = is_scalasca ? PS_FOCUS_WHOLE_RUN : PS_FOCUS_PROGRAM,
                               .ranks = asked->ranks};
        if (asked->focus && (asked->from || asked->to))
                return PS_FAIL(err, PS_E_USAGE,
                               "--focus cannot be combined with --from or --to: they choose the same thing");
        if (asked->focus)
                return parse_focus(out, asked->focus, err);
        if (!asked->from && !asked->to)
                return PS_OK;
        const char *from = asked->from ? asked->from : "", *to = asked->to ? asked->to : "";
        return parse_range(out, from, strlen(from), to, "--from", "--to", err);
}
