/* gate.c - see gate.h. A limit holds for the total of a pattern, with the rows below it. */
#include "app/run/gate.h"
#include "app/run/select.h"
#include "report/facts/causes.h"
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

static ps_status parse_subject(ps_gate *gate, const char *text, size_t len, ps_error *err)
{
        len = trimmed(&text, len);
        if (len == 5 && strncmp(text, "total", len) == 0) {
                gate->subject = PS_GATE_TOTAL;
                return PS_OK;
        }
        gate->subject = PS_GATE_PATTERN;
        return ps_select_pattern(&gate->pattern, text, len, err);
}

static ps_status parse_gate(ps_gate *gate, const char *text, size_t len, ps_error *err)
{
        const char *sign = memchr(text, '>', len);

        *gate = (ps_gate){.pattern = PS_NONE};
        if (len >= sizeof(gate->text))
                return PS_FAIL(err, PS_E_USAGE, "bad limit: option=\"--fail-on\", value=\"%.60s...\"", text);
        memcpy(gate->text, text, len);
        if (strcmp(gate->text, "new") == 0 || strcmp(gate->text, "new-cause") == 0) {
                gate->subject = gate->text[3] ? PS_GATE_NEW_CAUSE : PS_GATE_NEW;
                return PS_OK;
        }
        if (!sign)
                return PS_FAIL(err, PS_E_USAGE,
                               "bad limit: option=\"--fail-on\", value=\"%s\", forms=\"PATTERN>5%%, "
                               "total>=20ms, new, new-cause\"",
                               gate->text);
        PS_TRY(parse_subject(gate, text, (size_t)(sign - text), err));
        gate->or_equal = (size_t)(sign + 1 - text) < len && sign[1] == '=';
        sign += 1 + gate->or_equal;
        const char *limit = sign;
        size_t n = trimmed(&limit, len - (size_t)(sign - text));
        return ps_quantity_parse(&gate->limit, limit, n, "--fail-on", err);
}

ps_status ps_gates_parse(ps_gates *gates, const char *text, ps_error *err)
{
        for (;;) {
                size_t len = strcspn(text, ",");
                const char *word = text;
                size_t n = trimmed(&word, len);
                if (gates->n == PS_GATES_MAX)
                        return PS_FAIL(err, PS_E_USAGE, "too many limits: option=\"--fail-on\", most=%d",
                                       PS_GATES_MAX);
                ps_status status = parse_gate(&gates->row[gates->n++], word, n, err);
                if (status != PS_OK || !text[len])
                        return status;
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

int ps_gates_need_causes(const ps_gates *gates)
{
        return has_subject(gates, PS_GATE_NEW_CAUSE);
}

int ps_gates_need_baseline(const ps_gates *gates)
{
        return has_subject(gates, PS_GATE_NEW) || ps_gates_need_causes(gates);
}

/* Those of which one clock alone tells. */
static bool is_on_one_process(ps_subject subject)
{
        return subject == PS_ON_SERIES || subject == PS_ON_NEIGHBOURS || subject == PS_ON_SMALL ||
               subject == PS_ON_SITE || subject == PS_ON_REGION || subject == PS_ON_COPIES;
}

bool ps_gates_are_on_waits(const ps_gates *gates)
{
        for (unsigned i = 0; i < gates->n; i++)
                if (gates->row[i].subject != PS_GATE_PATTERN ||
                    !is_on_one_process(ps_pattern_at(gates->row[i].pattern)->subject))
                        return 1;
        return 0;
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
                                       "limit on a pattern that is not looked for: limit=\"%s\"", gate->text);
        }
        return PS_OK;
}

static void sum_of(const ps_gate *gate, const ps_report *report, ps_time *lost, double *share)
{
        *lost = gate->subject == PS_GATE_TOTAL ? report->total : 0;
        *share = gate->subject == PS_GATE_TOTAL ? report->total_share : 0;
        for (uint32_t i = 0; gate->subject == PS_GATE_PATTERN && i < report->n_patterns; i++)
                if (report->patterns[i].pattern == gate->pattern) {
                        *lost = report->patterns[i].total;
                        *share = report->patterns[i].share;
                }
}

static bool is_new_hit(const ps_report *report, char told[PS_GATE_TOLD])
{
        uint32_t n = 0;

        for (uint32_t i = 0; i < report->n_findings; i++)
                n += report->findings[i].is_new;
        snprintf(told, PS_GATE_TOLD, "new: %u %s not in the baseline", n,
                 n == 1 ? "finding is" : "findings are");
        return n > 0;
}

/* Of all time in the focus. */
#define NEW_CAUSE_SHARE 0.01

static bool is_new_cause_hit(const ps_report *report, char told[PS_GATE_TOLD])
{
        const ps_blame *blame = report->blame;
        uint32_t n = 0;

        for (uint32_t g = 0; g < blame->n_groups; g++)
                n += blame->group[g].row[0]->is_new &&
                     ps_report_share(report, blame->group[g].waiting) >= NEW_CAUSE_SHARE;
        snprintf(told, PS_GATE_TOLD, "new-cause: %u %s 1 %% or more of all time and not in the baseline", n,
                 n == 1 ? "cause is" : "causes are");
        return n > 0;
}

bool ps_gate_is_hit(const ps_gate *gate, const ps_report *report, char told[PS_GATE_TOLD])
{
        ps_time lost;
        double share;
        char found[PS_NUMBER_ROOM], limit[PS_NUMBER_ROOM];

        if (gate->subject == PS_GATE_NEW)
                return is_new_hit(report, told);
        if (gate->subject == PS_GATE_NEW_CAUSE)
                return is_new_cause_hit(report, told);
        sum_of(gate, report, &lost, &share);
        if (gate->limit.is_share) {
                snprintf(found, sizeof(found), "%.4g %%", 100 * share);
                snprintf(limit, sizeof(limit), "%.4g %%", 100 * gate->limit.share);
        } else {
                ps_text_duration(found, lost);
                ps_text_duration(limit, gate->limit.time);
        }
        snprintf(told, PS_GATE_TOLD, "%s: %s, limit %s", gate->text, found, limit);
        if (gate->limit.is_share)
                return gate->or_equal ? share >= gate->limit.share : share > gate->limit.share;
        return gate->or_equal ? lost >= gate->limit.time : lost > gate->limit.time;
}
