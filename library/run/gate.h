/* gate.h - limits that a run must keep: --fail-on. */
#ifndef PS_LIBRARY_RUN_GATE_H
#define PS_LIBRARY_RUN_GATE_H

#include "library/run/quantity.h"
#include "report/facts/report.h"

enum { PS_GATES_MAX = 32 };

typedef enum ps_gate_subject {
        PS_GATE_PATTERN,
        PS_GATE_TOTAL,
        PS_GATE_NEW,
        PS_GATE_NEW_CAUSE,
        PS_GATE_LENGTH, /* of the focus */
        PS_GATE_PARALLEL,
        PS_GATE_LOAD_BALANCE,
        PS_GATE_COMMUNICATION,
        PS_GATE_SERIALIZATION,
        PS_GATE_TRANSFER
} ps_gate_subject;

typedef struct ps_gate {
        ps_gate_subject subject;
        uint32_t pattern;
        bool is_least; /* < instead of >: efficiencies */
        bool or_equal; /* >= or <= */
        ps_quantity limit;
        char text[64]; /* as it was given */
} ps_gate;

typedef struct ps_gates {
        ps_gate row[PS_GATES_MAX];
        unsigned n;
} ps_gates;

/* Adds the limits of "late-sender>5%,total>=20ms,new,duration>10s,parallel<80%". */
ps_status ps_gates_parse(ps_gates *gates, const char *text, ps_error *err);
bool ps_gates_need_baseline(const ps_gates *gates);
bool ps_gates_need_causes(const ps_gates *gates);
/* Is one of them on time that one process waits for another? */
bool ps_gates_are_on_waits(const ps_gates *gates);
/* Is one of them on an efficiency that only a replay tells? */
bool ps_gates_need_split(const ps_gates *gates);

/* Is the limit exceeded? `told` gets what was found and what the limit is. */
ps_limit_verdict ps_gate_judge(const ps_gate *gate, const ps_report *report, char told[PS_LIMIT_TOLD]);

/* A limit on a pattern that was not looked for would never be hit: PS_E_USAGE. */
ps_status ps_gates_check(const ps_gates *gates, const uint8_t *left_out, ps_definitions definitions,
                         ps_error *err);

#endif
