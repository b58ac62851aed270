/* topology.c - see topology.h.
 *
 * `patscan record` tells of each process, and of each communicator with a topology, the ranks whose data it
 * gets: a property "PATSCAN::NEIGHBOURS:7" of the process, for communicator 7, with the text "1 3". Many
 * processes may share a text, which is read once, so that memory follows the size of the file. */
#include "reader/otf2/topology.h"

#include "core/base/map.h"
#include "core/base/number.h"
#include "core/base/search.h"
#include "reader/otf2/comms.h"

#include <stdlib.h>
#include <string.h>

/* What is told of a process; later of its rank. */
typedef struct told {
        const uint32_t *members; /* of the communicator */
        ps_comm comm;
        ps_proc process;
        uint32_t list;
        const ps_otf2_def *def;
} told;

typedef struct topology {
        const ps_otf2_names *names;
        const ps_otf2_defs *raw;
        ps_defs *defs;
        ps_issues *issues;
        ps_error *err;
        PS_VECTOR(told) told;
        ps_map lists;      /* by text */
        uint32_t *rank_of; /* by process, in `of`; PS_NONE: it is no member */
        const uint32_t *of;
} topology;

#define ROWS(t, which)  ((t)->raw->table[which].row)
#define COUNT(t, which) ((t)->raw->table[which].n)

static void note(topology *t, const ps_otf2_def *def, ps_issue_kind kind)
{
        ps_otf2_defs_note(t->raw, def, kind, t->issues);
}

/* Numbers with a blank between them. */
static bool read_ranks(const char *text, uint32_t *ranks, uint32_t *n)
{
        uint64_t rank;
        for (*n = 0; *text; text += *text == ' ' && text[1]) {
                if (!ps_number_whole(&text, PS_NONE - 1, &rank) || (*text && *text != ' '))
                        return false;
                ranks[(*n)++] = (uint32_t)rank;
        }
        return true;
}

/* `*out` is PS_NONE when the text makes no sense. */
static ps_status list_of(topology *t, ps_str text, uint32_t *out)
{
        size_t before = t->lists.n;
        ps_time *known = ps_map_at(&t->lists, text, 0, PS_NONE);
        if (!known)
                return PS_NOMEM(t->err, "neighbours", before);
        *out = (uint32_t)*known;
        if (t->lists.n == before)
                return PS_OK;
        const char *ranks = ps_defs_str(t->defs, text);
        uint32_t n, *row = malloc((strlen(ranks) / 2 + 1) * sizeof(*row));
        if (!row)
                return PS_NOMEM(t->err, "neighbours", strlen(ranks));
        ps_status status =
                read_ranks(ranks, row, &n) ? ps_near_add_list(t->defs, row, n, out, t->err) : PS_OK;
        free(row);
        *known = *out;
        return status;
}

/* Is the property about a communicator? Which, or PS_NONE. */
static bool names_comm(topology *t, const ps_otf2_def *def, ps_comm *out)
{
        static const char prefix[] = "PATSCAN::NEIGHBOURS:";
        const char *name =
                ps_defs_str(t->defs, ps_otf2_string(t->raw, def, def->v[PS_OTF2_PROPERTY_NAME], t->issues));
        uint64_t id;
        if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
                return false;
        name += sizeof(prefix) - 1;
        const ps_otf2_def *comm = ps_number_whole(&name, PS_OTF2_UNDEFINED - 1, &id) && !*name
                                          ? ps_otf2_defs_find(t->raw, PS_OTF2_COMM, id)
                                          : NULL;
        *out = comm ? (ps_comm)(comm - ROWS(t, PS_OTF2_COMM)) : PS_NONE;
        return true;
}

static ps_status take_property(topology *t, const ps_otf2_def *def)
{
        ps_comm comm;
        if (!names_comm(t, def, &comm))
                return PS_OK;
        const ps_otf2_def *group = ps_otf2_defs_find(t->raw, PS_OTF2_PROCESS, def->v[PS_OTF2_PROPERTY_OF]);
        if (comm == PS_NONE || !group) {
                note(t, def, PS_I_DEF_UNKNOWN);
                return PS_OK;
        }
        const ps_comm_def *of = &t->defs->comms.row[comm];
        told row = {of->members, comm, t->names->process[group - ROWS(t, PS_OTF2_PROCESS)], PS_NONE, def};
        if (of->self)
                return PS_OK; /* nobody has neighbours there but oneself */
        PS_TRY(list_of(t, ps_otf2_string(t->raw, def, def->v[PS_OTF2_PROPERTY_TEXT], t->issues), &row.list));
        if (row.list == PS_NONE || of->team || of->inter)
                note(t, def, PS_I_DEF_INVALID);
        else if (PS_PUSH(t->told, row))
                return PS_NOMEM(t->err, "neighbours", t->told.n);
        return PS_OK;
}

