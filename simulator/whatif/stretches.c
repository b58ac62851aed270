/* stretches.c - what is computed between calls at the same two lines, by location: where only calls were
 * recorded, these are the parts of a function that can be told apart. */
#include "core/base/map.h"
#include "core/base/memory.h"
#include "core/base/vector.h"
#include "simulator/whatif/scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MOST = 1 << 24 };

typedef struct stretch {
        ps_call_line from, to;
        ps_region region; /* of the function that it is in */
} stretch;

struct ps_stretches {
        const ps_trace *trace;
        PS_VECTOR(stretch) row;
        PS_VECTOR(ps_time) time; /* [stretch][location]; -1: never there */
        ps_map line_of;          /* by file and line: its number */
        ps_map first;            /* by numbers of lines: the first stretch */
        uint32_t n_lines;
};

static ps_region region_of(const ps_trace *trace, ps_path path)
{
        return path == PS_NONE ? PS_NONE : trace->paths[path].region;
}

static ps_time *time_at(const ps_stretches *s, uint32_t row, ps_loc loc)
{
        return &s->time.row[(size_t)row * s->trace->n_locs + loc];
}

/* The number of the line, or PS_NONE: there is none, or no memory. */
static uint32_t number_of(ps_stretches *s, const ps_call_line *line)
{
        ps_time *number = line->line ? ps_map_at(&s->line_of, line->file, line->line, s->n_lines) : NULL;
        if (!number)
                return PS_NONE;
        s->n_lines += *number == s->n_lines;
        return (uint32_t)*number;
}

/* Between the same lines there may be stretches of several functions; then only the first one counts. */
static ps_status add_gap(ps_stretches *s, ps_loc loc, ps_op gap, ps_error *err)
{
        const ps_trace *trace = s->trace;
        const ps_ops *ops = &trace->ops[loc];
        const ps_pieces *p = &trace->pieces[loc];
        uint32_t i = ps_pieces_first(p, gap);
        stretch new = {ps_call_line_of(trace, ops->path[gap - 1]), ps_call_line_of(trace, ops->path[gap]),
                       i < p->end[gap] ? region_of(trace, p->piece[i].path) : PS_NONE};
        uint32_t from = number_of(s, &new.from), to = number_of(s, &new.to);
        if (from == PS_NONE || to == PS_NONE || new.region == PS_NONE)
                return PS_OK;
        ps_time *number = ps_map_at(&s->first, from, to, s->row.n);
        if (!number)
                return PS_NOMEM(err, "stretches", s->row.n);
        if (*number == s->row.n) {
                if ((uint64_t)(s->row.n + 1) * trace->n_locs > CELLS_MOST) {
                        *number = -1;
                        return PS_OK;
                }
                int failed = PS_PUSH(s->row, new);
                for (ps_loc l = 0; l < trace->n_locs; l++)
                        failed |= PS_PUSH(s->time, -1);
                if (failed)
                        return PS_NOMEM(err, "stretches", s->row.n);
        }
        if (*number < 0 || s->row.row[*number].region != new.region)
                return PS_OK;
        ps_time *time = time_at(s, (uint32_t)*number, loc);
        *time = *time < 0 ? 0 : *time;
        for (; i < p->end[gap]; i++)
                *time = ps_time_add(*time, p->piece[i].time);
        return PS_OK;
}

ps_status ps_stretches_new(ps_stretches **out, const ps_trace *trace, ps_error *err)
{
        ps_stretches *s = *out = calloc(1, sizeof(*s));
        ps_status status = s ? PS_OK : PS_NOMEM(err, "stretches", 1);
        if (s)
                s->trace = trace;
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++)
                for (ps_op gap = 1; gap < trace->ops[loc].n && status == PS_OK; gap++)
                        status = add_gap(s, loc, gap, err);
        if (status < 0) {
                ps_stretches_free(s);
                *out = NULL;
        }
        return status;
}

void ps_stretches_free(ps_stretches *s)
{
        if (!s)
                return;
        free(s->row.row);
        free(s->time.row);
        ps_map_free(&s->line_of);
        ps_map_free(&s->first);
        free(s);
}

/* How much longer the location is there than the others on average. */
static double excess_of(const ps_stretches *s, uint32_t row, ps_loc loc, uint32_t *n_there)
{
        double sum = 0;
        *n_there = 0;
        for (ps_loc l = 0; l < s->trace->n_locs; l++) {
                ps_time time = *time_at(s, row, l);
                *n_there += time >= 0;
                sum += time >= 0 && l != loc ? (double)time : 0;
        }
        double own = (double)*time_at(s, row, loc);
        return *n_there > 1 ? own - sum / (*n_there - 1) : own;
}

static const char *base_name(const ps_trace *trace, ps_str file)
{
        const char *name = ps_defs_str(&trace->defs, file), *slash = strrchr(name, '/');
        return slash ? slash + 1 : name;
}

static ps_status print_stretch(char **out, const ps_trace *trace, const stretch *s, ps_error *err)
{
        const char *from = base_name(trace, s->from.file), *to = base_name(trace, s->to.file);
        size_t room = strlen(from) + strlen(to) + 32;
        *out = ps_memory_new(room);
        if (!*out)
                return PS_NOMEM(err, "names", room);
        if (strcmp(from, to) == 0)
                snprintf(*out, room, "%s:%" PRIu32 "-%" PRIu32, from, s->from.line, s->to.line);
        else
                snprintf(*out, room, "%s:%" PRIu32 "-%s:%" PRIu32, from, s->from.line, to, s->to.line);
        return PS_OK;
}

ps_status ps_stretches_find(char **out, uint32_t *n_there, const ps_stretches *s, ps_loc loc, ps_path path,
                            ps_error *err)
{
        uint32_t best = PS_NONE;
        double most = 0;
        *out = NULL;
        for (uint32_t i = 0; i < s->row.n; i++) {
                uint32_t n;
                if (s->row.row[i].region != s->trace->paths[path].region || *time_at(s, i, loc) <= 0)
                        continue;
                double excess = excess_of(s, i, loc, &n);
                if (excess <= most)
                        continue;
                most = excess;
                best = i;
                *n_there = n;
        }
        return best == PS_NONE ? PS_OK : print_stretch(out, s->trace, &s->row.row[best], err);
}
