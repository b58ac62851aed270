/* lab.h - small traces of messages, their analyses, and the sums of one pattern by its id. What fails
 * ends the test. */
#ifndef PS_TESTS_PATTERNS_ENGINE_LAB_H
#define PS_TESTS_PATTERNS_ENGINE_LAB_H

#include "patterns/engine/engine.h"
#include "tests/support/tracegen.h"

/* Ranks of one thread; the first event is at 0. */
ps_gen *engine_ranks(uint32_t ranks);
/* A send and a receive of one message, each by its begin and end in microseconds. */
void engine_message(ps_gen *g, uint32_t from, uint64_t send, uint64_t sent, uint32_t to, uint64_t recv,
                    uint64_t got, uint32_t tag);
/* Closes the archive and loads it. */
ps_trace *engine_load(ps_gen *g);

ps_analysis *engine_analyse_by(const ps_trace *trace, const ps_analysis_options *options);
ps_analysis *engine_analyse(const ps_trace *trace, ps_definitions definitions, ps_time epsilon);
void engine_end(ps_analysis *a, ps_trace *trace); /* frees both */

uint32_t engine_row(const char *id);
/* Without the rows below, and with them. */
ps_time engine_own_loss(const ps_analysis *a, const char *id);
ps_time engine_total_loss(const ps_analysis *a, const char *id);
const ps_finding *engine_finding(const ps_analysis *a, const char *id, ps_loc loc); /* or NULL */

#endif
