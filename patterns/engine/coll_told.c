/* coll_told.c - the sums of collective operations in few bytes, for processes that have some of the members.
 *
 * A text of numbers for each process: 0 and an operation, then its members there, each by its location and 1.
 * Where those that are waited for have their rows elsewhere they stand behind all members that are here. */
#include "patterns/engine/coll_sums.h"

#include "core/base/memory.h"
#include "core/exchange/numbers.h"

#include <stdlib.h>
#include <string.h>

enum {
        IS_COMPLETE = 1 << 0,
        IS_FULL = 1 << 1,
        HAS_PAYLOAD = 1 << 2,
        HAS_OTHERS = 1 << 3,
        HAS_LATEST = 1 << 4,
        HAS_SENDER = 1 << 5,
        HAS_OTHER_SENDER = 1 << 6, /* than the latest */
        HAS_ROOT = 1 << 7
};

/* The text for one process, which begins with how much there is. */
struct told {
        uint32_t n_colls, n_members;
};

struct letter {
        struct told told;
        ps_numbers text;
        ps_time before;
        uint32_t last; /* the operation that was told last, plus 1 */
};

bool ps_coll_sums_are_plain(const ps_trace *trace)
{
        for (uint32_t c = 0; c < trace->n_colls; c++) {
                const ps_coll *coll = &trace->colls[c];
                ps_ref first = trace->members[coll->first].ref;
                if (coll->pgas || trace->defs.comms.row[coll->comm].inter ||
                    trace->defs.comms.row[coll->comm].team ||
                    ps_kinds[coll->kind].traits & (PS_T_PREFIX | PS_T_SPARSE | PS_T_RMA) ||
                    trace->ops[first.loc].flags[first.op] & PS_OP_NONBLOCKING)
                        return false;
        }
        return true;
}

/* -- telling -- */

static void put_ref(ps_numbers *text, ps_ref ref)
{
        ps_numbers_put(text, ref.loc);
        ps_numbers_put(text, ref.op);
}

static unsigned flags_of(const ps_coll *coll, const struct sum *sum)
{
        unsigned flags = 0;
        flags |= coll->complete ? IS_COMPLETE : 0U;
        flags |= sum->is_full ? IS_FULL : 0U;
        flags |= sum->has_payload ? HAS_PAYLOAD : 0U;
        flags |= coll->n > 1 ? HAS_OTHERS : 0U;
        flags |= sum->latest != PS_NONE ? HAS_LATEST : 0U;
        flags |= sum->latest_sender != PS_NONE ? HAS_SENDER : 0U;
        flags |= sum->latest_sender != PS_NONE && sum->latest_sender != sum->latest ? HAS_OTHER_SENDER : 0U;
        flags |= coll->root != PS_NONE ? HAS_ROOT : 0U;
        return flags;
}

static void put_coll(struct letter *to, const ps_coll_sums *s, uint32_t c)
{
        const ps_coll *coll = &s->trace->colls[c];
        const ps_member *members = s->trace->members;
        const struct sum *sum = &s->sum[c];
        ps_numbers *text = &to->text;
        unsigned flags = flags_of(coll, sum);
        ps_numbers_put(text, 0);
        ps_numbers_put(text, flags);
        ps_numbers_put(text, coll->kind);
        ps_numbers_put(text, coll->comm);
        ps_numbers_put_step(text, sum->latest_begin, &to->before);
        ps_time before = to->before;
        ps_numbers_put_step(text, sum->earliest_end, &before);
        if (flags & HAS_LATEST)
                put_ref(text, members[sum->latest].ref);
        before = to->before;
        if (flags & HAS_OTHER_SENDER) {
                ps_numbers_put_step(text, sum->latest_sender_begin, &before);
                put_ref(text, members[sum->latest_sender].ref);
        }
        if (flags & HAS_ROOT) {
                ps_numbers_put_step(text, ps_coll_sums_begin(s, coll, coll->root), &before);
                put_ref(text, members[coll->root].ref);
        }
        to->told.n_colls++;
        to->last = c + 1;
}

static void put_member(struct letter *to, const ps_coll_sums *s, uint32_t m)
{
        const ps_member *member = &s->trace->members[m];
        if (to->last != member->coll + 1)
                put_coll(to, s, member->coll);
        ps_numbers_put(&to->text, member->ref.loc + (uint64_t)1);
        ps_numbers_put(&to->text, member->ref.op);
        ps_numbers_put(&to->text, member->received);
        to->told.n_members++;
}

