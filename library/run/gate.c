/* gate.c - see gate.h. A limit on a pattern is on its total, with the rows below it. */
#include "library/run/gate.h"
#include "core/model/focus.h"
#include "library/run/select.h"
#include "report/causes/causes.h"
#include "report/print/text.h"

#include <stdio.h>
#include <string.h>

static size_t trimmed(const char **text, size_t len)
{
        while (len && (*text)[0] == ' ') {
                ++*text;
                len--;
        }
        while (len && (*text)[len - 1] == ' ')
                len--;
        return len;
}

/* What is no pattern. */
static const struct measure {
        const char *name;
        ps_gate_subject subject;
        const char *form;
} measures[] = {{"total", PS_GATE_TOTAL, "total>30%, total>=20ms"},
                {"duration", PS_GATE_LENGTH, "duration>10s"},
                {"parallel", PS_GATE_PARALLEL, "parallel<80%"},
                {"load-balance", PS_GATE_LOAD_BALANCE, "load-balance<90%"},
                {"communication", PS_GATE_COMMUNICATION, "communication<90%"},
                {"serialization", PS_GATE_SERIALIZATION, "serialization<90%"},
                {"transfer", PS_GATE_TRANSFER, "transfer<90%"}};
enum { N_MEASURES = sizeof(measures) / sizeof(*measures) };

static bool is_efficiency(const ps_gate *gate)
{
        return gate->subject >= PS_GATE_PARALLEL;
}

static const struct measure *find_measure(const char *name, size_t len)
{
        for (size_t i = 0; i < N_MEASURES; i++)
                if (strlen(measures[i].name) == len && strncmp(measures[i].name, name, len) == 0)
                        return &measures[i];
        return NULL;
}

static ps_status parse_subject(ps_gate *gate, const char **form, const char *text, size_t len, ps_error *err)
{
        len = trimmed(&text, len);
        const struct measure *measure = find_measure(text, len);

        *form = measure ? measure->form : "PATTERN>5%, PATTERN>=20ms";
        gate->subject = measure ? measure->subject : PS_GATE_PATTERN;
        return measure ? PS_OK : ps_select_pattern(&gate->pattern, text, len, err);
}

static ps_status fail_form(const ps_gate *gate, const char *forms, ps_error *err)
{
        return PS_FAIL(err, PS_E_USAGE, "--fail-on cannot read this limit: value=\"%s\", forms=\"%s\"",
                       gate->text, forms);
}

/* Lost time may be too long, and an efficiency too small; a limit the other way round is taken for a mistake.
 */
static ps_status parse_limit(ps_gate *gate, size_t sign, ps_error *err)
{
        const char *limit = gate->text + sign + 1, *form;
        PS_TRY(parse_subject(gate, &form, gate->text, sign, err));

        gate->is_least = gate->text[sign] == '<';
        gate->or_equal = *limit == '=';
        limit += gate->or_equal;
        size_t n = trimmed(&limit, strlen(limit));
        PS_TRY(ps_quantity_parse(&gate->limit, limit, n, "--fail-on", err));
        if (gate->is_least != is_efficiency(gate) || (is_efficiency(gate) && !gate->limit.is_share) ||
            (gate->subject == PS_GATE_LENGTH && gate->limit.is_share))
                return fail_form(gate, form, err);
        return PS_OK;
}

static ps_status parse_gate(ps_gate *gate, const char *text, size_t len, ps_error *err)
{
        *gate = (ps_gate){.pattern = PS_NONE};
        if (len >= sizeof(gate->text))
                return PS_FAIL(err, PS_E_USAGE, "--fail-on cannot read this limit: value=\"%.60s...\"", text);
        memcpy(gate->text, text, len);
        size_t sign = strcspn(gate->text, "<>");
        if (gate->text[sign])
                return parse_limit(gate, sign, err);
        if (strcmp(gate->text, "new") == 0 || strcmp(gate->text, "new-cause") == 0) {
                gate->subject = gate->text[3] ? PS_GATE_NEW_CAUSE : PS_GATE_NEW;
                return PS_OK;
        }
        return fail_form(gate,
                         "PATTERN>5%, total>=20ms, duration>10s, parallel<80%, load-balance<90%, new, "
                         "new-cause",
                         err);
}

