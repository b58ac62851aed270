/* lab.h - matches literal rows (trace_maker.h) and looks at what came out. What fails ends the test. */
#ifndef PS_TESTS_CORE_MATCH_LAB_H
#define PS_TESTS_CORE_MATCH_LAB_H

#include "core/match/match.h"
#include "tests/support/trace_maker.h"

#define N(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define SEND(from, to, c, t)                                                                                 \
        {                                                                                                    \
                .loc = (from), .kind = PS_K_SEND, .peer = (to), .comm = (c), .tag = (t)                      \
        }
#define RECV(at_, from, c, t)                                                                                \
        {                                                                                                    \
                .loc = (at_), .kind = PS_K_RECV, .peer = (from), .comm = (c), .tag = (t)                     \
        }

ps_trace *match_messages(const maker_shape *shape, const maker_row *rows, uint32_t n, unsigned n_threads);
/* `from` has `to` as its partner; rows a and b have each other; row i has none. */
void match_points_at(const ps_trace *trace, ps_ref from, ps_ref to);
void match_pair(const ps_trace *trace, const maker_row *rows, uint32_t a, uint32_t b);
void match_alone(const ps_trace *trace, const maker_row *rows, uint32_t i);

ps_trace *match_collectives(const maker_shape *shape, const maker_row *rows, uint32_t n);
/* What the i-th row became a member of, or PS_NONE. */
uint32_t match_coll_of(const ps_trace *trace, const maker_row *rows, uint32_t i);
/* expected[i]: the instance of row i. */
void match_colls(const ps_trace *trace, const maker_row *rows, const uint32_t *expected, uint32_t n);
void match_issues(const ps_trace *trace, uint64_t mismatches, uint64_t incomplete);

#endif
