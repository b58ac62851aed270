/* process.c - see process.h. A line begins with a word that says what it defines; one that makes no sense is
 * the last that was written, and ends what there is. */
#include "record/finish/process.h"

#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/search.h"
#include "record/raw/raw.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 8, DEFINITIONS_MOST = 1 << 30, SIZE_MOST = 1 << 24 };

/* A line in words; the last one goes to its end. */
typedef struct line {
        char *field[FIELDS];
        int n;
} line;

static line split_line(char *text, int most)
{
        line l = {.n = 0};
        while (l.n < most) {
                l.field[l.n++] = text;
                text = l.n < most ? strchr(text, ' ') : NULL;
                if (!text)
                        break;
                *text++ = '\0';
        }
        return l;
}

static bool take_number(const char *text, uint64_t most, uint64_t *out)
{
        return ps_number_whole(&text, most, out) && !*text;
}

static bool take_hex(const char *text, uint64_t *out)
{
        return ps_number_hex(&text, out) && !*text;
}

static bool take_signed(const char *text, int64_t least, int64_t most, int64_t *out)
{
        return ps_number_signed(&text, least, most, out) && !*text;
}

typedef struct reading {
        ps_process *p;
        bool is_out_of_memory;
} reading;

/* Each gets what stands behind its word; 0: it makes no sense. */

static bool read_process(reading *r, char *text)
{
        line l = split_line(text, 7);
        uint64_t rank, size, pid, clock;
        if (l.n < 7 || !take_number(l.field[0], SIZE_MOST, &rank) ||
            !take_number(l.field[1], SIZE_MOST, &size) || !take_number(l.field[2], INT32_MAX, &pid) ||
            !take_hex(l.field[3], &clock) || rank >= size)
                return 0;
        r->p->rank = (uint32_t)rank;
        r->p->size = (uint32_t)size;
        r->p->pid = (long)pid;
        r->p->clock = clock;
        r->p->is_tsc = strcmp(l.field[4], "tsc") == 0;
        r->p->host = l.field[6];
        return 1;
}

static bool read_processors(reading *r, char *text)
{
        const char *at = text;
        uint64_t first, last;
        do {
                if (!ps_number_range(&at, SIZE_MOST, &first, &last))
                        return 0;
        } while (*at == ',' && *++at);
        r->p->processors = text;
        return !*at;
}

static bool read_pair(reading *r, char *text)
{
        line l = split_line(text, 2);
        ps_clock_point point;
        if (l.n < 2 || !take_number(l.field[0], UINT64_MAX, &point.ticks) ||
            !take_number(l.field[1], INT64_MAX, &point.ns))
                return 0;
        assert(!r->p->points.n || r->p->points.row);
        const ps_clock_point *last = r->p->points.n ? &r->p->points.row[r->p->points.n - 1] : NULL;
        if (last && (point.ticks <= last->ticks || point.ns <= last->ns))
                return 1; /* two threads took one at once */
        r->is_out_of_memory |= PS_PUSH(r->p->points, point) != 0;
        return 1;
}

static bool read_offset(reading *r, char *text)
{
        line l = split_line(text, 2);
        ps_clock_offset offset;
        if (l.n < 2 || !take_signed(l.field[0], INT64_MIN, INT64_MAX, &offset.at) ||
            !take_signed(l.field[1], INT64_MIN, INT64_MAX, &offset.offset))
                return 0;
        r->is_out_of_memory |= PS_PUSH(r->p->offsets, offset) != 0;
        return 1;
}

static bool read_module(reading *r, char *text)
{
        line l = split_line(text, 3);
        uint64_t id;
        if (l.n < 3 || !take_number(l.field[0], UINT32_MAX, &id) || id != r->p->modules.n)
                return 0;
        ps_raw_module module = {strcmp(l.field[1], "-") != 0 ? l.field[1] : NULL, l.field[2], PS_NONE};
        r->is_out_of_memory |= PS_PUSH(r->p->modules, module) != 0;
        return 1;
}

static bool add_site(reading *r, char *text, bool is_jump)
{
        line l = split_line(text, 5);
        uint64_t id, module = PS_NONE, outer = PS_NONE, offset;
        if (l.n < 4 || !take_number(l.field[0], UINT32_MAX, &id) || !take_hex(l.field[3], &offset))
                return 0;
        if (strcmp(l.field[2], "-1") != 0 &&
            (!take_number(l.field[2], UINT32_MAX, &module) || module >= r->p->modules.n))
                return 0;
        /* Threads number their sites one at a time, so that lines come in the order of numbers. */
        if (id != r->p->sites.n)
                return 0;
        if (l.n == 5 && strcmp(l.field[4], "-1") != 0 &&
            (!take_number(l.field[4], UINT32_MAX, &outer) || outer >= id))
                return 0;
        ps_raw_site site = {.function = l.field[1],
                            .offset = offset,
                            .module = (uint32_t)module,
                            .outer = (uint32_t)outer,
                            .is_jump = is_jump,
                            .context = PS_NONE,
                            .body_module = PS_NONE,
                            .barrier = PS_NONE};
        r->p->has_teams |= ps_raw_site_is_construct(&site);
        r->is_out_of_memory |= PS_PUSH(r->p->sites, site) != 0;
        return 1;
}