ps_status ps_gates_parse(ps_gates *gates, const char *text, ps_error *err)
{
        for (;;) {
                size_t len = strcspn(text, ",");
                const char *word = text;
                size_t n = trimmed(&word, len);
                if (gates->n == PS_GATES_MAX)
                        return PS_FAIL(err, PS_E_USAGE, "--fail-on takes no more than %d limits",
                                       PS_GATES_MAX);
                PS_TRY(parse_gate(&gates->row[gates->n++], word, n, err));
                if (!text[len])
                        return PS_OK;
                text += len + 1;
        }
}

static bool has_subject(const ps_gates *gates, ps_gate_subject subject)
{
        for (unsigned i = 0; i < gates->n; i++)
                if (gates->row[i].subject == subject)
                        return 1;
        return 0;
}

bool ps_gates_need_causes(const ps_gates *gates)
{
        return has_subject(gates, PS_GATE_NEW_CAUSE);
}

bool ps_gates_need_baseline(const ps_gates *gates)
{
        return has_subject(gates, PS_GATE_NEW) || ps_gates_need_causes(gates);
}

/* Limits for which the clock of a single process is enough. */
static bool is_on_one_process(ps_subject subject)
{
        return subject == PS_ON_SERIES || subject == PS_ON_NEIGHBOURS || subject == PS_ON_SMALL ||
               subject == PS_ON_SITE || subject == PS_ON_REGION || subject == PS_ON_COPIES;
}

bool ps_gates_are_on_waits(const ps_gates *gates)
{
        for (unsigned i = 0; i < gates->n; i++)
                if (gates->row[i].subject < PS_GATE_LENGTH &&
                    (gates->row[i].subject != PS_GATE_PATTERN ||
                     !is_on_one_process(ps_pattern_at(gates->row[i].pattern)->subject)))
                        return 1;
        return 0;
}

bool ps_gates_need_split(const ps_gates *gates)
{
        return has_subject(gates, PS_GATE_SERIALIZATION) || has_subject(gates, PS_GATE_TRANSFER);
}

ps_status ps_gates_check(const ps_gates *gates, const uint8_t *left_out, ps_definitions definitions,
                         ps_error *err)
{
        for (unsigned i = 0; i < gates->n; i++) {
                const ps_gate *gate = &gates->row[i];
                if (gate->subject == PS_GATE_PATTERN &&
                    (left_out[gate->pattern] ||
                     !(ps_pattern_at(gate->pattern)->definitions >> definitions & 1)))
                        return PS_FAIL(err, PS_E_USAGE,
                                       "--fail-on limits a pattern that is not looked for: limit=\"%s\"",
                                       gate->text);
        }
        return PS_OK;
}

/* What a gate is on: the time, where it is one, and the share. */
typedef struct found {
        bool is_known;
        ps_time time;
        double share;
} found;

static found find_efficiency(ps_gate_subject subject, const ps_efficiency *e)
{
        bool is_known = e->is_known && !e->is_untold, is_split = e->is_split && !e->is_untold;

        switch (subject) {
        case PS_GATE_PARALLEL:
                return (found){is_known, 0, e->parallel};
        case PS_GATE_LOAD_BALANCE:
                return (found){is_known, 0, e->load_balance};
        case PS_GATE_COMMUNICATION:
                return (found){is_known, 0, e->communication};
        case PS_GATE_SERIALIZATION:
                return (found){is_split, 0, e->serialization};
        default:
                return (found){is_split, 0, e->transfer};
        }
}

static found find_gate(const ps_gate *gate, const ps_report *report)
{
        if (is_efficiency(gate))
                return find_efficiency(gate->subject, &report->efficiency);
        if (gate->subject == PS_GATE_LENGTH)
                return (found){1, ps_focus_length(report->timing), 0};
        if (gate->subject == PS_GATE_TOTAL)
                return (found){1, report->total, report->total_share};
        for (uint32_t i = 0; i < report->n_patterns; i++)
                if (report->patterns[i].pattern == gate->pattern)
                        return (found){1, report->patterns[i].total, report->patterns[i].share};
        return (found){.is_known = 1};
}