static ps_status make_pile(ps_pile *out, const struct letter *letters, uint32_t n_ours, ps_error *err)
{
        size_t n = 0;
        out->end = calloc(n_ours, sizeof(*out->end));
        if (!out->end)
                return PS_NOMEM(err, "processes", n_ours);
        for (uint32_t p = 0; p < n_ours; p++) {
                if (letters[p].text.lacks)
                        return PS_NOMEM(err, "collective operations", letters[p].text.n);
                out->end[p] = n += p ? sizeof(struct told) + letters[p].text.n : 0;
        }
        out->bytes = ps_memory_new(n + 1);
        if (!out->bytes)
                return PS_NOMEM(err, "collective operations", n);
        for (uint32_t p = 1; p < n_ours; p++) {
                uint8_t *at = out->bytes + out->end[p - 1];
                memcpy(at, &letters[p].told, sizeof(struct told));
                if (letters[p].text.n)
                        memcpy(at + sizeof(struct told), letters[p].text.row, letters[p].text.n);
        }
        return PS_OK;
}

ps_status ps_coll_sums_tell(ps_pile *out, const ps_coll_sums *s, const uint32_t *owner, uint32_t n_ours,
                            ps_error *err)
{
        const ps_location_def *locations = s->trace->defs.locations.row;
        struct letter *letters = calloc(n_ours, sizeof(*letters));
        *out = (ps_pile){NULL, NULL};
        if (!letters)
                return PS_NOMEM(err, "processes", n_ours);
        for (uint32_t m = 0; m < s->n_here; m++) {
                uint32_t to = owner[locations[s->trace->members[m].ref.loc].process];
                if (to)
                        put_member(&letters[to], s, m);
        }
        ps_status status = make_pile(out, letters, n_ours, err);
        for (uint32_t p = 0; p < n_ours; p++)
                free(letters[p].text.row);
        free(letters);
        return status;
}

/* -- hearing -- */

/* Who is waited for in an operation, until its members are known. */
struct awaited {
        ps_ref latest, sender, root;
        ps_time root_begin;
};

struct hearing {
        ps_trace *trace;
        ps_coll_sums *s;
        const uint32_t *owner;
        uint32_t rank;
        uint32_t n_colls, n_members, n_awaited;
        struct awaited awaited;
};

static ps_ref take_ref(const uint8_t **at)
{
        ps_loc loc = (ps_loc)ps_numbers_take(at);
        return (ps_ref){loc, (ps_op)ps_numbers_take(at)};
}

/* The member whose row it is; of rows elsewhere a new one. */
static uint32_t member_at(struct hearing *h, ps_ref ref, ps_time begin)
{
        if (ref.op == PS_NONE)
                return PS_NONE;
        if (h->owner[h->trace->defs.locations.row[ref.loc].process] == h->rank)
                return h->trace->ops[ref.loc].link[ref.op];
        uint32_t member = h->s->n_here + h->n_awaited;
        h->s->members[member] = (ps_member){.ref = ref, .coll = h->n_colls - 1};
        h->s->begin[h->n_awaited++] = begin;
        return member;
}

/* All members of the last operation are known. */
static void end_coll(struct hearing *h)
{
        if (!h->n_colls)
                return;
        ps_coll *coll = &h->s->colls[h->n_colls - 1];
        struct sum *sum = &h->s->sum[h->n_colls - 1];
        const struct awaited *a = &h->awaited;
        sum->latest = member_at(h, a->latest, sum->latest_begin);
        sum->latest_sender = ps_refs_compare(&a->latest, &a->sender)
                                     ? member_at(h, a->sender, sum->latest_sender_begin)
                                     : sum->latest;
        coll->root = member_at(h, a->root, a->root_begin);
}

