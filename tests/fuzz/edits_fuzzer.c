/* edits_fuzzer.c - a text whose lines are the edits of a prediction. What is read keeps to its limits; where
 * it fits a small program, that is replayed with it, as it was recorded and on a machine. */
#include "simulator/cost/collectives.h"
#include "simulator/whatif/whatif.h"
#include "tests/simulator/replay/lab.h"
#include "tests/support/fuzz_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two regions, four ranks that compute differently long, messages of two sizes and a collective operation. */
static ps_trace *make_program(void)
{
        enum { RANKS = 4 };
        replay_lab *lab = replay_lab_new(RANKS);
        ps_region solve = replay_lab_region(lab, "solve"), init = replay_lab_region(lab, "std::map<A*>::at");
        for (uint32_t r = 0; r < RANKS; r++) {
                rank_visit(lab, r, init, (r + 1) * LAB_US);
                rank_visit(lab, r, solve, (2 * r + 3) * LAB_US);
                uint64_t request = rank_irecv(lab, r, (r + RANKS - 1) % RANKS, 0, r % 2 ? 10 : 1000000);
                rank_send(lab, r, PS_K_SEND, (r + 1) % RANKS, 0, r % 2 ? 1000000 : 10);
                rank_compute(lab, r, LAB_US);
                rank_wait(lab, r, request);
                rank_coll(lab, r, PS_K_ALLREDUCE, 0, PS_NONE, 64);
        }
        return replay_lab_trace(lab);
}

static void check(const ps_edits *e)
{
        for (unsigned i = 0; i < e->n_works; i++)
                fuzz_must(*e->works[i].name && *e->works[i].bare && e->works[i].factor >= 0 &&
                          isfinite(e->works[i].factor));
        for (unsigned i = 0; i < e->n_ranks; i++)
                fuzz_must(e->ranks[i].first <= e->ranks[i].last && e->ranks[i].last < PS_NONE &&
                          e->ranks[i].factor >= 0 && isfinite(e->ranks[i].factor));
        for (unsigned i = 0; i < e->n_collectives; i++)
                fuzz_must(ps_kinds[e->collectives[i].kind].cls == PS_C_COLL &&
                          e->collectives[i].shape[0] < PS_N_SHAPES &&
                          e->collectives[i].shape[1] < PS_N_SHAPES);
        fuzz_must(e->latency >= 0 && isfinite(e->latency) && e->per_byte >= 0 && isfinite(e->per_byte));
}

static void replay(const ps_replay *replay, const ps_what_if *what_if)
{
        ps_replay_options options = {.wants_timing = 1, .n_threads = 1};
        ps_replayed out;
        ps_error err = {0};
        ps_status status = ps_replay_run(&out, replay, &what_if->scenario, 1, &options, &err);
        if (status == PS_OK) {
                fuzz_must(out.total >= 0 && !out.stuck);
                ps_replayed_clear(&out);
        } else {
                fuzz_must(status == PS_E_USAGE && err.n_causes);
        }
}

static void apply(ps_edits *edits, int has_machine)
{
        static ps_trace *trace;
        static ps_replay *prepared;
        ps_machine machine;
        ps_what_if what_if;
        ps_error err = {0};
        if (!trace)
                trace = make_program();
        if (!prepared)
                fuzz_must(ps_replay_new(&prepared, trace, &trace->measured, 1, NULL) == PS_OK);
        ps_machine_init(&machine, PS_MODEL_HOCKNEY);
        machine.link = (ps_link){1e-5, 1e9};
        edits->map = NULL; /* any file could be named */
        ps_status status = ps_what_if_make(&what_if, edits, trace, has_machine ? &machine : NULL, NULL, &err);
        if (status == PS_OK)
                replay(prepared, &what_if);
        else
                fuzz_must(status == PS_E_USAGE && err.n_causes);
        ps_what_if_clear(&what_if);
        ps_machine_clear(&machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *lines[PS_EDITS_MAX];
        char *text = fuzz_text(data, size);
        ps_edits edits;
        ps_error err = {0};
        ps_status status = ps_edits_parse(&edits, lines, fuzz_lines(text, lines, PS_EDITS_MAX), &err);
        if (status == PS_OK) {
                check(&edits);
                apply(&edits, 0);
                apply(&edits, 1);
        } else {
                fuzz_must(status == PS_E_USAGE && err.n_causes);
        }
        ps_edits_clear(&edits);
        free(text);
        return 0;
}
