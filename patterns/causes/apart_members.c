/* apart_members.c - apart.h: who takes part in collective operations whose members are in several processes.
 *
 * Rows stay away only where each process makes calls on one location. Mostly all members of a communicator
 * take part, but for those who exchange nothing where only who does waits for others: those are told to all.
 * Of operations without some of their members, which are rare, those are told who do take part.
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

static uint64_t absence(const struct delaying *d, uint32_t coll, ps_loc loc)
{
        return (uint64_t)d->trace->spread->agreed.id[coll] << 32 | d->trace->defs.locations.row[loc].process;
}

static bool is_complete(const struct delaying *d, uint32_t coll)
{
        return d->trace->colls[coll].complete;
}

/* Only of these it is asked. */
static bool may_hold_all(const struct delaying *d, uint32_t coll)
{
        return is_shared(d, coll) && ps_kinds[d->trace->colls[coll].kind].traits &
                                             (PS_T_BARRIER | PS_T_ALL_TO_ALL | PS_T_LIFE | PS_T_RMA);
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

ps_status ps_apart_tell_absent(struct delaying *d, const uint8_t *membership, uint8_t takes_part,
                               ps_status status, ps_error *err)
{
        struct apart *a = d->apart;
        ps_pile all = {NULL, NULL};
        numbers mine = {0};
        PS_THEN(status, list_absent(&mine, d, membership, takes_part, err));
        status = ps_exchange_agree(a->x, status, err);
        PS_THEN(status, ps_exchange_gather(a->x, &all, mine.row, mine.n * sizeof(*mine.row), err));
        free(mine.row);
        status = ps_exchange_agree(a->x, status, err);
        if (status != PS_OK) {
                ps_pile_clear(&all);
                return status;
        }
        uint64_t n = all.end && !a->x->rank ? all.end[a->x->size - 1] : 0;
        ps_exchange_broadcast(a->x, &n, sizeof(n));
        a->absent = ps_memory_new(n + 1);
        a->n_absent = (uint32_t)(n / sizeof(*a->absent));
        if (a->absent && n && all.bytes)
                memcpy(a->absent, all.bytes, n);
        ps_pile_clear(&all);
        status = ps_exchange_agree(a->x, a->absent ? PS_OK : PS_NOMEM(err, "collective operations", n), err);
        if (status != PS_OK || !a->absent)
                return status;
        ps_exchange_broadcast(a->x, a->absent, n);
        if (n)
                qsort(a->absent, a->n_absent, sizeof(*a->absent), compare_numbers);
        return PS_OK;
}

bool ps_apart_takes_part(const struct delaying *d, uint32_t coll, ps_loc other)
{
        const struct apart *a = d->apart;
        const ps_comm comm = d->trace->colls[coll].comm;
        const ps_comm_def *def = &d->trace->defs.comms.row[comm];
        const uint32_t process = d->trace->defs.locations.row[other].process,
                       *members = a->members[comm] ? a->members[comm] : def->members;
        const uint64_t key = absence(d, coll, other);
        const bool is_listed =
                a->n_absent && bsearch(&key, a->absent, a->n_absent, sizeof(key), compare_numbers);
        return is_shared(d, coll) && is_listed != is_complete(d, coll) &&
               bsearch(&process, members, count_members(def), sizeof(*members), compare_processes);
}