static int by_comm(const void *a, const void *b)
{
        const told *x = a, *y = b;
        uintptr_t p = (uintptr_t)x->members, q = (uintptr_t)y->members;
        PS_ORDER_BY(p, q);
        PS_ORDER_BY(x->comm, y->comm);
        PS_ORDER_BY(x->process, y->process);
        return PS_ORDER(x->def, y->def);
}

/* Communicators of one group come one after the other, so that each group is gone through once. */
static void learn_ranks(topology *t, const ps_comm_def *comm)
{
        if (t->of == comm->members)
                return;
        t->of = comm->members;
        for (ps_proc p = 0; p < t->defs->processes.n; p++)
                t->rank_of[p] = PS_NONE;
        for (uint32_t rank = comm->n_members; rank-- > 0;)
                if (comm->members[rank] != PS_NONE)
                        t->rank_of[comm->members[rank]] = rank;
}

static bool has_all(const ps_defs *defs, const ps_comm_def *comm, uint32_t list)
{
        uint32_t n = defs->near_lists.row[list];
        return !n || defs->near_lists.row[list + n] < comm->n_members;
}

/* Of the rows of one communicator those that make sense, of several of a process the first one. */
static uint32_t take_rows(topology *t, const told *row, uint32_t n, ps_near *out)
{
        const ps_comm_def *comm = &t->defs->comms.row[row->comm];
        uint32_t kept = 0;
        learn_ranks(t, comm);
        for (uint32_t i = 0; i < n; i++) {
                uint32_t rank = t->rank_of[row[i].process];
                if (rank == PS_NONE || !has_all(t->defs, comm, row[i].list))
                        note(t, row[i].def, PS_I_DEF_UNKNOWN);
                if (i && row[i].process == row[i - 1].process) {
                        if (row[i].list != row[i - 1].list)
                                note(t, row[i].def, PS_I_DEF_DUPLICATE);
                } else if (rank != PS_NONE) {
                        out[kept++] = (ps_near){rank, row[i].list};
                }
        }
        return kept;
}

static ps_status take_told(topology *t, ps_near *room)
{
        uint32_t n = t->told.n, end;
        const told *row = t->told.row;
        for (uint32_t first = 0; first < n; first = end) {
                end = first + 1;
                while (end < n && row[end].comm == row[first].comm)
                        end++;
                uint32_t kept = take_rows(t, row + first, end - first, room);
                if (kept)
                        PS_TRY(ps_near_set(t->defs, row[first].comm, room, kept, t->err));
        }
        return PS_OK;
}

static ps_status resolve_told(topology *t)
{
        uint32_t n = t->told.n;
        if (!n)
                return PS_OK;
        qsort(t->told.row, n, sizeof(*t->told.row), by_comm);
        ps_near *room = malloc(n * sizeof(*room));
        t->rank_of = malloc(((size_t)t->defs->processes.n + 1) * sizeof(*t->rank_of));
        ps_status status = room && t->rank_of ? take_told(t, room) : PS_NOMEM(t->err, "neighbours", n);
        free(room);
        free(t->rank_of);
        return status;
}

ps_status ps_otf2_resolve_topology(const ps_otf2_names *names, const ps_otf2_defs *raw, ps_defs *defs,
                                   ps_issues *issues, ps_error *err)
{
        topology t = {.names = names, .raw = raw, .defs = defs, .issues = issues, .err = err};
        ps_status status = PS_OK;
        for (uint32_t i = 0; i < COUNT(&t, PS_OTF2_PROCESS_PROPERTY) && status == PS_OK; i++)
                status = take_property(&t, &ROWS(&t, PS_OTF2_PROCESS_PROPERTY)[i]);
        PS_THEN(status, resolve_told(&t));
        free(t.told.row);
        ps_map_free(&t.lists);
        return status;
}