static bool read_site(reading *r, char *text)
{
        return add_site(r, text, 0);
}

static bool read_jump(reading *r, char *text)
{
        return add_site(r, text, 1);
}

static bool read_body(reading *r, char *text)
{
        line l = split_line(text, 3);
        uint64_t id, module, offset;
        if (l.n < 3 || !take_number(l.field[0], UINT32_MAX, &id) || id >= r->p->sites.n ||
            !take_hex(l.field[2], &offset))
                return 0;
        if (strcmp(l.field[1], "-1") == 0)
                return 1;
        if (!take_number(l.field[1], UINT32_MAX, &module) || module >= r->p->modules.n)
                return 0;
        r->p->sites.row[id].body_module = (uint32_t)module;
        r->p->sites.row[id].body = offset;
        return 1;
}

static bool read_unwind(reading *r, char *text)
{
        uint64_t most;
        bool is_fine = take_number(text, UINT32_MAX, &most);
        r->p->unwound = (uint32_t)most;
        return is_fine;
}

static bool read_range(reading *r, char *text)
{
        line l = split_line(text, 4);
        uint64_t module;
        ps_raw_range range = {.epoch = r->p->unloaded.n};
        if (l.n < 4 || !take_number(l.field[0], UINT32_MAX, &module) || module >= r->p->modules.n ||
            !take_hex(l.field[1], &range.begin) || !take_hex(l.field[2], &range.end) ||
            !take_hex(l.field[3], &range.base))
                return 0;
        range.module = (uint32_t)module;
        r->is_out_of_memory |= PS_PUSH(r->p->ranges, range) != 0;
        return 1;
}

static bool read_unloaded(reading *r, char *text)
{
        uint64_t ticks;
        if (!take_number(text, UINT64_MAX, &ticks))
                return 0;
        r->is_out_of_memory |= PS_PUSH(r->p->unloaded, ticks) != 0;
        return 1;
}

static bool read_sample(reading *r, char *text)
{
        return take_number(text, INT64_MAX, &r->p->period);
}

static bool read_comm(reading *r, char *text)
{
        line l = split_line(text, 6);
        uint64_t id, parent, size;
        int64_t tag;
        if (l.n < 6 || !take_number(l.field[0], UINT32_MAX, &id) || id != r->p->comms.n ||
            !take_number(l.field[2], UINT32_MAX, &parent) || parent > id ||
            !take_signed(l.field[3], INT32_MIN, INT32_MAX, &tag) ||
            !take_number(l.field[4], SIZE_MOST, &size))
                return 0;
        ps_raw_comm comm = {.how = l.field[1],
                            .parent = (uint32_t)parent,
                            .tag = (int32_t)tag,
                            .size = (uint32_t)size,
                            .members = strcmp(l.field[5], "1") != 0 ? "" : NULL,
                            .id = PS_NONE};
        r->is_out_of_memory |= PS_PUSH(r->p->comms, comm) != 0;
        return 1;
}

/* Many members come in several lines. */
static bool add_members(reading *r, const char **members, const char *more)
{
        size_t n = *members ? strlen(*members) : 0, m = strlen(more);
        char *text = n ? ps_arena_alloc(r->p->arena, n + m + 2, 1) : NULL;
        if (n && !text) {
                r->is_out_of_memory = true;
                return 1;
        }
        if (text) {
                memcpy(text, *members, n);
                text[n] = ' ';
                memcpy(text + n + 1, more, m + 1);
        }
        *members = text ? text : more;
        return 1;
}

static bool read_members(reading *r, char *text)
{
        line l = split_line(text, 2);
        uint64_t id;
        return l.n == 2 && take_number(l.field[0], UINT32_MAX, &id) && id < r->p->comms.n &&
               add_members(r, &r->p->comms.row[id].members, l.field[1]);
}

static bool read_remote(reading *r, char *text)
{
        line l = split_line(text, 2);
        uint64_t id;
        return l.n == 2 && take_number(l.field[0], UINT32_MAX, &id) && id < r->p->comms.n &&
               add_members(r, &r->p->comms.row[id].remote, l.field[1]);
}

static bool read_neighbours(reading *r, char *text)
{
        line l = split_line(text, 2);
        uint64_t id;
        return l.n == 2 && take_number(l.field[0], UINT32_MAX, &id) && id < r->p->comms.n &&
               add_members(r, &r->p->comms.row[id].neighbours, l.field[1]);
}

static bool read_group(reading *r, char *text)
{
        line l = split_line(text, 2);
        uint64_t id;
        if (l.n < 2 || !take_number(l.field[0], UINT32_MAX, &id) || id > r->p->groups.n)
                return 0;
        if (id == r->p->groups.n)
                r->is_out_of_memory |= PS_PUSH(r->p->groups, (ps_raw_group){NULL, PS_NONE}) != 0;
        return r->is_out_of_memory || add_members(r, &r->p->groups.row[id].members, l.field[1]);
}

