/* rules.h - the table of patterns made ready for one analysis: which rows take part, and what is below them.
 */
#ifndef PS_PATTERNS_ENGINE_RULES_H
#define PS_PATTERNS_ENGINE_RULES_H

#include "patterns/engine/engine.h"

enum {
        PS_N_MESSAGE_KINDS = 64,
        PS_N_COLLECTIVE_KINDS = 64
}; /* such kinds are sets of 64 bits in the table */

typedef struct ps_rule {
        const ps_pattern *row;
        const ps_formula *formula;
        uint64_t wait_kinds, kinds; /* 0: any */
        uint32_t children[16];
        uint32_t n_children;
        uint32_t parent; /* PS_NONE: a root */
        /* What the row tells of all that it finds. */
        bool waits;             /* each is waiting, which its call lost */
        bool is_sum;            /* it is a sum over many calls, which knows the focus itself */
        bool is_of_team;        /* it is about threads that come and go */
        bool is_series;         /* it is about several calls, with what is computed between them */
        bool ends_with_call;    /* what it finds is the end of its call */
        bool counts_when_short; /* is reported even if it is shorter than epsilon */
        uint8_t by_send_kind[PS_N_MESSAGE_KINDS]; /* of a root on messages: what is charged */
} ps_rule;

typedef struct ps_rules {
        ps_rule rule[PS_MAX_PATTERNS];                 /* by pattern */
        uint32_t root[PS_N_SUBJECTS][PS_MAX_PATTERNS]; /* rows without a parent, by subject */
        uint32_t n_roots[PS_N_SUBJECTS];
        uint8_t needs[PS_N_SUBJECTS];       /* what all of these need */
        uint64_t send_kinds[PS_N_SUBJECTS]; /* of the sends that any of these is about; 0: any */
        uint64_t most_bytes[PS_N_SUBJECTS]; /* 0: any */
        /* Roots on blocking collectives, those of PGAS programs apart, as bits of their patterns, by the kind
         * that they are about. */
        uint64_t on_collective[2][PS_N_COLLECTIVE_KINDS][PS_MAX_PATTERNS / 64];
        ps_time epsilon;
} ps_rules;

void ps_rules_make(ps_rules *rules, const ps_analysis_options *options, ps_time epsilon);

static inline bool ps_rules_has_kind(uint64_t set, unsigned kind)
{
        return !set || (kind < 64 && set >> kind & 1);
}

/* Is the row about this kind of collective operation? */
static inline bool ps_rules_is_about(const ps_rules *rules, uint32_t pattern, ps_kind collective)
{
        return ps_rules_has_kind(rules->rule[pattern].kinds, (unsigned)collective - PS_K_INIT);
}

/* What was lost by the root row `pattern`, however little; PS_NOT_SO when nothing was. */
static inline ps_time ps_rules_anything(const ps_rule *rule, ps_time lost)
{
        return lost >= !rule->counts_when_short ? lost : PS_NOT_SO;
}

/* Each is a wait of its call, whose time moves as a whole. */
static inline bool ps_rule_is_plain_wait(const ps_rule *rule)
{
        return rule->waits && !rule->is_of_team && !rule->is_series && !rule->ends_with_call &&
               !rule->counts_when_short;
}

#define PS_RULES_ASK(field, view)                                                                            \
        static inline ps_time ps_rules_##field(const ps_rules *rules, uint32_t pattern, const view *v)       \
        {                                                                                                    \
                const ps_rule *rule = &rules->rule[pattern];                                                 \
                return ps_rules_anything(rule, rule->formula->field(v));                                     \
        }

PS_RULES_ASK(call, ps_call_view)
PS_RULES_ASK(region, ps_region_view)
PS_RULES_ASK(site, ps_site_view)
PS_RULES_ASK(master, ps_master_view)

static inline ps_time ps_rules_message(const ps_rules *rules, uint32_t pattern, ps_kind wait_kind,
                                       const ps_message_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        if (!ps_rules_has_kind(rule->wait_kinds, wait_kind) ||
            !ps_rules_has_kind(rule->row->send_kinds, view->send.kind))
                return PS_NOT_SO;
        return ps_rules_anything(rule, rule->formula->message(view));
}

static inline ps_time ps_rules_collective(const ps_rules *rules, uint32_t pattern,
                                          const ps_collective_view *view)
{
        const ps_rule *rule = &rules->rule[pattern];
        return ps_rules_is_about(rules, pattern, view->kind)
                       ? ps_rules_anything(rule, rule->formula->collective(view))
                       : PS_NOT_SO;
}

/* The row that is charged with what the root row found: the deepest that fits. */
static inline uint32_t ps_rules_refine_message(const ps_rules *rules, uint32_t root, ps_kind send_kind)
{
        return rules->rule[root].by_send_kind[send_kind % PS_N_MESSAGE_KINDS];
}

/* The only root row of the subject that says something of such a call; PS_NONE: none does. False: several do,
 * or another than a plain wait. */
bool ps_rules_find_wait(const ps_rules *rules, ps_subject subject, const ps_call_view *view,
                        uint32_t *pattern);

/* The row on wrong order for a wait that was charged to `pattern`; PS_NONE when there is none. */
uint32_t ps_rules_refine_order(const ps_rules *rules, uint32_t pattern, const ps_order_view *view);

#endif
