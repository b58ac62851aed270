/* plain.h - what a location does between two moments where operations begin and end one after the other and
 * gaps are measured: nearly always. Inline, because each wait asks twice. */
#ifndef PS_PATTERNS_CAUSES_PLAIN_H
#define PS_PATTERNS_CAUSES_PLAIN_H

#include "core/model/pieces.h"
#include "patterns/causes/own.h"

/* Mostly a window begins in or behind the operation `first` and ends with the begin of `last`. */
static inline bool is_plain(const struct timeline *line, ps_op first, ps_op last, ps_time begin)
{
        return first < last && last < line->plain_ops && line->enter[first] <= begin &&
               begin < line->enter[first + 1] && last - first < line->plain_length;
}

/* Does a plain window from `begin` to the begin of `last` begin in or behind the operation `first`? */
static inline bool is_between(const struct timeline *line, ps_op first, ps_op last, ps_time begin)
{
        return (uint64_t)last - first - 1 < line->plain_length && line->enter[first] <= begin &&
               begin < line->enter[first + 1];
}

/* Where times are added: to s.few, or else to sums of many paths, or there to those of the other side of a
 * wait. A constant where this is inlined. */
enum adding_to { ADD_FEW, ADD_MANY, ADD_OTHER };

static inline enum adding_to ps_own_kind(const struct sums *s)
{
        return s->few ? ADD_FEW : ADD_MANY;
}

static inline struct sums add_here(struct sums s, enum adding_to to, ps_path path, ps_time time)
{
        if (to == ADD_MANY)
                return sums_with(s, path, time);
        if (to == ADD_OTHER)
                sums_add_other(s, path, time);
        else
                s.few[(int32_t)path] += time;
        return s;
}

/* Pieces that stand in a row. */
static inline struct sums add_all_of(struct sums s, enum adding_to to, const ps_piece *piece,
                                     const ps_piece *behind)
{
        for (; piece < behind; piece++)
                s = add_here(s, to, piece->path, piece->time);
        return s;
}

/* Of a gap that is `now` long, and filled by its pieces: what lies between two distances from its begin. */
static inline struct sums add_measured(struct sums s, enum adding_to to, const ps_pieces *pieces, ps_op gap,
                                       ps_time now, ps_span part)
{
        const ps_piece *piece = pieces->piece + ps_pieces_first(pieces, gap),
                       *behind = pieces->piece + pieces->end[gap];
        double all = (double)now, before = 0;
        for (ps_time begin = 0; piece < behind && begin < part.end; piece++) {
                before += (double)piece->time;
                ps_time end = piece + 1 == behind ? now : (ps_time)(before / all * all);
                ps_time time = earlier(end, part.end) - later(begin, part.begin);
                if (time > 0)
                        s = add_here(s, to, piece->path, time);
                begin = end;
        }
        return s;
}

/* The same of what lies behind a distance from its begin. */
static inline struct sums add_rest(struct sums s, enum adding_to to, const ps_piece *piece,
                                   const ps_piece *behind, ps_time now, ps_time begin)
{
        const double all = (double)now;
        double before = 0;
#pragma GCC unroll 1
        for (; piece + 1 < behind; piece++) {
                before += (double)piece->time;
                const ps_time end = (ps_time)(before / all * all);
                if (end <= begin)
                        continue;
                s = add_here(s, to, piece->path, end - begin);
                begin = end;
        }
        return piece < behind && begin < now ? add_here(s, to, piece->path, now - begin) : s;
}

/* Operations that do not overlap, with the waits in them. */
static inline struct sums add_lengths(struct sums s, enum adding_to to, const struct timeline *line,
                                      size_t first, size_t last)
{
        const ps_time *enter = line->enter, *leave = line->end;
        const ps_path *path_of = line->path_of;
        const uint32_t *call = line->ops->call;
        for (size_t op = first; op < last; op++)
                s = add_here(s, to, path_of[call[op]], leave[op] - enter[op]);
        return s;
}

/* Adds what lies in a plain window. Of the location's waits those from `wait` to `behind` may lie in it, and
 * in operations before its last one. Returns the first one that ends in it, or `behind`. */
__attribute__((always_inline)) static inline const struct waiting *
add_plain(struct sums *sums, enum adding_to to, const struct timeline *line, ps_op first, ps_op last,
          ps_time begin, const struct waiting *wait, const struct waiting *behind)
{
        const ps_time *enter = line->enter, *leave = line->end;
        const ps_path *path_of = line->path_of;
        const uint32_t *call = line->ops->call;
        const uint32_t *end = line->pieces->end;
        const ps_piece *piece = line->pieces->piece;
        struct sums s = *sums;
        uint32_t from = end[first];
        if (begin < leave[first]) {
                s = add_here(s, to, path_of[call[first]], leave[first] - begin);
        } else {
                ps_time behind_op = begin - leave[first], gap = enter[first + 1] - leave[first];
                if (end[first + 1] == from + 1)
                        s = add_here(s, to, piece[from].path, gap - behind_op);
                else
                        s = add_rest(s, to, piece + from, piece + end[first + 1], gap, behind_op);
                from = end[first + 1];
        }
        s = add_all_of(s, to, piece + from, piece + end[last]);
        s = add_lengths(s, to, line, first + 1, last);
#pragma GCC unroll 1
        for (; wait < behind; wait++)
                if (wait->end > begin)
                        break;
#pragma GCC unroll 1
        for (const struct waiting *i = wait; i < behind; i++)
                s = add_here(s, to, path_of[call[i->op]], later(begin_of(i), begin) - i->end);
        if (to == ADD_MANY)
                sums->behind = s.behind;
        return wait;
}

/* Of a location that is in the operation `first` when the window begins. */
static inline bool is_window_plain(const struct timeline *line, ps_op first, const struct window *w)
{
        return is_plain(line, first, w->near.last, w->begin) && line->enter[w->near.last] == w->end;
}

__attribute__((always_inline)) static inline void
add_plain_window(struct sums *sums, const struct timeline *line, ps_op first, const struct window *w,
                 const struct waiting *wait, const struct waiting *behind)
{
        if (sums->few)
                add_plain(sums, ADD_FEW, line, first, w->near.last, w->begin, wait, behind);
        else
                add_plain(sums, ADD_MANY, line, first, w->near.last, w->begin, wait, behind);
}

#endif