static bool read_window(reading *r, char *text)
{
        line l = split_line(text, 2);
        uint64_t id, comm;
        if (l.n < 2 || !take_number(l.field[0], UINT32_MAX, &id) || id != r->p->windows.n ||
            !take_number(l.field[1], UINT32_MAX, &comm) || comm >= r->p->comms.n)
                return 0;
        r->is_out_of_memory |= PS_PUSH(r->p->windows, (ps_raw_window){(uint32_t)comm, PS_NONE}) != 0;
        return 1;
}

static bool read_cut(reading *r, char *text)
{
        uint64_t why;
        if (!take_number(text, PS_RAW_ENDS - 1, &why))
                return 0;
        r->p->cut = (ps_raw_end)why;
        return 1;
}

static bool read_shmem(reading *r, char *text)
{
        (void)text;
        r->p->is_shmem = true;
        return 1;
}

static bool read_end(reading *r, char *text)
{
        (void)text;
        r->p->has_ended = true;
        return 1;
}

static bool read_line(reading *r, char *text)
{
        static const struct {
                const char *word;
                bool (*read)(reading *r, char *text);
        } known[] = {{"process", read_process}, {"pair", read_pair},     {"offset", read_offset},
                     {"module", read_module},   {"site", read_site},     {"jump", read_jump},
                     {"unwind", read_unwind},   {"range", read_range},   {"unloaded", read_unloaded},
                     {"sample", read_sample},   {"body", read_body},     {"comm", read_comm},
                     {"members", read_members}, {"remote", read_remote}, {"neighbours", read_neighbours},
                     {"group", read_group},     {"window", read_window}, {"processors", read_processors},
                     {"cut", read_cut},         {"shmem", read_shmem},   {"end", read_end}};
        line l = split_line(text, 2);
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
                if (strcmp(l.field[0], known[i].word) == 0)
                        return known[i].read(r, l.n > 1 ? l.field[1] : l.field[0] + strlen(l.field[0]));
        return 0;
}

ps_status ps_process_read(ps_process *out, const char *path, ps_arena *arena, ps_error *err)
{
        size_t n;
        *out = (ps_process){.arena = arena};
        PS_TRY(ps_file_read(&out->text, &n, ps_file_open(path), DEFINITIONS_MOST, "definitions", path, err));
        reading r = {out, 0};
        char *at = out->text, *end;
        bool is_first = 1, is_fine = 1;
        while ((end = strchr(at, '\n')) && is_fine && !r.is_out_of_memory) {
                *end = '\0';
                if (is_first && strcmp(at, PS_RAW_VERSION) != 0)
                        return PS_FAIL(err, PS_E_INPUT,
                                       "this is no file that this version of patscan records: path=\"%s\"",
                                       path);
                is_fine = is_first || read_line(&r, at);
                is_first = 0;
                at = end + 1;
        }
        if (r.is_out_of_memory)
                return PS_NOMEM(err, "definitions", n);
        if (out->comms.n < 2) /* it was killed as it began */
                out->size = 0;
        return PS_OK;
}

void ps_process_clear(ps_process *process)
{
        free(process->points.row);
        free(process->offsets.row);
        free(process->modules.row);
        free(process->sites.row);
        free(process->ranges.row);
        free(process->unloaded.row);
        free(process->comms.row);
        free(process->windows.row);
        free(process->groups.row);
        free(process->text);
}

/* -- times -- */

/* Between the points around it; outside, as between the two nearest. */
uint64_t ps_process_time(const ps_process *process, uint64_t ticks)
{
        const ps_clock_point *point = process->points.row;
        uint32_t n = process->points.n, i = 0;
        if (!process->is_tsc || n == 0)
                return ticks;
        uint32_t low = 0;
        PS_SEARCH(low, n, k, point[k].ticks <= ticks)
        i = low == 0 ? 0 : low - 1;
        if (i + 1 >= n)
                i = n > 1 ? n - 2 : 0;
        if (n < 2)
                return point[0].ns + ticks - point[0].ticks;
        double rate = (double)(point[i + 1].ns - point[i].ns) / (double)(point[i + 1].ticks - point[i].ticks);
        return point[i].ns + (uint64_t)(int64_t)((double)(int64_t)(ticks - point[i].ticks) * rate);
}

uint64_t ps_process_common(const ps_process *process, uint64_t ns)
{
        const ps_clock_offset *row = process->offsets.row;
        uint32_t n = process->offsets.n;
        if (n == 0)
                return ns;
        double slope = n > 1 && row[n - 1].at > row[0].at ? (double)(row[n - 1].offset - row[0].offset) /
                                                                    (double)(row[n - 1].at - row[0].at)
                                                          : 0;
        return ns + (uint64_t)(row[0].offset + (int64_t)(slope * (double)((int64_t)ns - row[0].at)));
}
