/* lab.c - fills the columns that the clock check looks at. */
#include "tests/core/clock/lab.h"
#include "tests/support/test.h"
#include <stdlib.h>
#include <string.h>

static void *cut(lab *l, size_t n, size_t size)
{
        void *block = ps_arena_alloc(l->trace.arena, n, size);
        assert_non_null(block);
        return block;
}

static void cut_columns(lab *l, ps_loc loc)
{
        ps_ops *ops = &l->trace.ops[loc];
        ops->kind = cut(l, l->rows, 1);
        ops->flags = cut(l, l->rows, 1);
        ops->peer = cut(l, l->rows, sizeof *ops->peer);
        ops->link = cut(l, l->rows, sizeof *ops->link);
        ops->done = cut(l, l->rows, sizeof *ops->done);
        ops->pre = cut(l, l->rows, sizeof *ops->pre);
        ops->post = cut(l, l->rows, sizeof *ops->post);
        ops->tag = cut(l, l->rows, sizeof *ops->tag);
        ops->call = cut(l, l->rows, sizeof *ops->call);
        ops->calls = cut(l, l->rows, sizeof *ops->calls);
        l->trace.measured.enter[loc] = cut(l, l->rows, sizeof(ps_time));
        l->trace.measured.leave[loc] = cut(l, l->rows, sizeof(ps_time));
}

static lab *lab_make(uint32_t n_processes, uint32_t rows, uint32_t colls, uint32_t members,
                     int unsynchronised)
{
        lab *l = calloc(1, sizeof *l);
        assert_non_null(l);
        ps_trace *t = &l->trace;
        assert_int_equal(ps_defs_init(&t->defs, NULL), PS_OK);
        t->arena = t->defs.arena;
        l->rows = rows;
        t->defs.clock_per_process = unsynchronised;
        t->n_locs = n_processes;
        t->ops = cut(l, n_processes, sizeof *t->ops);
        t->info = cut(l, n_processes, sizeof *t->info);
        t->colls = cut(l, colls, sizeof *t->colls);
        t->members = cut(l, members, sizeof *t->members);
        l->coll_room = colls;
        l->member_room = members;
        t->measured.enter = cut(l, n_processes, sizeof *t->measured.enter);
        t->measured.leave = cut(l, n_processes, sizeof *t->measured.leave);
        uint32_t *world = cut(l, n_processes, sizeof *world);
        for (uint32_t p = 0; p < n_processes; p++) {
                world[p] = p;
                assert_int_equal(ps_defs_add_process(&t->defs, &(ps_process_def){0}, NULL, NULL), PS_OK);
                ps_location_def def = {.process = p};
                assert_int_equal(ps_defs_add_location(&t->defs, &def, NULL, NULL), PS_OK);
                cut_columns(l, p);
        }
        lab_comm(l, world, n_processes, 0);
        return l;
}

lab *lab_new(uint32_t n_processes, uint32_t rows, uint32_t colls, uint32_t members)
{
        return lab_make(n_processes, rows, colls, members, 1);
}

lab *lab_new_synchronised(uint32_t n_processes, uint32_t rows, uint32_t colls, uint32_t members)
{
        return lab_make(n_processes, rows, colls, members, 0);
}

void lab_free(lab *l)
{
        ps_defs_free(&l->trace.defs);
        free(l);
}

ps_comm lab_comm(lab *l, const uint32_t *members, uint32_t n, int inter)
{
        uint32_t *copy = cut(l, n, sizeof *copy);
        memcpy(copy, members, n * sizeof *copy);
        ps_comm_def def = {.parent = PS_NONE, .n_members = n, .members = copy, .inter = inter != 0};
        ps_comm comm;
        assert_int_equal(ps_defs_add_comm(&l->trace.defs, &def, &comm, NULL), PS_OK);
        return comm;
}

ps_ref lab_op(lab *l, ps_loc loc, ps_kind kind, ps_time enter, ps_time leave)
{
        ps_ops *ops = &l->trace.ops[loc];
        assert_true(ops->n < l->rows);
        ops->kind[ops->n] = (uint8_t)kind;
        ops->done[ops->n] = PS_NONE;
        ops->call[ops->n] = ops->n_calls++;
        l->trace.measured.enter[loc][ops->n] = enter;
        l->trace.measured.leave[loc][ops->n] = leave;
        return (ps_ref){loc, ops->n++};
}

void lab_complete(lab *l, ps_ref start, ps_ref done)
{
        l->trace.ops[start.loc].done[start.op] = done.op;
        l->trace.ops[done.loc].tag[done.op]++;
}

void lab_match(lab *l, ps_ref send, ps_ref recv)
{
        ps_ops *from = &l->trace.ops[send.loc], *to = &l->trace.ops[recv.loc];
        from->flags[send.op] |= PS_OP_MATCHED;
        from->peer[send.op] = recv.loc;
        from->link[send.op] = recv.op;
        to->flags[recv.op] |= PS_OP_MATCHED;
        to->peer[recv.op] = send.loc;
        to->link[recv.op] = send.op;
}

void lab_message(lab *l, ps_loc from, ps_time sent, ps_loc to, ps_time received)
{
        ps_ref send = lab_op(l, from, PS_K_SEND, sent, sent);
        lab_match(l, send, lab_op(l, to, PS_K_RECV, received, received));
}

