/* doubts.c - what causes cannot tell: a replay keeps the order of the recording, and some take no part. */
#include "core/base/memory.h"
#include "report/causes/words.h"
#include "report/facts/sites.h"
#include "report/facts/verdict.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <stdlib.h>

/* -- the order -- */

struct exchanged {
        uint64_t sent, received;
};

static void count_messages(struct exchanged *of, uint64_t *all, const ps_trace *trace, ps_loc loc)
{
        const ps_ops *ops = &trace->ops[loc];
        const ps_location_def *locations = trace->defs.locations.row;
        for (ps_op op = 0; op < ops->n; op++) {
                if (ps_kinds[ops->kind[op]].cls != PS_C_SEND || !(ops->flags[op] & PS_OP_MATCHED))
                        continue;
                of[locations[loc].process].sent++;
                of[locations[ps_op_peer(ops, op)].process].received++;
                ++*all;
        }
}

/* Who is in four fifths of all messages, in both directions. */
static ps_proc find_master(const ps_trace *trace)
{
        enum { LEAST_PROCESSES = 4, LEAST_MESSAGES = 10 };
        uint32_t n = trace->defs.processes.n;
        struct exchanged *of = ps_memory_zeroed(n + (size_t)1, sizeof(*of));
        uint64_t all = 0;
        ps_proc master = PS_NONE;
        for (ps_loc loc = 0; of && loc < trace->n_locs; loc++)
                count_messages(of, &all, trace, loc);
        for (ps_proc p = 0; of && n >= LEAST_PROCESSES && all >= LEAST_MESSAGES && p < n; p++)
                if (5 * (of[p].sent + of[p].received) >= 4 * all && 4 * of[p].sent >= all &&
                    4 * of[p].received >= all)
                        master = p;
        free(of);
        return master;
}

bool ps_cause_say_order(ps_sentence *s, const ps_report *report)
{
        ps_proc master = find_master(report->trace);
        if (master == PS_NONE)
                return false;
        ps_sentence_add(s,
                        "Nearly all messages go to or from rank %" PRIu32
                        ": if it hands out work to whoever asks first, a faster run would hand it out "
                        "differently; predictions keep the order of this run.",
                        master);
        return true;
}

/* -- who takes no part -- */

void ps_report_apart(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        const uint8_t *apart = report->analysis->apart;
        uint32_t n_processes = report->trace->defs.processes.n, n = 0;
        ps_proc *rank = apart ? ps_memory_new((n_processes + (size_t)1) * sizeof(*rank)) : NULL;
        ps_sentence said = {room, PS_DOUBT_ROOM, 0};
        *room = '\0';
        for (ps_proc p = 0; rank && p < n_processes; p++)
                if (apart[p])
                        rank[n++] = p;
        if (n) {
                ps_ranks_say(&said, "Rank", "Ranks", rank, n);
                ps_sentence_add(&said,
                                " %s no part: %s communicate%s nothing before MPI_Finalize, and that %s "
                                "there for the "
                                "others is no loss.",
                                n == 1 ? "takes" : "take", n == 1 ? "it" : "they", n == 1 ? "s" : "",
                                n == 1 ? "it waits" : "they wait");
        }
        free(rank);
}