static void take_coll(struct hearing *h, const uint8_t **at, ps_time *before)
{
        static const ps_ref nobody = {PS_NONE, PS_NONE};
        struct awaited *a = &h->awaited;
        unsigned flags = (unsigned)ps_numbers_take(at);
        ps_coll *coll = &h->s->colls[h->n_colls];
        struct sum *sum = &h->s->sum[h->n_colls++];
        uint8_t kind = (uint8_t)ps_numbers_take(at);
        *coll = (ps_coll){.comm = (ps_comm)ps_numbers_take(at),
                          .n = flags & HAS_OTHERS ? 2 : 1,
                          .kind = kind,
                          .complete = (flags & IS_COMPLETE) != 0};
        ps_time latest = ps_numbers_take_step(at, before), step = latest;
        *sum = (struct sum){.latest_begin = latest,
                            .earliest_end = ps_numbers_take_step(at, &step),
                            .latest_sender_begin = flags & HAS_SENDER ? latest : PS_NEVER_BEGUN,
                            .latest_back = PS_NONE,
                            .other = PS_NONE,
                            .is_full = (flags & IS_FULL) != 0,
                            .has_payload = (flags & HAS_PAYLOAD) != 0};
        a->latest = flags & HAS_LATEST ? take_ref(at) : nobody;
        a->sender = flags & HAS_SENDER ? a->latest : nobody;
        step = latest;
        if (flags & HAS_OTHER_SENDER) {
                sum->latest_sender_begin = ps_numbers_take_step(at, &step);
                a->sender = take_ref(at);
        }
        a->root_begin = flags & HAS_ROOT ? ps_numbers_take_step(at, &step) : PS_NEVER_BEGUN;
        a->root = flags & HAS_ROOT ? take_ref(at) : nobody;
}

static void take_member(struct hearing *h, const uint8_t **at, ps_loc location)
{
        ps_op op = (ps_op)ps_numbers_take(at);
        const ps_ops *ops = &h->trace->ops[location];
        ops->link[op] = h->n_members;
        ops->flags[op] |= PS_OP_MATCHED;
        h->s->members[h->n_members++] =
                (ps_member){.ref = {location, op}, .coll = h->n_colls - 1, .received = ps_numbers_take(at)};
}

/* Three of an operation may be elsewhere. */
static ps_status make_tables(ps_coll_sums *s, const struct told *told, ps_error *err)
{
        size_t n_awaited = 3 * (size_t)told->n_colls + 1;
        s->n_here = told->n_members;
        s->colls = ps_memory_new((told->n_colls + (size_t)1) * sizeof(*s->colls));
        s->sum = ps_memory_new((told->n_colls + (size_t)1) * sizeof(*s->sum));
        s->members = ps_memory_new((told->n_members + n_awaited) * sizeof(*s->members));
        s->begin = ps_memory_new(n_awaited * sizeof(*s->begin));
        return s->colls && s->sum && s->members && s->begin
                       ? PS_OK
                       : PS_NOMEM(err, "collective operations", told->n_colls);
}

static void read_text(struct hearing *h, const uint8_t *at, const uint8_t *end)
{
        ps_time before = 0;
        while (at < end) {
                uint64_t location = ps_numbers_take(&at);
                if (location) {
                        take_member(h, &at, (ps_loc)(location - 1));
                        continue;
                }
                end_coll(h);
                take_coll(h, &at, &before);
        }
        end_coll(h);
}

ps_status ps_coll_sums_hear(ps_coll_sums **out, ps_trace *trace, const uint32_t *owner, uint32_t rank,
                            const ps_pile *in, ps_error *err)
{
        struct told told;
        size_t n;
        const uint8_t *bytes = ps_pile_part(in, 0, &n);
        ps_coll_sums *s = *out = calloc(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "collective operations", 1);
        memcpy(&told, bytes, sizeof(told));
        *s = (ps_coll_sums){.trace = trace, .timing = &trace->measured};
        PS_TRY(make_tables(s, &told, err));
        struct hearing h = {.trace = trace, .s = s, .owner = owner, .rank = rank};
        read_text(&h, bytes + sizeof(told), bytes + n);
        trace->colls = s->colls;
        trace->n_colls = h.n_colls;
        trace->members = s->members;
        trace->n_members = h.n_members;
        return PS_OK;
}

void ps_coll_sums_untie(const ps_coll_sums *s)
{
        for (uint32_t m = 0; s && s->members && m < s->trace->n_members; m++) {
                ps_ref ref = s->members[m].ref;
                s->trace->ops[ref.loc].flags[ref.op] &= (uint8_t)~PS_OP_MATCHED;
        }
}
