/* prepare.c - sorted lists of forks and joins, and a table of transfer times by size. */
#include "patterns/engine/prepare.h"

#include "core/base/blocks.h"
#include "core/base/radix.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/exchange/reduce.h"
#include "core/load/share.h"
#include "patterns/table/pattern.h"

#include <stdlib.h>

/* Messages that are looked at to learn transfer times, of each location. */
enum { SAMPLES = 4096, SIZE_CLASSES = 65 };

/* Something that takes (a part of a parallel region that begins or ends) or gives what others take (a fork, a
 * join). Of joins time runs backwards: what is looked for is the next one. */
struct mark {
        ps_proc process;
        ps_time time;
        ps_ref ref;
        ps_ref by; /* the mark that came before it, or {PS_NONE, PS_NONE} */
        ps_time by_time;
        uint8_t gives; /* a fork, a join */
};

struct marks {
        struct mark *at;
        uint32_t n, cap;
};

enum list { FORKS, JOINS, N_LISTS };

struct ps_prepared {
        struct marks marks[N_LISTS]; /* sorted by place; in the end only what takes */
        ps_time transfer[SIZE_CLASSES];
};

static ps_status add_mark(struct marks *marks, struct mark mark, ps_error *err)
{
        return PS_APPEND(marks->at, marks->n, marks->cap, mark) ? PS_NOMEM(err, "forks", marks->n) : PS_OK;
}

/* Marks stand in order of their places, and are linked in order of time: what is sorted is where they stand.
 */
struct moment {
        ps_time time;
        ps_proc process;
        uint32_t mark;
        bool takes;
};

static uint64_t process_of(const void *moment)
{
        return ((const struct moment *)moment)->process;
}

static uint64_t time_of(const void *moment)
{
        return ps_radix_signed(((const struct moment *)moment)->time);
}

static uint64_t takes(const void *moment)
{
        return ((const struct moment *)moment)->takes;
}

static struct moment *sorted_moments(const struct marks *marks)
{
        static ps_row_number *const keys[] = {process_of, time_of, takes};
        struct moment *moment = ps_memory_new(marks->n * sizeof(*moment));
        for (uint32_t i = 0; moment && i < marks->n; i++) {
                const struct mark *m = &marks->at[i];
                moment[i] = (struct moment){m->time, m->process, i, !m->gives};
        }
        if (moment &&
            ps_radix_sort(moment, marks->n, sizeof(*moment), keys, sizeof(keys) / sizeof(*keys)) == 0)
                return moment;
        free(moment);
        return NULL;
}

/* Each mark that takes learns of the last one before it that gives, and those that give are dropped. */
static ps_status link_marks(struct marks *marks, ps_error *err)
{
        const ps_ref nobody = {PS_NONE, PS_NONE};
        struct mark last = {.process = PS_NONE, .ref = nobody};
        struct moment *moment = sorted_moments(marks);
        if (!moment)
                return PS_NOMEM(err, "forks", marks->n);
        for (uint32_t i = 0; i < marks->n; i++) {
                struct mark *m = &marks->at[moment[i].mark];
                if (m->process != last.process)
                        last = (struct mark){.process = m->process, .ref = nobody};
                if (m->gives)
                        last = *m;
                m->by = last.ref;
                m->by_time = last.time;
        }
        free(moment);
        uint32_t n = 0;
        for (uint32_t i = 0; i < marks->n; i++)
                if (!marks->at[i].gives)
                        marks->at[n++] = marks->at[i];
        marks->n = n;
        return PS_OK;
}

static ps_status collect_marks(ps_prepared *p, const ps_trace *trace, const ps_timing *timing, ps_loc loc,
                               ps_error *err)
{
        static const struct {
                uint8_t kind, list, gives;
        } sorts[] = {{PS_K_THREAD_FORK, FORKS, 1},
                     {PS_K_TEAM_BEGIN, FORKS, 0},
                     {PS_K_THREAD_JOIN, JOINS, 1},
                     {PS_K_TEAM_END, JOINS, 0}};
        const ps_ops *ops = &trace->ops[loc];
        for (ps_op op = 0; (op = ps_ops_seek(ops, op, PS_K_THREAD_FORK)) < ops->n; op++) {
                for (size_t i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
                        if (sorts[i].kind != ops->kind[op])
                                continue;
                        struct mark mark = {.process = trace->defs.locations.row[loc].process,
                                            .time = timing->leave[loc][op],
                                            .ref = {loc, op},
                                            .gives = sorts[i].gives};
                        if (sorts[i].list == JOINS)
                                mark.time = -mark.time;
                        PS_TRY(add_mark(&p->marks[sorts[i].list], mark, err));
                }
        }
        return PS_OK;
}

