/* rules.h - the table of patterns made ready for one analysis: which rows take part, and what is below them.
 */
#ifndef PS_PATTERNS_RULES_H
#define PS_PATTERNS_RULES_H

#include "patterns/engine.h"

typedef struct ps_rule {
        const ps_pattern *row;
        const ps_formula *formula;
        uint64_t wait_kinds, kinds; /* 0: any */
        uint32_t children[8];
        uint32_t n_children;
} ps_rule;

typedef struct ps_rules {
        ps_rule rule[PS_MAX_PATTERNS];                 /* by pattern */
        uint32_t root[PS_N_SUBJECTS][PS_MAX_PATTERNS]; /* rows without a parent, by subject */
        uint32_t n_roots[PS_N_SUBJECTS];
        ps_time epsilon;
} ps_rules;

void ps_rules_make(ps_rules *rules, const ps_analysis_options *options, ps_time epsilon);

/* What was lost by the root row `pattern`; 0 when it is below epsilon. */
ps_time ps_rules_message(const ps_rules *rules, uint32_t pattern, ps_kind wait_kind,
                         const ps_message_view *view);
ps_time ps_rules_collective(const ps_rules *rules, uint32_t pattern, const ps_collective_view *view);
ps_time ps_rules_completion(const ps_rules *rules, uint32_t pattern, const ps_completion_view *view);

/* The row that is charged with what the root row found: the deepest that fits. */
uint32_t ps_rules_refine_message(const ps_rules *rules, uint32_t pattern, const ps_message_view *view);
/* The row below `pattern` for a wait in wrong order; PS_NONE when there is none. */
uint32_t ps_rules_refine_order(const ps_rules *rules, uint32_t pattern, const ps_order_view *view);

#endif
