/* rules.c - asking the rows. */
#include "patterns/rules.h"

#include <string.h>

static int takes_part(const ps_pattern *row, uint32_t pattern, const ps_analysis_options *options)
{
        return (row->definitions >> options->definitions & 1) && !options->off[pattern];
}

void ps_rules_make(ps_rules *rules, const ps_analysis_options *options, ps_time epsilon)
{
        memset(rules, 0, sizeof(*rules));
        rules->epsilon = epsilon;
        int own = options->definitions == PS_DEFINITIONS_PATSCAN;
        const ps_pattern *row;
        for (uint32_t i = 0; i < PS_MAX_PATTERNS && (row = ps_pattern_at(i)); i++) {
                ps_rule *rule = &rules->rule[i];
                rule->row = row;
                rule->formula = ps_pattern_formula(i);
                rule->wait_kinds = row->wait_kinds | (own ? row->own_wait_kinds : 0);
                rule->kinds = row->kinds | (own ? row->own_kinds : 0);
                if (!takes_part(row, i, options))
                        continue;
                uint32_t parent = ps_pattern_parent(i);
                if (parent == PS_NONE)
                        rules->root[row->subject][rules->n_roots[row->subject]++] = i;
                else
                        rules->rule[parent].children[rules->rule[parent].n_children++] = i;
        }
}

static int has_kind(uint64_t set, unsigned kind)
{
        return !set || (kind < 64 && set >> kind & 1);
}

static ps_time above(const ps_rules *rules, ps_time lost)
{
        return lost > 0 && lost >= rules->epsilon ? lost : 0;
}

ps_time ps_rules_message(const ps_rules *rules, uint32_t pattern, ps_kind wait_kind,
                         const ps_message_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        if (!has_kind(rule->wait_kinds, wait_kind) || !has_kind(rule->row->send_kinds, view->send.kind))
                return 0;
        return above(rules, rule->formula->message(view));
}

ps_time ps_rules_collective(const ps_rules *rules, uint32_t pattern, const ps_collective_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        return has_kind(rule->kinds, (unsigned)view->kind - PS_K_INIT)
                       ? above(rules, rule->formula->collective(view))
                       : 0;
}

ps_time ps_rules_completion(const ps_rules *rules, uint32_t pattern, const ps_completion_view *view)
{
        return above(rules, rules->rule[pattern].formula->completion(view));
}

uint32_t ps_rules_refine_message(const ps_rules *rules, uint32_t pattern, const ps_message_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        for (uint32_t i = 0; i < rule->n_children; i++) {
                const ps_pattern *child = rules->rule[rule->children[i]].row;
                if (child->subject != PS_ON_ORDER && has_kind(child->send_kinds, view->send.kind))
                        return ps_rules_refine_message(rules, rule->children[i], view);
        }
        return pattern;
}

uint32_t ps_rules_refine_order(const ps_rules *rules, uint32_t pattern, const ps_order_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        for (uint32_t i = 0; i < rule->n_children; i++) {
                const ps_pattern *child = rules->rule[rule->children[i]].row;
                if (child->subject != PS_ON_ORDER || (child->is_so && !child->is_so(view)))
                        continue;
                uint32_t deeper = ps_rules_refine_order(rules, rule->children[i], view);
                return deeper == PS_NONE ? rule->children[i] : deeper;
        }
        return PS_NONE;
}