ps_coll *lab_coll(lab *l, ps_comm comm, uint32_t root, const ps_ref *refs, uint32_t n)
{
        ps_trace *t = &l->trace;
        assert_true(t->n_colls < l->coll_room && t->n_members + n <= l->member_room);
        ps_coll *coll = &t->colls[t->n_colls];
        *coll = (ps_coll){.comm = comm, .first = t->n_members, .n = n, .complete = 1};
        coll->root = root == PS_NONE ? PS_NONE : coll->first + root;
        coll->kind = t->ops[refs[0].loc].kind[refs[0].op];
        for (uint32_t i = 0; i < n; i++) {
                ps_ops *ops = &t->ops[refs[i].loc];
                ops->flags[refs[i].op] |= PS_OP_MATCHED;
                ops->calls[refs[i].op].bytes = 1;
                ops->link[refs[i].op] = t->n_members;
                t->members[t->n_members++] = (ps_member){refs[i], t->n_colls, 1};
        }
        t->n_colls++;
        return coll;
}

ps_coll *lab_all(lab *l, ps_kind kind, uint32_t root, const ps_time *enter, const ps_time *leave)
{
        ps_ref *refs = cut(l, l->trace.n_locs, sizeof *refs);
        for (ps_loc loc = 0; loc < l->trace.n_locs; loc++)
                refs[loc] = lab_op(l, loc, kind, enter[loc], leave[loc]);
        return lab_coll(l, 0, root, refs, l->trace.n_locs);
}

/* All times, one behind the other. */
static void move_times(const lab *l, ps_time *to, bool back)
{
        for (ps_loc loc = 0; loc < l->trace.n_locs; loc++)
                for (int leaves = 0; leaves < 2; leaves++) {
                        const ps_timing *m = &l->trace.measured;
                        ps_time *here = (leaves ? m->leave : m->enter)[loc];
                        memcpy(back ? here : to, back ? to : here, l->rows * sizeof *to);
                        to += l->rows;
                }
}

static ps_time *copy_times(const lab *l)
{
        ps_time *times = malloc(l->trace.n_locs * (size_t)l->rows * 2 * sizeof *times);
        assert_non_null(times);
        move_times(l, times, false);
        return times;
}

/* Message by message, as matching may have seen them: a row each. */
static ps_slacks slacks_of(const lab *l)
{
        const ps_trace *t = &l->trace;
        ps_slacks slacks = {.tells = true, .tells_pairs = true, .early = PS_CLOCK_NOTHING};
        slacks.row = malloc(((size_t)t->n_locs * l->rows + 1) * sizeof *slacks.row);
        assert_non_null(slacks.row);
        for (ps_loc loc = 0; loc < t->n_locs; loc++)
                for (ps_op op = 0; op < t->ops[loc].n; op++) {
                        ps_ref recv = {loc, op}, send = ps_op_partner(t, recv);
                        if (ps_kinds[t->ops[loc].kind[op]].cls != PS_C_RECV || send.loc == PS_NONE ||
                            ps_op_completion(t, recv).op == PS_NONE)
                                continue;
                        ps_time begin = ps_op_record_begin(t, &t->measured, send),
                                end = ps_op_record_end(t, &t->measured, recv),
                                least = ps_time_sub(end, begin);
                        slacks.row[slacks.n++] =
                                (ps_slack){ps_trace_process(t, send.loc), ps_trace_process(t, loc), least};
                        if (least < 0)
                                ps_clock_tally_message(&slacks.early, recv, end, ps_time_sub(begin, end));
                }
        return slacks;
}

static void check_knowing(lab *l, ps_clock_mode mode, const ps_slacks *slacks)
{
        ps_trace *t = &l->trace;
        ps_error err = {0};
        for (ps_loc loc = 0; loc < t->n_locs; loc++) {
                ps_location_info *info = &t->info[loc];
                *info = (ps_location_info){.first = 1, .last = 0};
                for (ps_op op = 0; op < t->ops[loc].n; op++) {
                        ps_time leave = t->measured.leave[loc][op];
                        info->first = t->measured.enter[loc][0];
                        info->last = op == 0 || leave > info->last ? leave : info->last;
                }
        }
        assert_int_equal(ps_clock_check(t, mode, &(ps_clock_known){.slacks = slacks}, 2, &err), PS_OK);
}

/* As it is with these slacks known, and without. */
static void assert_same_clock(const lab *l, const ps_clock_info *knowing, const ps_time *times)
{
        const ps_clock_info *clock = &l->trace.clock;
        ps_time *here = copy_times(l);
        assert_memory_equal(here, times, l->trace.n_locs * (size_t)l->rows * 2 * sizeof *here);
        free(here);
        assert_int_equal(clock->violations, knowing->violations);
        assert_int_equal(clock->worst, knowing->worst);
        assert_int_equal(clock->left, knowing->left);
        assert_int_equal(clock->moved, knowing->moved);
        assert_int_equal(clock->likely, knowing->likely);
        assert_int_equal(clock->trust, knowing->trust);
        assert_int_equal(clock->infeasible, knowing->infeasible);
}

const ps_clock_info *lab_check(lab *l, ps_clock_mode mode)
{
        ps_trace *t = &l->trace;
        assert_int_equal(ps_defs_freeze(&t->defs, NULL), PS_OK);
        ps_time *before = copy_times(l), *after;
        ps_slacks slacks = slacks_of(l);
        check_knowing(l, mode, &slacks);
        ps_clock_info knowing = t->clock;
        after = copy_times(l);
        move_times(l, before, true);
        t->issues = (ps_issues){0};
        check_knowing(l, mode, NULL);
        assert_same_clock(l, &knowing, after);
        free(before);
        free(after);
        free(slacks.row);
        return &t->clock;
}

ps_time lab_enter(const lab *l, ps_ref ref)
{
        return l->trace.measured.enter[ref.loc][ref.op];
}

ps_time lab_leave(const lab *l, ps_ref ref)
{
        return l->trace.measured.leave[ref.loc][ref.op];
}
