/* rules.c - asking the rows. */
#include "patterns/engine/rules.h"

#include <string.h>

static bool takes_part(const ps_pattern *row, uint32_t pattern, const ps_analysis_options *options)
{
        return (row->definitions >> options->definitions & 1) && !options->off[pattern];
}

/* The deepest row that fits. */
static uint32_t deepest_row(const ps_rules *rules, uint32_t pattern, unsigned send_kind)
{
        const ps_rule *rule = &rules->rule[pattern];
        for (uint32_t i = 0; i < rule->n_children; i++) {
                const ps_pattern *child = rules->rule[rule->children[i]].row;
                if (child->subject != PS_ON_ORDER && ps_rules_has_kind(child->send_kinds, send_kind))
                        return deepest_row(rules, rule->children[i], send_kind);
        }
        return pattern;
}

static bool is_sum(ps_subject subject)
{
        return subject == PS_ON_REGION || subject == PS_ON_SITE || subject == PS_ON_MASTER ||
               subject == PS_ON_COPIES;
}

static void describe(ps_rule *rule)
{
        const ps_pattern *row = rule->row;
        rule->is_sum = is_sum(row->subject);
        rule->waits = ps_pattern_waits(row) && !rule->is_sum;
        rule->is_of_team = row->subject == PS_ON_FORK || row->subject == PS_ON_JOIN;
        rule->is_series = row->subject == PS_ON_SERIES;
        rule->ends_with_call = row->is_work || row->subject == PS_ON_COMPLETION;
        rule->counts_when_short = row->is_defect || row->least > 1;
}

/* All roots are made. What is asked before any of them is what all of them need. */
static void add_up_roots(ps_rules *rules)
{
        _Static_assert(PS_MAX_PATTERNS <= UINT8_MAX, "patterns do not fit by_send_kind");
        for (unsigned subject = 0; subject < PS_N_SUBJECTS; subject++) {
                bool any_send = false;
                unsigned needed = 0;
                rules->needs[subject] = UINT8_MAX;
                for (uint32_t i = 0; i < rules->n_roots[subject]; i++) {
                        uint32_t root = rules->root[subject][i];
                        const ps_pattern *row = rules->rule[root].row;
                        uint64_t *most = &rules->most_bytes[subject];
                        unsigned needs =
                                row->needs | (rules->rule[root].formula == row->formula ? row->own_needs : 0);
                        rules->needs[subject] &= (uint8_t)needs;
                        needed |= needs;
                        any_send |= !row->send_kinds;
                        rules->send_kinds[subject] |= row->send_kinds;
                        *most = !row->most_bytes || (i && !*most) ? 0
                                : row->most_bytes > *most         ? row->most_bytes
                                                                  : *most;
                        for (unsigned kind = 0; kind < PS_N_MESSAGE_KINDS; kind++)
                                rules->rule[root].by_send_kind[kind] =
                                        (uint8_t)deepest_row(rules, root, kind);
                }
                if (any_send)
                        rules->send_kinds[subject] = 0;
                if (needed != rules->needs[subject]) /* what only some need is left to their formulas */
                        rules->needs[subject] &= (uint8_t) ~(PS_LOSES_UNTIL_OTHER | PS_LOSES_REST |
                                                             PS_LOSES_CALL | PS_LOSES_UNTIL_RELEASED);
        }
}

static void find_collectives(ps_rules *rules)
{
        static const ps_subject subjects[] = {PS_ON_COLLECTIVE, PS_ON_PGAS_COLLECTIVE};
        for (unsigned pgas = 0; pgas < 2; pgas++)
                for (uint32_t i = 0; i < rules->n_roots[subjects[pgas]]; i++) {
                        uint32_t root = rules->root[subjects[pgas]][i];
                        for (unsigned kind = 0; kind < PS_N_COLLECTIVE_KINDS; kind++)
                                if (ps_rules_has_kind(rules->rule[root].kinds, kind))
                                        rules->on_collective[pgas][kind][root / 64] |= UINT64_C(1)
                                                                                       << root % 64;
                }
}

void ps_rules_make(ps_rules *rules, const ps_analysis_options *options, ps_time epsilon)
{
        memset(rules, 0, sizeof(*rules));
        rules->epsilon = epsilon;
        _Static_assert(PS_K_TEAM_IMPLICIT_BARRIER - PS_K_INIT < 64, "collective kinds do not fit a set");
        int further = options->definitions != PS_DEFINITIONS_SCALASCA;
        const ps_pattern *row;
        for (uint32_t i = 0; i < PS_MAX_PATTERNS && (row = ps_pattern_at(i)); i++) {
                ps_rule *rule = &rules->rule[i];
                rule->row = row;
                rule->parent = ps_pattern_parent(i);
                rule->formula = ps_pattern_formula(i);
                if (options->definitions == PS_DEFINITIONS_PAPER && row->paper_formula)
                        rule->formula = row->paper_formula;
                rule->wait_kinds = row->wait_kinds | (further ? row->further_wait_kinds : 0);
                rule->kinds = row->kinds | (further ? row->further_kinds : 0);
                describe(rule);
                if (!takes_part(row, i, options))
                        continue;
                if (rule->parent == PS_NONE)
                        rules->root[row->subject][rules->n_roots[row->subject]++] = i;
                else
                        rules->rule[rule->parent].children[rules->rule[rule->parent].n_children++] = i;
        }
        add_up_roots(rules);
        find_collectives(rules);
}

static uint32_t order_below(const ps_rules *rules, uint32_t pattern, const ps_order_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        for (uint32_t i = 0; i < rule->n_children; i++) {
                const ps_pattern *child = rules->rule[rule->children[i]].row;
                if (child->subject != PS_ON_ORDER || (child->is_so && !child->is_so(view)))
                        continue;
                uint32_t deeper = order_below(rules, rule->children[i], view);
                return deeper == PS_NONE ? rule->children[i] : deeper;
        }
        return PS_NONE;
}

uint32_t ps_rules_refine_order(const ps_rules *rules, uint32_t pattern, const ps_order_view *view)
{
        while (rules->rule[pattern].parent != PS_NONE)
                pattern = rules->rule[pattern].parent;
        return order_below(rules, pattern, view);
}

bool ps_rules_find_wait(const ps_rules *rules, ps_subject subject, const ps_call_view *view,
                        uint32_t *pattern)
{
        *pattern = PS_NONE;
        for (uint32_t i = 0; i < rules->n_roots[subject]; i++) {
                const uint32_t root = rules->root[subject][i];
                if (ps_rules_call(rules, root, view) < 0)
                        continue;
                if (*pattern != PS_NONE || !ps_rule_is_plain_wait(&rules->rule[root]))
                        return false;
                *pattern = root;
        }
        return true;
}
