/* rules.c - asking the rows. */
#include "patterns/engine/rules.h"

#include <string.h>

static bool takes_part(const ps_pattern *row, uint32_t pattern, const ps_analysis_options *options)
{
        return (row->definitions >> options->definitions & 1) && !options->off[pattern];
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
                if (!takes_part(row, i, options))
                        continue;
                if (rule->parent == PS_NONE)
                        rules->root[row->subject][rules->n_roots[row->subject]++] = i;
                else
                        rules->rule[rule->parent].children[rules->rule[rule->parent].n_children++] = i;
        }
}

static bool has_kind(uint64_t set, unsigned kind)
{
        return !set || (kind < 64 && set >> kind & 1);
}

static ps_time anything(const ps_rule *rule, ps_time lost)
{
        if (rule->row->is_defect || rule->row->least > 1)
                return lost >= 0 ? lost : PS_NOT_SO;
        return lost > 0 ? lost : PS_NOT_SO;
}

ps_time ps_rules_message(const ps_rules *rules, uint32_t pattern, ps_kind wait_kind,
                         const ps_message_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        if (!has_kind(rule->wait_kinds, wait_kind) || !has_kind(rule->row->send_kinds, view->send.kind))
                return PS_NOT_SO;
        return anything(rule, rule->formula->message(view));
}

ps_time ps_rules_collective(const ps_rules *rules, uint32_t pattern, const ps_collective_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        return has_kind(rule->kinds, (unsigned)view->kind - PS_K_INIT)
                       ? anything(rule, rule->formula->collective(view))
                       : PS_NOT_SO;
}

ps_time ps_rules_call(const ps_rules *rules, uint32_t pattern, const ps_call_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        return anything(rule, rule->formula->call(view));
}

ps_time ps_rules_region(const ps_rules *rules, uint32_t pattern, const ps_region_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        return anything(rule, rule->formula->region(view));
}

ps_time ps_rules_site(const ps_rules *rules, uint32_t pattern, const ps_site_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        return anything(rule, rule->formula->site(view));
}

ps_time ps_rules_master(const ps_rules *rules, uint32_t pattern, const ps_master_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        return anything(rule, rule->formula->master(view));
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
