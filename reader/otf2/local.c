/* local.c - see local.h. */
#include "reader/otf2/local.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <math.h>
#include <stdlib.h>

enum { MAPPING_TABLE = 5, CLOCK_OFFSET = 6 };

typedef struct pair {
        uint64_t from;
        uint32_t to, order;
} pair;

/* Equal local ids: the last one counts, as it would overwrite the others. */
static int by_from(const void *a, const void *b)
{
        const pair *x = a, *y = b;
        PS_ORDER_BY(x->from, y->from);
        return x->order > y->order ? -1 : x->order < y->order;
}

static ps_status read_dense(ps_otf2_map *map, ps_otf2_bytes *b, uint64_t n, ps_error *err)
{
        map->to = malloc((n + 1) * sizeof(*map->to));
        if (!map->to)
                return PS_NOMEM(err, "mapping table", n);
        for (; map->n < n && !b->bad; map->n++)
                map->to[map->n] = (uint32_t)ps_otf2_u64(b);
        map->n -= b->bad && map->n > 0; /* what was read last is not there */
        return PS_OK;
}

static ps_status read_sparse(ps_otf2_map *map, ps_otf2_bytes *b, uint64_t n, ps_error *err)
{
        pair *pairs = malloc((n + 1) * sizeof(*pairs));
        map->to = malloc((n + 1) * sizeof(*map->to));
        map->from = malloc((n + 1) * sizeof(*map->from));
        if (!pairs || !map->to || !map->from) {
                free(pairs);
                return PS_NOMEM(err, "mapping table", n);
        }
        uint64_t got = 0;
        for (; got < n; got++) {
                uint64_t from = ps_otf2_u64(b), to = ps_otf2_u64(b);
                if (b->bad)
                        break;
                pairs[got] = (pair){from, (uint32_t)to, (uint32_t)got};
        }
        qsort(pairs, got, sizeof(*pairs), by_from);
        for (uint64_t i = 0; i < got; i++) {
                if (i > 0 && pairs[i].from == pairs[i - 1].from)
                        continue;
                map->from[map->n] = pairs[i].from;
                map->to[map->n++] = pairs[i].to;
        }
        free(pairs);
        return PS_OK;
}

/* Every entry takes a byte at least, so that the record bounds what is allocated. */
static ps_status take_map(ps_otf2_local *local, ps_otf2_bytes *b, ps_error *err)
{
        uint8_t kind = ps_otf2_u8(b);
        uint64_t n = ps_otf2_u64(b);
        uint8_t mode = ps_otf2_u8(b);
        if (kind >= OTF2_MAPPING_MAX)
                return PS_OK;
        ps_otf2_map *map = &local->map[kind];
        if (b->bad || mode > 1 || map->to || n > ps_otf2_left(b)) {
                local->doubtful = 1;
                return PS_OK;
        }
        ps_status status = mode == 0 ? read_dense(map, b, n, err) : read_sparse(map, b, n, err);
        local->doubtful |= b->bad;
        return status;
}

/* So far that neither a distance nor its product with the slope comes near to 52 bits. */
static uint64_t near_of(const ps_otf2_interval *in)
{
        const uint64_t limit = UINT64_C(1) << 50;
        uint64_t length = in->end - in->begin;
        return length < limit && fabs(in->slope) * (double)length < (double)limit ? length : 0;
}

static ps_status take_offset(ps_otf2_local *local, ps_otf2_bytes *b, uint32_t *cap, ps_error *err)
{
        uint64_t time = ps_otf2_full64(b), offset = ps_otf2_u64(b);
        if (b->bad || (local->have_offset && time <= local->open.begin)) {
                local->doubtful = 1;
                return PS_OK;
        }
        if (local->have_offset) {
                if (PS_ROOM(local->interval, local->n_intervals, *cap))
                        return PS_NOMEM(err, "clock offsets", local->n_intervals);
                local->open.end = time;
                local->open.slope = (double)(int64_t)(offset - (uint64_t)local->open.offset) /
                                    (double)(time - local->open.begin);
                local->open.near = near_of(&local->open);
                local->interval[local->n_intervals++] = local->open;
        }
        local->have_offset = 1;
        local->open = (ps_otf2_interval){.begin = time, .offset = (int64_t)offset};
        return PS_OK;
}

static ps_status take_records(ps_otf2_local *out, const ps_otf2_file *file, uint64_t chunk, ps_error *err)
{
        ps_otf2_walk walk = {file->data, file->len, 0, chunk, 0, 0};
        ps_otf2_bytes record = {0};
        uint8_t type;
        uint32_t cap = 0;
        while ((out->end = ps_otf2_walk_next(&walk, &type, &record, &out->offset)) == PS_OTF2_RECORD) {
                if (type == MAPPING_TABLE)
                        PS_TRY(take_map(out, &record, err));
                else if (type == CLOCK_OFFSET)
                        PS_TRY(take_offset(out, &record, &cap, err));
        }
        return PS_OK;
}

ps_status ps_otf2_local_read(ps_otf2_local *out, const char *path, uint64_t chunk, ps_error *err)
{
        ps_otf2_file file;
        memset(out, 0, sizeof(*out));
        ps_status status = ps_otf2_load(&file, path, err);
        out->found = file.found;
        out->end = PS_OTF2_END;
        if (status == PS_OK && file.found)
                status = take_records(out, &file, chunk, err);
        free(file.data);
        if (status != PS_OK)
                ps_otf2_local_free(out);
        return status;
}

void ps_otf2_local_free(ps_otf2_local *local)
{
        for (int i = 0; i < OTF2_MAPPING_MAX; i++) {
                free(local->map[i].to);
                free(local->map[i].from);
        }
        free(local->interval);
        memset(local, 0, sizeof(*local));
}

uint32_t ps_otf2_local_map(const ps_otf2_local *local, int mapping, uint32_t id)
{
        const ps_otf2_map *map = &local->map[mapping];
        if (!map->from)
                return id < map->n ? map->to[id] : id;
        uint64_t low = 0;
        PS_SEARCH(low, map->n, middle, map->from[middle] < id);
        return low < map->n && map->from[low] == id ? map->to[low] : id;
}

uint64_t ps_otf2_local_time_anew(ps_otf2_local *local, uint64_t ticks)
{
        while (local->at + 1 < local->n_intervals && ticks > local->interval[local->at].end)
                local->at++;
        const ps_otf2_interval *in = &local->interval[local->at];
        double distance = ticks >= in->begin ? (double)(ticks - in->begin) : -(double)(in->begin - ticks);
        double more = rint(in->slope * distance);
        /* Beyond what a number can hold nothing sensible is known. */
        int64_t shift = more > -9e18 && more < 9e18 ? (int64_t)more : 0;
        return ticks + (uint64_t)in->offset + (uint64_t)shift;
}
