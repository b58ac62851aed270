/* log.c - see log.h. */
#include "reader/picl/log.h"
#include "reader/picl/deal.h"

#include "core/base/memory.h"
#include "core/base/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A slab's head keeps what follows it aligned; place.n never reaches 2^32, as the blocks hold less. */
enum { FIRST_SLAB = PS_AT_ONCE(1 << 16, 1 << 12), SLAB_HEAD = 64 };

_Static_assert(sizeof(ps_picl_slab) <= SLAB_HEAD, "the head has room");

ps_status ps_picl_log_init(ps_picl_log *log, const char *path, ps_defs *defs, ps_issues *issues,
                           ps_error *err)
{
        memset(log, 0, sizeof(*log));
        log->defs = defs;
        log->issues = issues;
        log->end = INT64_MIN;
        log->file = ps_strings_addz(defs->strings, path);
        for (unsigned i = 0; i < PS_PICL_E_COUNT; i++)
                log->region_of_row[i] = PS_NONE;
        return log->file == PS_NONE ? PS_NOMEM(err, "strings", 1) : PS_OK;
}

void ps_picl_log_free(ps_picl_log *log)
{
        for (ps_picl_slab *slab = log->slab, *older; slab; slab = older) {
                older = slab->older;
                free(slab);
        }
        free(log->place);
        free(log->region);
        free(log->subset);
        free(log->member);
        ps_map_free(&log->place_of);
        ps_map_free(&log->region_of);
        ps_map_free(&log->subset_of);
}

void ps_picl_note(const ps_picl_log *log, ps_issue_kind kind, uint64_t line)
{
        ps_issue_note(log->issues, kind, (ps_place){PS_NONE, log->file, line, INT64_MIN});
}

/* A slab with room for `bytes`; slabs grow with the trace up to a large page. */
static ps_picl_slab *make_slab_room(ps_picl_log *log, size_t bytes)
{
        ps_picl_slab *old = log->slab;
        if (old && old->size - old->used >= bytes)
                return old;
        size_t size = old ? old->size * 2 : FIRST_SLAB;
        size = size < PS_LARGE_PAGE ? size : PS_LARGE_PAGE;
        size = size < bytes + SLAB_HEAD ? bytes + SLAB_HEAD : size;
        ps_picl_slab *slab = ps_memory_new(size);
        if (slab)
                *slab = (ps_picl_slab){old, SLAB_HEAD, size};
        return slab;
}

ps_status ps_picl_place_grow(ps_picl_log *log, ps_picl_place *place, ps_error *err)
{
        if (place->owner && place->n_blocks) {
                ps_picl_deal_place(log, place);
                return PS_OK;
        }
        size_t n = (size_t)1 << (PS_PICL_FIRST_BLOCK + place->n_blocks);
        ps_picl_slab *slab =
                place->n_blocks < PS_PICL_BLOCKS ? make_slab_room(log, n * sizeof(ps_picl_rec)) : NULL;
        if (!slab)
                return PS_NOMEM(err, "records", place->n);
        log->slab = slab;
        place->next = (ps_picl_rec *)(void *)((char *)slab + slab->used);
        place->end = place->next + n;
        place->block[place->n_blocks++] = place->next;
        slab->used += n * sizeof(ps_picl_rec);
        return PS_OK;
}

static ps_status add_place(ps_picl_place **out, ps_picl_log *log, int32_t node, int32_t pid, ps_error *err)
{
        if (log->n_places == PS_PICL_MAX_PLACES)
                return PS_FAIL(err, PS_E_INPUT, "the trace has too many processes: node=%d, limit=%d", node,
                               PS_PICL_MAX_PLACES);
        if (PS_ROOM(log->place, log->n_places, log->cap_places))
                return PS_NOMEM(err, "processes", log->n_places);
        *out = &log->place[log->n_places++];
        **out = (ps_picl_place){.node = node,
                                .pid = pid,
                                .last = INT64_MIN,
                                .owner = log->deal ? ps_picl_deal_owner(log->deal, node, pid) : 0};
        return PS_OK;
}

