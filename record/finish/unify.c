/* unify.c - which communicators, windows and groups of several processes are the same.
 *
 * All members of a communicator make it by the same call of the same one, in the same order; so what was made
 * in the same way, of the same one, with the same members, for the n-th time, is the same. */
#include "core/base/number.h"
#include "record/finish/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_ROOM = 96 };

/* The number of (a, b) among those of its kind; `*is_new`: it is `next`. */
static ps_status number_of_pair(ps_map *map, uint32_t a, uint32_t b, uint32_t next, uint32_t *out,
                                bool *is_new, ps_error *err)
{
        size_t before = map->n;
        ps_time *value = ps_map_at(map, a, b, next);
        if (!value)
                return PS_NOMEM(err, "definitions", before);
        *out = (uint32_t)*value;
        *is_new = map->n > before;
        return PS_OK;
}

static ps_status group_id(ps_raw_run *run, const char *members, bool is_self, uint32_t *out, ps_error *err)
{
        bool is_new;
        ps_str text = ps_strings_addz(run->texts, members);
        if (text == PS_NONE)
                return PS_NOMEM(err, "strings", 1);
        PS_TRY(number_of_pair(&run->keys[PS_RAW_GROUP_IDS], text, is_self, run->groups.n, out, &is_new, err));
        if (is_new && PS_PUSH(run->groups, (ps_raw_run_group){ps_strings_get(run->texts, text), is_self}))
                return PS_NOMEM(err, "groups", run->groups.n);
        return PS_OK;
}

/* What all members of a communicator say of how it was made. */
static ps_str key_of(ps_raw_run *run, const ps_raw_comm *comm, const char *members, const char *remote,
                     uint32_t parent)
{
        size_t n = strlen(members) + strlen(remote) + HEAD_ROOM;
        char *text = malloc(n);
        if (!text)
                return PS_NONE;
        snprintf(text, n, "%.32s %u %d:%s|%s", comm->how, parent, comm->tag, members, remote);
        ps_str key = ps_strings_addz(run->texts, text);
        free(text);
        return key;
}

static const char *name_of(const ps_raw_comm *comm, char *room, size_t size, uint32_t id)
{
        if (strcmp(comm->how, "world") == 0)
                return "MPI_COMM_WORLD";
        if (strcmp(comm->how, "self") == 0)
                return "MPI_COMM_SELF";
        snprintf(room, size, "%.32s %u", comm->how, id);
        return room;
}

static ps_status define_communicator(ps_raw_run *run, const ps_raw_comm *comm, const char *members,
                                     const char *remote, uint32_t parent, ps_error *err)
{
        char room[HEAD_ROOM];
        bool is_world = strcmp(comm->how, "world") == 0, is_self = strcmp(comm->how, "self") == 0;
        bool same = !comm->members && !is_world && !is_self;
        ps_raw_run_comm row = {
                .name = ps_strings_addz(run->strings, name_of(comm, room, sizeof(room), comm->id)),
                .parent = is_world || is_self ? PS_NONE : parent,
                .group = same ? run->comms.row[parent].group : 0,
                .group_b = PS_NONE};
        if (!same)
                PS_TRY(group_id(run, is_self ? "" : members, is_self, &row.group, err));
        if (*remote)
                PS_TRY(group_id(run, remote, 0, &row.group_b, err));
        if (row.name == PS_NONE || PS_PUSH(run->comms, row))
                return PS_NOMEM(err, "communicators", run->comms.n);
        return PS_OK;
}

/* All ranks: the members of the world, as other communicators' are told. */
static const char *world_of(ps_raw_run *run)
{
        size_t room = (size_t)run->size * 9 + 1, at = 0;
        char *text = ps_arena_alloc(run->arena, room, 1);
        for (uint32_t i = 0; text && i < run->size; i++)
                at += (size_t)snprintf(text + at, room - at, i ? " %u" : "%u", i);
        return text;
}

static uint64_t first_of(const char *members)
{
        uint64_t rank;
        return ps_number_whole(&members, UINT64_MAX, &rank) ? rank : UINT64_MAX;
}

static ps_status unify_comm(ps_raw_run *run, ps_process *process, ps_raw_comm *comm, const char *world,
                            ps_map *times, ps_error *err)
{
        const char *members = comm->members ? comm->members : "=", *remote = comm->remote ? comm->remote : "";
        uint32_t parent = comm == process->comms.row ? 0 : process->comms.row[comm->parent].id;
        if (strcmp(comm->how, "world") == 0)
                members = world;
        if (*remote && first_of(remote) < first_of(members)) { /* as both sides see it */
                const char *other = members;
                members = remote;
                remote = other;
        }
        ps_str key = key_of(run, comm, members, remote, parent);
        ps_time *before = key == PS_NONE ? NULL : ps_map_at(times, key, 0, 0);
        bool is_new;
        if (!before)
                return PS_NOMEM(err, "communicators", run->comms.n);
        PS_TRY(number_of_pair(&run->keys[PS_RAW_COMM_IDS], key, (uint32_t)(*before)++, run->comms.n,
                              &comm->id, &is_new, err));
        return is_new ? define_communicator(run, comm, members, remote, parent, err) : PS_OK;
}

static ps_status unify_windows(ps_raw_run *run, ps_process *process, ps_map *times, ps_error *err)
{
        for (uint32_t i = 0; i < process->windows.n; i++) {
                ps_raw_window *window = &process->windows.row[i];
                uint32_t comm = process->comms.row[window->comm].id;
                ps_time *before = ps_map_at(times, comm, 1, 0);
                bool is_new;
                if (!before)
                        return PS_NOMEM(err, "windows", run->windows.n);
                PS_TRY(number_of_pair(&run->keys[PS_RAW_WINDOW_IDS], comm, (uint32_t)(*before)++,
                                      run->windows.n, &window->id, &is_new, err));
                if (is_new && PS_PUSH(run->windows, comm))
                        return PS_NOMEM(err, "windows", run->windows.n);
        }
        return PS_OK;
}

static ps_status unify_process(ps_raw_run *run, ps_process *process, const char *world, ps_error *err)
{
        ps_map times = {0}; /* how often something was made before */
        ps_status status = PS_OK;
        for (uint32_t i = 0; i < process->comms.n && status == PS_OK; i++)
                status = unify_comm(run, process, &process->comms.row[i], world, &times, err);
        ps_map_free(&times);
        PS_THEN(status, unify_windows(run, process, &times, err));
        ps_map_free(&times);
        for (uint32_t i = 0; i < process->groups.n && status == PS_OK; i++)
                status = group_id(run, process->groups.row[i].members ? process->groups.row[i].members : "",
                                  0, &process->groups.row[i].id, err);
        return status;
}

ps_status ps_raw_run_unify(ps_raw_run *run, ps_error *err)
{
        const char *world = world_of(run);
        if (!world)
                return PS_NOMEM(err, "ranks", run->size);
        for (uint32_t i = 0; i < run->processes.n; i++)
                PS_TRY(unify_process(run, &run->processes.row[i], world, err));
        return PS_OK;
}
