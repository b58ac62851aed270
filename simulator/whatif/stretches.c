/* stretches.c - what is computed between calls at the same two lines, by location: where only calls were
 * recorded, these are the parts of a function that can be told apart. */
#include "simulator/whatif/stretches.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/load/share.h"
#include "core/model/focus.h"
#include "core/sums/handovers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_NAMED = 8 };

/* Of the largest excess: what is less is not worth a line of its own. */
#define WORTH_NAMING 0.05

/* A visit of a stretch. */
typedef struct passage {
        uint32_t from, to; /* numbers of lines */
        ps_region region;
        ps_time time;
} passage;

static const char *file_of_line(const ps_trace *trace, ps_str file)
{
        return ps_file_name(ps_defs_str(&trace->defs, file));
}

/* By edits: they have commas between lines, whose numbers have nine digits at most. */
static bool can_be_named(const ps_trace *trace, const ps_call_line *line)
{
        enum { LINE_MOST = 999999999 };
        const char *file = file_of_line(trace, line->file);
        return line->line && line->line <= LINE_MOST && *file && !strchr(file, ',');
}

ps_status ps_stretches_number_lines(ps_stretches *s, ps_error *err)
{
        const ps_trace *trace = s->trace;
        ps_map numbers = {0};
        uint32_t *n = &s->n_lines;
        s->line_of_path = ps_memory_new((trace->n_paths + (size_t)1) * sizeof(*s->line_of_path));
        if (s->line_of_path)
                s->line_of_path[0] = PS_NONE;
        for (ps_path p = 1; s->line_of_path && p < trace->n_paths; p++) {
                ps_call_line line = ps_call_line_of(trace, p);
                ps_time *number =
                        can_be_named(trace, &line) ? ps_map_at(&numbers, line.file, line.line, *n) : NULL;
                s->line_of_path[p] = number ? (uint32_t)*number : PS_NONE;
                *n += number && *number == *n;
        }
        ps_map_free(&numbers);
        return s->line_of_path ? PS_OK : PS_NOMEM(err, "call paths", trace->n_paths);
}

static ps_region region_of_piece(const ps_stretches *s, const ps_piece *piece)
{
        return piece->path == PS_NONE ? PS_NONE : s->trace->paths[piece->path].region;
}

/* What the function computes in the gap, without what it calls there, such as a call for a file; whether it
 * is in the focus, between two lines that are known. */
static bool pass_gap(passage *out, const ps_stretches *s, ps_loc loc, ps_op gap)
{
        const ps_ops *ops = &s->trace->ops[loc];
        const ps_pieces *p = &s->trace->pieces[loc];
        uint32_t i = ps_pieces_first(p, gap);
        ps_time end = s->timing->enter[loc][gap];
        if (i == p->end[gap] || p->piece[i].path == PS_NONE || end <= s->focus.begin || end > s->focus.end)
                return false;
        *out = (passage){s->line_of_path[ps_gap_from(ops, gap)],
                         s->line_of_path[ps_gap_to(s->trace, ops, gap)], region_of_piece(s, &p->piece[i]), 0};
        for (; i < p->end[gap]; i++)
                if (region_of_piece(s, &p->piece[i]) == out->region)
                        out->time = ps_time_add(out->time, p->piece[i].time);
        ps_time begin = s->timing->leave[loc][gap - 1];
        if (begin < s->focus.begin) /* only what is behind its begin */
                out->time =
                        (ps_time)((double)out->time * (double)(end - s->focus.begin) / (double)(end - begin));
        return out->from != PS_NONE && out->to != PS_NONE && out->region != PS_NONE;
}

ps_status ps_stretches_open(ps_stretches *s, const struct passed *at, ps_error *err)
{
        int failed = PS_PUSH(s->row, ((struct stretch){.at = *at}));
        for (ps_loc l = 0; l < s->trace->n_locs; l++)
                failed |= PS_PUSH(s->share, ((struct share){0}));
        return failed ? PS_NOMEM(err, "stretches", s->row.n) : PS_OK;
}

bool ps_stretches_have_room(const ps_stretches *s)
{
        enum { CELLS_MOST = 1 << 24 };
        return (uint64_t)(s->row.n + 1) * s->trace->n_locs <= CELLS_MOST;
}

/* Between the same lines there may be stretches of several functions; then only the first one counts. */
static bool is_of(const ps_stretches *s, ps_time number, ps_region region)
{
        return s->row.row && number >= 0 && s->row.row[number].at.region == region;
}

