/* lab.h - a location's events, given literally, are folded, so that no format and no writer stands between
 * the rule and its test. What fails ends the test. */
#ifndef PS_TESTS_CORE_FOLD_LAB_H
#define PS_TESTS_CORE_FOLD_LAB_H

#include "core/fold/fold.h"
#include "tests/support/test.h"

enum {
        MAIN,
        SOLVE,
        SEND,
        RECV,
        IRECV,
        ISEND,
        WAITALL,
        SENDRECV,
        STARTALL,
        BCAST,
        IBARRIER,
        WAIT,
        CRITICAL,
        WTIME,
        N_REGIONS
};

/* Two processes, the first with two locations; one communicator of both. */
enum { LOC_A, LOC_A2, LOC_B, N_LOCS, APART = N_LOCS };

typedef struct fold_fixture {
        ps_trace trace;
        ps_builder *builder[N_LOCS + 1];
        ps_row_pool *pool;
        ps_error err;
} fold_fixture;

int fold_setup(void **state);
int fold_teardown(void **state);
void fold_feed(fold_fixture *f, ps_loc l, const ps_event *events, uint32_t n);
void fold_finish(fold_fixture *f);
/* NULL: it was not there. */
const ps_path_use *fold_use_of(const fold_fixture *f, ps_loc l, ps_region region);
uint64_t fold_issues(const fold_fixture *f, ps_issue_kind kind);

#define FEED(f, l, ...)                                                                                      \
        do {                                                                                                 \
                const ps_event events_[] = {__VA_ARGS__};                                                    \
                fold_feed((f), (l), events_, sizeof(events_) / sizeof(events_[0]));                          \
        } while (0)
#define EV(t, id, ...)                                                                                       \
        {                                                                                                    \
                .time = (t), .kind = PS_EV_##id, __VA_ARGS__                                                 \
        }
#define ENTER(t, r) EV(t, ENTER, .ref = (r))
#define LEAVE(t, r) EV(t, LEAVE, .ref = (r))

#endif
