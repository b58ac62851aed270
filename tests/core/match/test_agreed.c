/* test_agreed.c - collective operations whose members are in several processes are those that one process
 * finds that has all members, and so is what is wrong with them. */
#include "core/match/agreed.h"
#include "tests/core/match/lab.h"
#include "tests/support/crew/crew.h"
#include "tests/support/test.h"

#include <string.h>

enum { MAX_ROWS = 400, PROCS = 5, N_COMMS = 3 };

struct program {
        maker_comm comms[N_COMMS];
        maker_row rows[MAX_ROWS];
        uint32_t n;
};

static maker_shape shape_of(const struct program *p)
{
        return (maker_shape){.n_procs = PROCS, .comms = p->comms, .n_comms = N_COMMS};
}

/* The first communicator is of all, the second of some, the third of each process alone. Of `rarity` calls
 * one is missing, one names no root, one another root, and one is of another kind; 0: none. */
static void make_program(struct program *p, uint64_t seed, uint32_t rarity)
{
        static const uint8_t kinds[] = {PS_K_BARRIER, PS_K_ALLREDUCE, PS_K_BCAST, PS_K_REDUCE};
        memset(p, 0, sizeof(*p));
        for (uint32_t proc = 0; proc < PROCS; proc++) {
                p->comms[0].members[p->comms[0].n++] = proc;
                if (maker_random(&seed, 2))
                        p->comms[1].members[p->comms[1].n++] = proc;
        }
        p->comms[2] = p->comms[0];
        p->comms[2].self = 1;
        for (uint32_t i = 0, length = maker_random(&seed, 25); i < length; i++) {
                ps_comm comm = maker_random(&seed, N_COMMS);
                uint8_t kind = kinds[maker_random(&seed, N(kinds))];
                uint32_t root = kind >= PS_K_BCAST ? maker_random(&seed, PROCS) : PS_NONE;
                for (uint32_t m = 0; m < p->comms[comm].n; m++) {
                        enum { MISSING, NO_ROOT, OTHER_ROOT, OTHER_KIND, WELL };
                        uint32_t what = rarity ? maker_random(&seed, rarity) : WELL;
                        uint32_t named = what == NO_ROOT      ? PS_NONE
                                         : what == OTHER_ROOT ? maker_random(&seed, PROCS)
                                                              : root;
                        if (what == MISSING)
                                continue;
                        p->rows[p->n] = (maker_row){.loc = p->comms[comm].members[m],
                                                    .kind = what == OTHER_KIND ? PS_K_ALLGATHER : kind,
                                                    .comm = comm,
                                                    .peer = root == PS_NONE ? PS_NONE : named,
                                                    .at = 1000 * (ps_time)(p->n + 1),
                                                    .received = maker_random(&seed, 1000)};
                        p->n++;
                }
        }
}

/* What each process has. */
struct share {
        ps_trace *trace;
        const uint64_t *const *received;
        ps_agreed agreed;
};

static void match_own(ps_exchange *x, void *ctx)
{
        struct share *s = (struct share *)ctx + x->rank;
        ps_error err = {0};
        assert_int_equal(ps_match_agreed(&s->agreed, s->trace, s->received, x, &err), PS_OK);
}

static void make_share(struct share *s, const struct program *p, uint32_t rank, uint32_t size)
{
        maker_row own[MAX_ROWS];
        maker_shape shape = shape_of(p);
        uint32_t n = 0;
        for (uint32_t i = 0; i < p->n; i++)
                if (p->rows[i].loc * size / PROCS == rank)
                        own[n++] = p->rows[i];
        s->trace = maker_trace(&shape, own, n);
        s->received = maker_received(s->trace, own, n);
}