ps_status ps_picl_place_far(ps_picl_place **out, ps_picl_log *log, int32_t node, int32_t pid, ps_error *err)
{
        pid = pid < 0 ? 0 : pid;
        int64_t *found = ps_map_at(&log->place_of, (uint32_t)node, (uint32_t)pid, -1);
        if (!found)
                return PS_NOMEM(err, "processes", log->n_places);
        if (*found >= 0) {
                *out = &log->place[*found];
                return PS_OK;
        }
        PS_TRY(add_place(out, log, node, pid, err));
        *found = *out - log->place;
        if (pid == 0 && node >= 0 && node < PS_PICL_NEAR)
                log->near_of[node] = log->n_places;
        return PS_OK;
}

uint32_t ps_picl_region_new(ps_picl_log *log, int64_t number, unsigned row, ps_error *err)
{
        uint64_t key = (uint64_t)number ^ (UINT64_C(1) << 62); /* no number is the map's free row */
        int64_t *found = ps_map_at(&log->region_of, (uint32_t)(key >> 32), (uint32_t)key, -1);
        if (!found || (*found < 0 && PS_ROOM(log->region, log->n_regions, log->cap_regions))) {
                (void)PS_NOMEM(err, "events", log->n_regions);
                return PS_NONE;
        }
        if (*found < 0) {
                log->region[log->n_regions] = (ps_picl_region){.number = number, .row = (uint8_t)row};
                *found = log->n_regions++;
        }
        if (row < PS_PICL_E_COUNT)
                log->region_of_row[row] = (uint32_t)*found;
        return (uint32_t)*found;
}

static uint16_t add_code(ps_picl_log *log, const char *name, ps_error *err)
{
        uint32_t code;
        return ps_defs_add_code(log->defs, name, &code, err) < 0 ? UINT16_MAX : (uint16_t)code;
}

uint16_t ps_picl_code_new(ps_picl_log *log, ps_picl_type type, unsigned row, ps_error *err)
{
        static const char *const types[] = {"mark", "entry", "exit"};
        char name[64];
        const char *event = row == PS_PICL_E_USER      ? "user event"
                            : row == PS_PICL_E_UNKNOWN ? "unknown event"
                                                       : ps_picl_events[row].name;
        snprintf(name, sizeof(name), "%s %s", types[type], event);
        uint16_t code = add_code(log, name, err);
        if (code != UINT16_MAX)
                log->code_of[type][row] = (uint16_t)(code + 1);
        return code;
}

uint16_t ps_picl_code_of_key(ps_picl_log *log, unsigned key, ps_error *err)
{
        if (log->code_of_key[key])
                return (uint16_t)(log->code_of_key[key] - 1);
        uint16_t code = add_code(log, ps_picl_olds[key].keyword, err);
        if (code != UINT16_MAX)
                log->code_of_key[key] = (uint16_t)(code + 1);
        return code;
}

ps_time ps_picl_clock_far(const ps_picl_log *log, ps_time stamp, uint64_t line)
{
        ps_picl_note(log, PS_I_TIME_RANGE, line);
        return stamp > 0 ? PS_READER_TIME_LIMIT : -PS_READER_TIME_LIMIT;
}

ps_status ps_picl_member_add(ps_picl_log *log, int32_t node, ps_error *err)
{
        return PS_APPEND(log->member, log->n_members, log->cap_members, node)
                       ? PS_NOMEM(err, "members of subsets", log->n_members)
                       : PS_OK;
}

static bool is_same(const ps_picl_log *log, const ps_picl_subset *subset, uint32_t first, uint32_t n)
{
        return subset->n == n &&
               (!n || !memcmp(log->member + subset->first, log->member + first, n * sizeof(*log->member)));
}

ps_status ps_picl_subset_end(ps_picl_log *log, int32_t id, uint32_t first_member, uint64_t line,
                             ps_error *err)
{
        uint32_t n = log->n_members - first_member;
        int64_t *found = ps_map_at(&log->subset_of, (uint32_t)id, 0, -1);
        if (!found)
                return PS_NOMEM(err, "subsets", log->n_subsets);
        if (*found >= 0) {
                if (!is_same(log, &log->subset[*found], first_member, n))
                        ps_picl_note(log, PS_I_DEF_DUPLICATE, line);
                log->n_members = first_member;
                return PS_OK;
        }
        if (PS_ROOM(log->subset, log->n_subsets, log->cap_subsets))
                return PS_NOMEM(err, "subsets", log->n_subsets);
        *found = log->n_subsets;
        log->subset[log->n_subsets++] = (ps_picl_subset){id, first_member, n};
        return PS_OK;
}