static ps_status add_gap(ps_stretches *s, ps_loc loc, ps_op gap, bool is_held, ps_error *err)
{
        passage at;
        if (!pass_gap(&at, s, loc, gap))
                return PS_OK;
        ps_time *number = ps_map_at(&s->first, at.from, at.to, s->is_open ? (ps_time)s->row.n : -1);
        if (!number)
                return PS_NOMEM(err, "stretches", s->row.n);
        if (*number == s->row.n) {
                const ps_ops *ops = &s->trace->ops[loc];
                const struct passed new = {.from = at.from,
                                           .to = at.to,
                                           .line = {ps_call_line_of(s->trace, ps_gap_from(ops, gap)),
                                                    ps_call_line_of(s->trace, ps_gap_to(s->trace, ops, gap))},
                                           .region = at.region,
                                           .first = {loc, gap}};
                if (!ps_stretches_have_room(s))
                        *number = -1;
                else
                        PS_TRY(ps_stretches_open(s, &new, err));
        }
        if (!is_of(s, *number, at.region)) {
                if (*number >= 0)
                        s->row.row[*number].at.is_shared = true;
                return PS_OK;
        }
        struct stretch *row = &s->row.row[*number];
        struct share *own = share_of_location(s, (uint32_t)*number, loc);
        if (own->visits == row->visit.n && PS_PUSH(row->visit, ((struct nth_visit){0})))
                return PS_NOMEM(err, "visits", row->visit.n);
        struct nth_visit *visit = &row->visit.row[own->visits++];
        visit->sum = ps_time_add(visit->sum, at.time);
        visit->n++;
        own->time = ps_time_add(own->time, at.time);
        own->held = ps_time_add(own->held, is_held ? at.time : 0);
        return PS_OK;
}

ps_status ps_stretches_add(ps_stretches *s, ps_loc loc, ps_error *err)
{
        const ps_ops *ops = &s->trace->ops[loc];
        uint32_t held = 0;
        for (ps_op gap = 1; gap < ops->n; gap++) {
                held = ps_locks_held(ops, gap - 1, held);
                PS_TRY(add_gap(s, loc, gap, held > 0, err));
        }
        return PS_OK;
}

/* Over those who have an n-th visit, too. What nobody else does is too long as a whole. */
static double excess_in(const struct nth_visit *visit, ps_time own)
{
        double others = visit->n > 1 ? (double)ps_time_sub(visit->sum, own) / (visit->n - 1) : 0;
        return (double)own > others ? (double)own - others : 0;
}

void ps_stretches_compare(ps_stretches *s, ps_loc loc)
{
        passage at;
        for (uint32_t i = 0; i < s->row.n; i++)
                share_of_location(s, i, loc)->visits = 0;
        for (ps_op gap = 1; gap < s->trace->ops[loc].n; gap++) {
                if (!pass_gap(&at, s, loc, gap))
                        continue;
                ps_time number = ps_map_get(&s->first, at.from, at.to, -1);
                if (!is_of(s, number, at.region))
                        continue;
                struct share *own = share_of_location(s, (uint32_t)number, loc);
                own->excess += excess_in(&s->row.row[number].visit.row[own->visits++], at.time);
        }
}

static ps_status fill(ps_stretches *s, ps_error *err)
{
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                PS_TRY(ps_stretches_add(s, loc, err));
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                ps_stretches_compare(s, loc);
        return PS_OK;
}

ps_status ps_stretches_new(ps_stretches **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        ps_stretches *s = *out = calloc(1, sizeof(*s));
        ps_status status = s ? PS_OK : PS_NOMEM(err, "stretches", 1);
        if (s) {
                s->trace = trace;
                s->timing = timing;
                s->focus = ps_focus_hull(timing);
                s->is_open = true;
        }
        PS_THEN(status, ps_stretches_number_lines(s, err));
        if (status == PS_OK && s->n_lines)
                status = ps_share_is_apart(trace, timing) ? ps_stretches_ask(s, err) : fill(s, err);
        if (status != PS_OK) {
                ps_stretches_free(s);
                *out = NULL;
        }
        return status;
}

void ps_stretches_clear(ps_stretches *s)
{
        for (uint32_t i = 0; i < s->row.n; i++)
                free(s->row.row[i].visit.row);
        free(s->row.row);
        free(s->share.row);
        ps_map_free(&s->first);
        s->row.row = NULL;
        s->share.row = NULL;
        s->row.n = s->row.cap = s->share.n = s->share.cap = 0;
}

void ps_stretches_free(ps_stretches *s)
{
        if (!s)
                return;
        ps_stretches_clear(s);
        free(s->line_of_path);
        free(s);
}

/* -- the stretches in which locations are too long -- */

typedef struct late {
        const ps_loc *loc;
        uint32_t n;
        bool are_alike; /* the others compute as long in each visit: then all of the time counts */
        bool hold;      /* only what they compute while they have a lock counts */
} late;

typedef struct chosen {
        uint32_t row[LINES_NAMED]; /* the one with the largest excess first */
        unsigned n;
        double excess;
} chosen;

static bool are_same(const ps_call_line *a, const ps_call_line *b)
{
        return a->line == b->line && a->file == b->file;
}

static double excess_of(const ps_stretches *s, uint32_t row, late who)
{
        double sum = 0;
        for (uint32_t i = 0; i < who.n; i++) {
                const struct share *own = share_of_location(s, row, who.loc[i]);
                sum += who.hold ? (double)own->held : who.are_alike ? (double)own->time : own->excess;
        }
        return sum;
}