/* The operations of one process: those of all, as far as its members go. */
static void expect_part(const struct share *s, const ps_trace *all)
{
        const ps_agreed *a = &s->agreed;
        uint32_t n = 0;
        assert_int_equal(a->n_all, all->n_colls);
        for (uint32_t c = 0; c < a->n_colls; c++) {
                const ps_coll *coll = &a->colls[c];
                const ps_ref first = a->members[coll->first].ref;
                const uint32_t id = all->members[all->ops[first.loc].link[first.op]].coll;
                const ps_coll *whole = &all->colls[id];
                assert_int_equal(coll->first, n);
                n += coll->n;
                assert_int_equal(a->id[c], coll->n < whole->n ? id : PS_NONE);
                assert_true(coll->kind == whole->kind && coll->comm == whole->comm);
                assert_int_equal(coll->complete, whole->complete);
                for (uint32_t m = coll->first; m < n; m++) {
                        const ps_ref ref = a->members[m].ref;
                        const uint32_t member = all->ops[ref.loc].link[ref.op];
                        assert_int_equal(all->members[member].coll, id);
                        assert_int_equal(a->members[m].received, all->members[member].received);
                        assert_int_equal(a->members[m].coll, c);
                        assert_int_equal(s->trace->ops[ref.loc].link[ref.op], m);
                        assert_true((coll->root == m) == (whole->root == member));
                }
        }
        assert_int_equal(n, a->n_members);
}

/* What all find wrong together. */
static void expect_wrong(const struct share *shares, uint32_t size, const ps_trace *all)
{
        ps_agreed_wrong sum = {.mismatched = {0}};
        for (uint32_t rank = 0; rank < size; rank++)
                ps_agreed_wrong_add(&sum, &shares[rank].agreed.wrong);
        const ps_issue *issues = all->issues.row;
        const struct {
                const ps_lonely *found;
                uint64_t n;
                ps_issue_kind kind;
        } said[] = {{&sum.mismatched, sum.mismatched.count, PS_I_COLL_MISMATCH},
                    {&sum.incomplete, shares[0].agreed.n_incomplete, PS_I_COLL_INCOMPLETE},
                    {&sum.roots, shares[0].agreed.n_roots, PS_I_COLL_ROOT}};
        for (size_t i = 0; i < N(said); i++) {
                const ps_issue *issue = &issues[said[i].kind];
                assert_int_equal(said[i].n, issue->count);
                if (!issue->count)
                        continue;
                assert_int_equal(said[i].found->first.loc, issue->location);
                assert_int_equal(said[i].found->time, issue->time);
        }
}

/* Returns whether one process that has all finds anything wrong. */
static bool expect_same(const struct program *p, uint32_t size)
{
        struct share shares[PROCS] = {{.trace = NULL}};
        maker_shape shape = shape_of(p);
        ps_trace *all = match_collectives(&shape, p->rows, p->n);
        const ps_issue *issues = all->issues.row;
        bool is_wrong = issues[PS_I_COLL_MISMATCH].count || issues[PS_I_COLL_INCOMPLETE].count;
        for (uint32_t rank = 0; rank < size; rank++)
                make_share(&shares[rank], p, rank, size);
        crew_run(size, match_own, shares);
        for (uint32_t rank = 0; rank < size; rank++) {
                assert_true(shares[rank].agreed.agrees);
                expect_part(&shares[rank], all);
        }
        expect_wrong(shares, size, all);
        for (uint32_t rank = 0; rank < size; rank++) {
                ps_agreed_clear(&shares[rank].agreed);
                maker_free(shares[rank].trace);
        }
        maker_free(all);
        return is_wrong;
}

TEST(calls_that_all_members_make_belong_together_wherever_these_are)
{
        static struct program p;
        for (uint64_t seed = 1; seed <= 40; seed++) {
                make_program(&p, seed, 0);
                for (uint32_t size = 2; size <= PROCS; size++)
                        assert_false(expect_same(&p, size));
        }
}

TEST(calls_that_differ_are_put_in_step_as_by_one_who_has_them_all)
{
        static struct program p;
        unsigned n_wrong = 0;
        for (uint64_t seed = 1; seed <= 300; seed++) {
                make_program(&p, seed, 5 + (uint32_t)seed % 60);
                for (uint32_t size = 2; size <= PROCS; size++)
                        n_wrong += expect_same(&p, size);
        }
        assert_in_range(n_wrong, 600, 1200);
}