/* Is the pattern the row, or below it? */
static bool is_within(const ps_pattern *pattern, const ps_pattern *row)
{
        while (pattern && pattern != row)
                pattern = pattern->parent ? ps_pattern_at(ps_pattern_find(pattern->parent)) : NULL;
        return pattern != NULL;
}

/* Findings that a configuration ignores count in no limit. */
static ps_time sum_ignored(const ps_gate *gate, const ps_report *report)
{
        const ps_pattern *row = gate->subject == PS_GATE_PATTERN ? ps_pattern_at(gate->pattern) : NULL;
        ps_time sum = 0;

        for (uint32_t i = 0; i < report->n_findings; i++) {
                const ps_report_finding *f = &report->findings[i];
                if (f->ignored && (row ? is_within(f->pattern, row) : ps_pattern_waits(f->pattern)))
                        sum = ps_time_add(sum, f->finding->lost);
        }
        return sum;
}

static void leave_ignored_out(found *what, const ps_gate *gate, const ps_report *report)
{
        ps_time ignored = gate->subject == PS_GATE_TOTAL || gate->subject == PS_GATE_PATTERN
                                  ? sum_ignored(gate, report)
                                  : 0;

        if (!ignored)
                return;
        what->time = what->time > ignored ? what->time - ignored : 0;
        what->share = ps_report_share(report, what->time);
}

static bool is_new_hit(const ps_report *report, char told[PS_LIMIT_TOLD])
{
        uint32_t n = 0;

        for (uint32_t i = 0; i < report->n_findings; i++)
                n += report->findings[i].is_new && !report->findings[i].ignored;
        snprintf(told, PS_LIMIT_TOLD, "new: %u %s not in the baseline", n,
                 n == 1 ? "finding is" : "findings are");
        return n > 0;
}

/* Of all time in the focus. */
#define NEW_CAUSE_SHARE 0.01

static bool is_new_cause_hit(const ps_report *report, char told[PS_LIMIT_TOLD])
{
        const ps_blame *blame = report->blame;
        uint32_t n = 0;

        for (uint32_t g = 0; g < blame->n_groups; g++)
                n += blame->group[g].row[0]->is_new &&
                     ps_report_share(report, blame->group[g].waiting) >= NEW_CAUSE_SHARE;
        snprintf(told, PS_LIMIT_TOLD, "new-cause: %u %s 1 %% or more of all time and not in the baseline", n,
                 n == 1 ? "cause is" : "causes are");
        return n > 0;
}

static void tell_limit(char told[PS_LIMIT_TOLD], const ps_gate *gate, const found *what)
{
        char value[PS_NUMBER_ROOM], limit[PS_NUMBER_ROOM];

        if (gate->limit.is_share) {
                snprintf(value, sizeof(value), "%.4g %%", 100 * what->share);
                snprintf(limit, sizeof(limit), "%.4g %%", 100 * gate->limit.share);
        } else {
                ps_text_duration(value, what->time);
                ps_text_duration(limit, gate->limit.time);
        }
        snprintf(told, PS_LIMIT_TOLD, "%s: %s, limit %s", gate->text, what->is_known ? value : "not known",
                 limit);
}

ps_limit_verdict ps_gate_judge(const ps_gate *gate, const ps_report *report, char told[PS_LIMIT_TOLD])
{
        if (gate->subject == PS_GATE_NEW)
                return is_new_hit(report, told) ? PS_LIMIT_HIT : PS_LIMIT_KEPT;
        if (gate->subject == PS_GATE_NEW_CAUSE)
                return is_new_cause_hit(report, told) ? PS_LIMIT_HIT : PS_LIMIT_KEPT;
        found what = find_gate(gate, report);
        leave_ignored_out(&what, gate, report);
        const ps_quantity *limit = &gate->limit;
        double over =
                limit->is_share ? what.share - limit->share : (double)ps_time_sub(what.time, limit->time);
        tell_limit(told, gate, &what);
        if (!what.is_known)
                return PS_LIMIT_UNKNOWN;
        over = gate->is_least ? -over : over;
        return over > 0 || (gate->or_equal && over >= 0) ? PS_LIMIT_HIT : PS_LIMIT_KEPT;
}