static uint32_t find_largest(const ps_stretches *s, ps_region region, late who)
{
        uint32_t best = PS_NONE;
        double most = 0;
        for (uint32_t i = 0; i < s->row.n; i++) {
                const struct passed *at = &s->row.row[i].at;
                double excess = at->region == region && !at->is_shared ? excess_of(s, i, who) : 0;
                if (excess <= most)
                        continue;
                most = excess;
                best = i;
        }
        return best;
}

/* With those that begin or end at the same call: the first round of a loop comes from elsewhere, and the last
 * one goes elsewhere. */
static chosen choose(const ps_stretches *s, uint32_t best, late who, bool same_end)
{
        const struct stretch *first = &s->row.row[best];
        double least = WORTH_NAMING * excess_of(s, best, who);
        chosen out = {.row = {best}, .n = 1};
        for (uint32_t i = 0; i < s->row.n && out.n < LINES_NAMED; i++) {
                const struct stretch *row = &s->row.row[i];
                bool is_near = same_end ? are_same(&row->at.line[1], &first->at.line[1])
                                        : are_same(&row->at.line[0], &first->at.line[0]);
                double excess = excess_of(s, i, who);
                if (i == best || row->at.region != first->at.region || row->at.is_shared || !is_near ||
                    excess < least)
                        continue;
                out.row[out.n++] = i;
                out.excess += excess;
        }
        return out;
}

/* On how many locations they are, and how long. */
static void sum_up_stretch(ps_stretch *out, const ps_stretches *s, const chosen *of, ps_loc own)
{
        ps_time all = 0;
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++) {
                ps_time time = 0;
                uint64_t visits = 0;
                for (unsigned i = 0; i < of->n; i++) {
                        visits += share_of_location(s, of->row[i], loc)->visits;
                        time = ps_time_add(time, share_of_location(s, of->row[i], loc)->time);
                }
                out->n_there += visits > 0;
                all = ps_time_add(all, time);
                if (loc == own) {
                        out->own = time;
                        out->visits = visits;
                }
        }
        out->others = out->n_there > 1 ? ps_time_sub(all, out->own) / (out->n_there - 1) : 0;
}

/* The name of the file is left out where it is that of the line before. */
static size_t print_line(char *room, size_t size, const ps_stretches *s, const ps_call_line *line,
                         const ps_call_line *before)
{
        const char *name = file_of_line(s->trace, line->file);
        if (before && strcmp(name, file_of_line(s->trace, before->file)) == 0)
                return (size_t)snprintf(room, size, "%" PRIu32, line->line);
        return (size_t)snprintf(room, size, "%s:%" PRIu32, name, line->line);
}

/* FILE:LINE,LINE-LINE or FILE:LINE-LINE,LINE. */
static ps_status print_stretches(char **out, const ps_stretches *s, const chosen *of, bool same_end,
                                 ps_error *err)
{
        const ps_call_line *before = NULL;
        size_t room = 1, at = 0;
        for (unsigned i = 0; i < of->n; i++) {
                const struct stretch *row = &s->row.row[of->row[i]];
                room += strlen(file_of_line(s->trace, row->at.line[0].file)) +
                        strlen(file_of_line(s->trace, row->at.line[1].file));
                room += sizeof("4294967295:,") * 2;
        }
        *out = ps_memory_new(room);
        if (!*out)
                return PS_NOMEM(err, "names", room);
        for (int end = 0; end < 2; end++) {
                bool is_one = end == same_end;
                for (unsigned i = 0; i < (is_one ? 1 : of->n); i++) {
                        const struct stretch *row = &s->row.row[of->row[i]];
                        const ps_call_line *line = &row->at.line[end];
                        if (before)
                                (*out)[at++] = i ? ',' : '-';
                        at += print_line(*out + at, room - at, s, line, before);
                        before = line;
                }
        }
        return PS_OK;
}

ps_status ps_stretches_find(ps_stretch *out, const ps_stretches *s, ps_path path, const ps_stretch_late *of,
                            ps_error *err)
{
        late who = {of->loc, of->n, false, of->hold};
        ps_region region = s->trace->paths[path].region;
        uint32_t best = find_largest(s, region, who);
        if (!who.hold && (best == PS_NONE || 2 * excess_of(s, best, who) < (double)of->excess)) {
                who.are_alike = true;
                best = find_largest(s, region, who);
        }
        *out = (ps_stretch){0};
        if (best == PS_NONE || (!who.hold && 2 * excess_of(s, best, who) < (double)of->excess))
                return PS_OK;
        chosen into = choose(s, best, who, 1), from = choose(s, best, who, 0);
        bool same_end = into.excess >= from.excess;
        out->from = s->row.row[best].at.line[0];
        out->to = s->row.row[best].at.line[1];
        sum_up_stretch(out, s, same_end ? &into : &from, *of->loc);
        return print_stretches(&out->name, s, same_end ? &into : &from, same_end, err);
}