static void learn_transfers(ps_prepared *p, const ps_trace *trace, const ps_timing *timing, ps_loc loc)
{
        const ps_ops *ops = &trace->ops[loc];
        uint32_t step = ops->n / SAMPLES + 1;
        for (ps_op op = 0; op < ops->n; op += step) {
                ps_blocks_keep();
                if (ps_kinds[ops->kind[op]].cls != PS_C_RECV || !(ops->flags[op] & PS_OP_MATCHED))
                        continue;
                ps_ref send = {ps_op_peer(ops, op), ops->link[op]},
                       done = ps_op_completion(trace, (ps_ref){loc, op});
                if (done.op == PS_NONE)
                        continue;
                ps_time begun = later(timing->enter[loc][op], timing->enter[send.loc][send.op]);
                ps_time took = timing->leave[done.loc][done.op] - begun;
                ps_time *least = &p->transfer[ps_binary_digits(ps_op_bytes(ops, op))];
                if (took > 0 && (!*least || took < *least))
                        *least = took;
        }
}

static ps_status link_all_marks(ps_prepared *p, ps_error *err)
{
        for (int list = 0; list < N_LISTS; list++)
                PS_TRY(link_marks(&p->marks[list], err));
        return PS_OK;
}

ps_status ps_prepare(ps_prepared **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        *out = NULL;
        ps_prepared *p = calloc(1, sizeof(*p));
        ps_status status = p ? PS_OK : PS_NOMEM(err, "forks", 1);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++) {
                status = collect_marks(p, trace, timing, loc, err);
                learn_transfers(p, trace, timing, loc);
        }
        PS_THEN(status, link_all_marks(p, err));
        if (status != PS_OK)
                ps_prepared_free(p);
        else
                *out = p;
        return status;
}

static void add_least(int64_t *to, const int64_t *row)
{
        if (*row && (!*to || *row < *to))
                *to = *row;
}

/* Threads of a process are read by one of ours. */
static ps_status prepare_here(ps_prepared *p, const ps_trace *trace, ps_error *err)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                if (!ps_share_is_here(trace, loc))
                        continue;
                PS_TRY(collect_marks(p, trace, &trace->measured, loc, err));
                learn_transfers(p, trace, &trace->measured, loc);
        }
        return link_all_marks(p, err);
}

ps_status ps_prepare_together(ps_prepared **out, const ps_trace *trace, ps_error *err)
{
        static const ps_reduced least = {0, false};
        static const ps_reduction reduction = {&least, 1, add_least};
        uint32_t classes[SIZE_CLASSES];
        ps_exchange *x = trace->spread->x;
        ps_prepared *p = *out = calloc(1, sizeof(*p));
        PS_TRY(ps_exchange_agree(x, p ? PS_OK : PS_NOMEM(err, "transfers", 1), err));
        for (uint32_t i = 0; i < SIZE_CLASSES; i++)
                classes[i] = i;
        PS_TRY(ps_exchange_agree(x, prepare_here(p, trace, err), err));
        return ps_exchange_reduce(x, &reduction, SIZE_CLASSES, classes, SIZE_CLASSES, p->transfer, err);
}

void ps_prepared_free(ps_prepared *p)
{
        if (!p)
                return;
        for (int list = 0; list < N_LISTS; list++)
                free(p->marks[list].at);
        free(p);
}

static bool find_mark(const struct marks *marks, ps_ref ref, ps_time *time, ps_ref *by)
{
        uint32_t at = 0;
        PS_SEARCH(at, marks->n, i, ps_ref_place(marks->at[i].ref) < ps_ref_place(ref));
        if (at == marks->n || ps_ref_place(marks->at[at].ref) != ps_ref_place(ref))
                return false;
        const struct mark *mark = &marks->at[at];
        if (mark->by.op == PS_NONE)
                return false;
        *time = mark->by_time;
        *by = mark->by;
        return true;
}

bool ps_prepared_fork(const ps_prepared *p, ps_ref ref, ps_time *time, ps_ref *by)
{
        return find_mark(&p->marks[FORKS], ref, time, by);
}

bool ps_prepared_join(const ps_prepared *p, ps_ref ref, ps_time *time, ps_ref *by)
{
        if (!find_mark(&p->marks[JOINS], ref, time, by))
                return false;
        *time = -*time;
        return true;
}

ps_time ps_prepared_transfer(const ps_prepared *p, uint64_t bytes)
{
        return p->transfer[ps_binary_digits(bytes)];
}
