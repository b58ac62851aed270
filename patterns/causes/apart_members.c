/* apart_members.c - apart.h: who takes part in collective operations whose members are in several processes.
 *
 * Mostly all members of a communicator take part, but for those who exchange nothing where only who does
 * waits for others: those are told to all. Of operations without some of their members, which are rare, those
 * are told who do take part. Each takes part on the first location of its process, unless that tells that
 * another thread has made the calls from one on.
 */
#include "patterns/causes/apart.h"

#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(const void *a, const void *b)
{
        return PS_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int compare_processes(const void *a, const void *b)
{
        return PS_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Of both groups, where there are two. */
static uint32_t count_members(const ps_comm_def *comm)
{
        return comm->n_members + comm->n_members_b;
}

static bool are_rising(const ps_comm_def *comm)
{
        uint32_t rising = 1;
        while (rising < comm->n_members && comm->members[rising - 1] <= comm->members[rising])
                rising++;
        return rising >= comm->n_members && !comm->n_members_b;
}

static ps_status sort_members(const struct delaying *d, ps_error *err)
{
        const ps_defs *defs = &d->trace->defs;
        uint32_t **sorted = d->apart->members = calloc(defs->comms.n + (size_t)1, sizeof(*sorted));
        if (!sorted)
                return PS_NOMEM(err, "communicators", defs->comms.n);
        for (ps_comm c = 0; c < defs->comms.n; c++) {
                const ps_comm_def *comm = &defs->comms.row[c];
                const uint32_t n = count_members(comm);
                if (are_rising(comm))
                        continue;
                uint32_t *all = sorted[c] = ps_memory_new(n * sizeof(*all));
                if (!all)
                        return PS_NOMEM(err, "communicators", n);
                memcpy(all, comm->members, comm->n_members * sizeof(*all));
                if (comm->n_members_b)
                        memcpy(all + comm->n_members, comm->members_b, comm->n_members_b * sizeof(*all));
                qsort(all, n, sizeof(*all), compare_processes);
        }
        return PS_OK;
}

/* Are its members locations? So it is where several threads of a PGAS program share a process. */
static bool is_of_locations(const struct delaying *d, uint32_t coll)
{
        return d->trace->defs.comms.row[d->trace->colls[coll].comm].team;
}

/* Whose call it is, as the communicator names its members. */
static uint32_t caller_of(const struct delaying *d, uint32_t coll, ps_loc loc)
{
        return is_of_locations(d, coll) ? loc : d->trace->defs.locations.row[loc].process;
}

static uint64_t absence(const struct delaying *d, uint32_t coll, ps_loc loc)
{
        return (uint64_t)d->trace->spread->agreed.id[coll] << 32 | caller_of(d, coll, loc);
}

static bool is_complete(const struct delaying *d, uint32_t coll)
{
        return d->trace->colls[coll].complete;
}

/* Only of these it is asked. */
static bool may_hold_all(const struct delaying *d, uint32_t coll)
{
        const ps_coll *c = &d->trace->colls[coll];
        return is_shared(d, coll) && (c->pgas || ps_kinds[c->kind].traits & (PS_T_BARRIER | PS_T_ALL_TO_ALL |
                                                                             PS_T_LIFE | PS_T_RMA));
}

/* All of them together: rows that each has become what all have. */
static ps_status tell_all(ps_exchange *x, ps_status status, const void *mine, size_t n_mine, void **out,
                          uint64_t *n, ps_error *err)
{
        ps_pile all = {NULL, NULL};
        status = ps_exchange_agree(x, status, err);
        PS_THEN(status, ps_exchange_gather(x, &all, mine, n_mine, err));
        status = ps_exchange_agree(x, status, err);
        if (status == PS_OK) {
                *n = all.end && !x->rank ? all.end[x->size - 1] : 0;
                ps_exchange_broadcast(x, n, sizeof(*n));
                *out = ps_memory_new(*n + 1);
                if (*out && *n && all.bytes)
                        memcpy(*out, all.bytes, *n);
                status = ps_exchange_agree(x, *out ? PS_OK : PS_NOMEM(err, "collective operations", *n), err);
        }
        ps_pile_clear(&all);
        if (status == PS_OK && *out)
                ps_exchange_broadcast(x, *out, *n);
        return status;
}

typedef PS_VECTOR(uint64_t) numbers;

static ps_status list_absent(numbers *out, const struct delaying *d, const uint8_t *membership,
                             uint8_t takes_part, ps_error *err)
{
        for (uint32_t i = 0; i < d->trace->n_members; i++) {
                const ps_member *member = &d->trace->members[i];
                const bool takes = membership[i] & takes_part;
                if (takes != is_complete(d, member->coll) && may_hold_all(d, member->coll) &&
                    PS_PUSH(*out, absence(d, member->coll, member->ref.loc)))
                        return PS_NOMEM(err, "collective operations", out->n);
        }
        return sort_members(d, err);
}

static ps_status tell_absent(struct delaying *d, const uint8_t *membership, uint8_t takes_part,
                             ps_status status, ps_error *err)
{
        struct apart *a = d->apart;
        numbers mine = {0};
        void *all = NULL;
        uint64_t n = 0;
        PS_THEN(status, list_absent(&mine, d, membership, takes_part, err));
        status = tell_all(a->x, status, mine.row, mine.n * sizeof(*mine.row), &all, &n, err);
        free(mine.row);
        a->absent = all;
        a->n_absent = status == PS_OK ? (uint32_t)(n / sizeof(*a->absent)) : 0;
        if (a->n_absent)
                qsort(a->absent, a->n_absent, sizeof(*a->absent), compare_numbers);
        return status;
}

/* -- threads -- */

/* From this operation of a communicator on, until the next such row, a process makes its calls there on this
 * location. */
struct calling {
        ps_comm comm;
        uint32_t process, id;
        ps_loc loc;
};

static int compare_callings(const void *a, const void *b)
{
        const struct calling *x = a, *y = b;
        PS_ORDER_BY(x->comm, y->comm);
        PS_ORDER_BY(x->process, y->process);
        return PS_ORDER(x->id, y->id);
}

static ps_loc first_location(const ps_defs *defs, uint32_t process)
{
        return defs->by_process[defs->processes.row[process].first];
}

typedef PS_VECTOR(struct calling) callings;

static ps_status list_callings(callings *out, const struct delaying *d, ps_error *err)
{
        const ps_trace *trace = d->trace;
        for (uint32_t i = 0; i < trace->n_members; i++) {
                const ps_member *m = &trace->members[i];
                if (is_shared(d, m->coll) && !is_of_locations(d, m->coll) &&
                    PS_PUSH(*out, ((struct calling){trace->colls[m->coll].comm,
                                                    trace->defs.locations.row[m->ref.loc].process,
                                                    trace->spread->agreed.id[m->coll], m->ref.loc})))
                        return PS_NOMEM(err, "collective operations", out->n);
        }
        if (out->n)
                qsort(out->row, out->n, sizeof(*out->row), compare_callings);
        return PS_OK;
}

/* Leaves those with which the location changes. */
static void keep_changes(callings *list, const ps_defs *defs)
{
        struct calling before = {.comm = PS_NONE};
        uint32_t n = 0;
        for (uint32_t i = 0; i < list->n; i++) {
                const struct calling c = list->row[i];
                const bool goes_on = c.comm == before.comm && c.process == before.process;
                if (c.loc != (goes_on ? before.loc : first_location(defs, c.process)))
                        list->row[n++] = c;
                before = c;
        }
        list->n = n;
}

static bool has_threads(const ps_defs *defs)
{
        return defs->locations.n > defs->processes.n;
}

static ps_status tell_callings(struct delaying *d, ps_error *err)
{
        struct apart *a = d->apart;
        const ps_defs *defs = &d->trace->defs;
        callings mine = {0};
        void *all = NULL;
        uint64_t n = 0;
        if (!has_threads(defs))
                return PS_OK;
        ps_status status = list_callings(&mine, d, err);
        if (status == PS_OK)
                keep_changes(&mine, defs);
        status = tell_all(a->x, status, mine.row, mine.n * sizeof(*mine.row), &all, &n, err);
        free(mine.row);
        a->calling = all;
        a->n_callings = status == PS_OK ? (uint32_t)(n / sizeof(*a->calling)) : 0;
        if (a->n_callings)
                qsort(a->calling, a->n_callings, sizeof(*a->calling), compare_callings);
        return status;
}

/* The location on which a process of elsewhere has made its call of the operation. */
static ps_loc calling_location(const struct delaying *d, ps_comm comm, uint32_t process, uint32_t id)
{
        const struct apart *a = d->apart;
        const struct calling wanted = {comm, process, id, 0};
        uint32_t n = 0;
        if (!a->n_callings)
                return first_location(&d->trace->defs, process);
        PS_SEARCH(n, a->n_callings, i, compare_callings(&a->calling[i], &wanted) <= 0);
        const struct calling *last = n ? &a->calling[n - 1] : NULL;
        return last && last->comm == comm && last->process == process
                       ? last->loc
                       : first_location(&d->trace->defs, process);
}

ps_status ps_apart_tell_members(struct delaying *d, const uint8_t *membership, uint8_t takes_part,
                                ps_status status, ps_error *err)
{
        PS_TRY(tell_absent(d, membership, takes_part, status, err));
        return tell_callings(d, err);
}

/* Mostly all processes are members, each at its own number. */
static bool is_member(const uint32_t *members, uint32_t n, uint32_t caller)
{
        return (caller < n && members[caller] == caller) ||
               bsearch(&caller, members, n, sizeof(*members), compare_processes);
}

bool ps_apart_takes_part(const struct delaying *d, uint32_t coll, ps_loc other)
{
        const struct apart *a = d->apart;
        const ps_comm comm = d->trace->colls[coll].comm;
        const ps_comm_def *def = &d->trace->defs.comms.row[comm];
        const uint32_t caller = caller_of(d, coll, other),
                       *members = a->members[comm] ? a->members[comm] : def->members;
        const uint64_t key = absence(d, coll, other);
        const bool is_listed =
                a->n_absent && bsearch(&key, a->absent, a->n_absent, sizeof(key), compare_numbers);
        return is_shared(d, coll) && is_listed != is_complete(d, coll) &&
               (def->team || calling_location(d, comm, caller, d->trace->spread->agreed.id[coll]) == other) &&
               is_member(members, count_members(def), caller);
}
