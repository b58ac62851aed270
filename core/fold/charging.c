/* charging.c - where a location is between its operations, while it is folded: see pieces.h.
 *
 * The time since the last operation is cut wherever a region is entered or left, and what was in the same
 * path is put together at once, so that memory follows the paths that are met and not how often. A row that
 * turns out to have begun earlier than now takes back what was charged since. */
#include "core/fold/piecing.h"

#include <stdlib.h>
#include <string.h>

/* Now somebody asks: mostly the gap began when the operation of the last row was left. */
static void find_gap(ps_builder *b)
{
        struct ps_piecing *p = b->pieces;
        ps_op last = b->n_rows - 1;
        if (!is_open(b, last)) {
                ps_builder_begin_gap(b, CELL(b, leave, last));
                p->left = ps_rows_call(b, last)->path;
                return;
        }
        if (p->in != last)
                p->left = 0;
        p->in = last;
}

static inline struct ps_piecing *with_gap(ps_builder *b)
{
        if (b->pieces && b->pieces->gap != b->n_rows)
                find_gap(b);
        return b->pieces;
}

bool ps_builder_is_between(ps_builder *b)
{
        (void)with_gap(b);
        return ps_piecing_runs(b);
}

/* -- charging -- */

static bool make_newest(ps_builder *b)
{
        struct ps_piecing *p = b->pieces;
        uint32_t *grown = realloc(p->newest, b->tree.cap * sizeof(*grown));
        if (!grown) {
                b->status = PS_NOMEM(&b->pool->err, "call paths", b->tree.cap);
                return false;
        }
        memset(grown + p->n_newest, 0, (b->tree.cap - p->n_newest) * sizeof(*grown));
        p->newest = grown;
        p->n_newest = b->tree.cap;
        return true;
}

/* Puts it to the newest of its path, unless a visit begins there; whether it did. */
static bool grows(struct ps_piecing *p, ps_time time, ps_path path, uint32_t begins)
{
        const uint32_t newest = path == PS_NONE ? p->piece.n : p->newest[path];
        if (newest <= p->first)
                return false;
        ps_piece *piece = &p->piece.row[newest - 1];
        if (piece->path != path || piece->begins < begins)
                return false;
        ps_piecing_grow(piece, time, begins);
        return true;
}

static void add_piece(ps_builder *b, ps_time time, ps_path path, uint32_t begins)
{
        struct ps_piecing *p = b->pieces;
        if (path != PS_NONE && path >= p->n_newest && !make_newest(b))
                return;
        if (p->piece.n > p->first && grows(p, time, path, begins))
                return;
        if (p->piece.n >= p->most) {
                ps_piecing_stop(p);
                return;
        }
        if (ps_builder_make_piece_room(b) < 0) {
                b->status = PS_NOMEM(&b->pool->err, "pieces", p->piece.n);
                return;
        }
        p->is_off |= path == PS_NONE;
        if (path == PS_NONE)
                ps_piecing_put(p, time, path, begins);
        else
                ps_piecing_put_newest(p, time, path, begins);
}

/* What was entered counts as a visit, whether or not it takes any time before the next region. */
static void add_begun(ps_builder *b)
{
        ps_path begun = b->pieces->begun;
        b->pieces->begun = 0;
        if (begun)
                add_piece(b, 0, begun, 1);
}

enum { UNWOUND_DEPTH = 1024 };

static uint32_t depth_of(const struct tree *tree, ps_path path)
{
        uint32_t depth = 0;
        for (; path && depth < UNWOUND_DEPTH; path = tree->place[path].is.parent)
                depth++;
        return depth;
}

/* Who unwinds the stack at calls enters nothing but those: between one that was called from `a` and one from
 * `b` the location has been in the deepest function that both have in common, wherever in it the calls stand.
 * If they have none, because so far was not unwound, what follows tells more than nothing does. */
static ps_path common(const struct tree *tree, ps_path a, ps_path b, ps_path otherwise)
{
        if (a == b)
                return a;
        uint32_t in_a = depth_of(tree, a), in_b = depth_of(tree, b);
        for (; in_a > in_b; in_a--)
                a = tree->place[a].is.parent;
        for (; in_b > in_a; in_b--)
                b = tree->place[b].is.parent;
        ps_path deepest = a;
        for (; in_a && a != b; in_a--) {
                ps_path above = tree->place[a].is.parent;
                if (tree->place[a].is.region != tree->place[b].is.region)
                        deepest = above;
                a = above;
                b = tree->place[b].is.parent;
        }
        return a == b ? deepest : otherwise;
}

/* What was left last was called from there, below what is open; 0: nowhere else. */
static ps_path below_of(const ps_builder *b)
{
        ps_path left = b->pieces->left, caller = left ? b->tree.place[left].is.parent : 0;
        return caller != ps_piecing_place(b) ? caller : 0;
}

/* `caller`: what it enters now was called from there; PS_NONE: it enters nothing. */
static void charge_piece(ps_builder *b, ps_time now, ps_path caller)
{
        struct ps_piecing *p = with_gap(b);
        if (!p || !ps_piecing_runs(b))
                return;
        ps_time time = now - p->since;
        ps_path sampled = p->sampled;
        p->next = GAP_PLAIN;
        if (sampled)
                ps_builder_be_sampled(p, 0);
        if (time <= 0) {
                add_begun(b);
                return;
        }
        ps_path path = b->is_off ? PS_NONE : ps_piecing_place(b);
        if (caller != PS_NONE && caller != path && path != PS_NONE) {
                ps_path below = below_of(b);
                path = below ? common(&b->tree, below, caller, path) : caller;
                path = path ? path : caller;
        }
        path = sampled && path != PS_NONE ? sampled : path;
        p->since = now;
        uint32_t begins = p->begun == path && path;
        if (!begins)
                add_begun(b);
        p->begun = 0;
        add_piece(b, time, path, begins);
}

void ps_builder_charge_sample(ps_builder *b, ps_time until)
{
        struct ps_piecing *p = b->pieces;
        if (until <= p->since)
                return;
        add_begun(b);
        add_piece(b, until - p->since, p->sampled, 0);
        p->since = until;
}

void ps_builder_charge_rest(ps_builder *b, ps_time now)
{
        if (with_gap(b) && !b->stack.n && (below_of(b) || b->pieces->sampled))
                charge_piece(b, now, below_of(b));
}

/* -- before a team -- */

/* From where the outermost parallel region around it was called; PS_NONE: there is none. */
static ps_path caller_of_team(const ps_builder *b, ps_path node)
{
        ps_path caller = PS_NONE;
        for (; node; node = b->tree.place[node].is.parent) {
                const ps_region_def *def = region_of(b, b->tree.place[node].is.region);
                if (def && def->role == PS_ROLE_PARALLEL)
                        caller = b->tree.place[node].is.parent;
        }
        return caller;
}

/* The last operation before `fork` was called from there: of a team that was joined outside of all regions,
 * the last one in it. 0: nowhere, or there is none. */
static ps_path caller_before(const ps_builder *b, ps_op fork)
{
        ps_path path = 0;
        for (ps_op op = fork; op-- > 0 && op + PS_JOINS + 1 >= fork && !path;) {
                path = ps_rows_call(b, op)->path;
                if (!ps_is_joined(CELL(b, kind, op)))
                        break;
        }
        return path ? b->tree.place[path].is.parent : 0;
}

/* Who unwinds the stack at calls forks outside of all regions, and tells where only once the first thread is
 * in the team, and enters `node`. */
static void tell_before_team(ps_builder *b, ps_path node)
{
        struct ps_piecing *p = b->pieces;
        const ps_op fork = b->n_rows - 2;
        if (b->stack.n || b->n_rows < 2 || CELL(b, kind, fork + 1) != PS_K_TEAM_BEGIN ||
            CELL(b, kind, fork) != PS_K_THREAD_FORK)
                return;
        const ps_path caller = caller_of_team(b, node), below = caller_before(b, fork);
        const uint32_t behind = p->end.row[fork], first = fork ? p->end.row[fork - 1] : 0;
        if (caller == PS_NONE || behind == first || p->piece.row[behind - 1].path)
                return;
        p->piece.row[behind - 1].path = below ? common(&b->tree, below, caller, caller) : caller;
}

/* -- visits -- */

void ps_builder_charge_watched(ps_builder *b, ps_time time)
{
        charge_piece(b, time, PS_NONE);
        ps_builder_charge_stay(b, time, 0);
}

void ps_builder_enter_slowly(ps_builder *b, ps_path node, ps_time time)
{
        struct ps_piecing *p = with_gap(b);
        const ps_region_def *def = region_of(b, b->tree.place[node].is.region);
        charge_piece(b, time, b->tree.place[node].is.parent);
        ps_builder_charge_stay(b, time, 1);
        if (!p)
                return;
        tell_before_team(b, node);
        p->left = 0;
        if (ps_piecing_runs(b) && def && ps_piecing_computes(def))
                p->begun = node;
}

void ps_builder_leave_slowly(ps_builder *b, uint32_t at, ps_time time)
{
        struct ps_piecing *p = with_gap(b);
        if (p)
                p->left = at + 1 == b->stack.n ? b->stack.row[at].node : 0;
        ps_builder_charge_watched(b, time);
}

/* Of each two of the following one does what is plain, and goes on to the other with the rest. */
static __attribute__((noinline)) void enter_any(ps_builder *b, ps_path node, ps_time time)
{
        struct ps_piecing *p = with_gap(b);
        if (ps_piecing_runs(b))
                ps_builder_enter_slowly(b, node, time);
        else
                p->left = 0;
}

/* A gap begins where an operation was left, and the location has been in `path` since then; false, and
 * nothing has changed, where there is more to it. */
PS_FOLD_INLINE bool begin_plain(ps_builder *b, ps_path path, ps_time now)
{
        struct ps_piecing *p = b->pieces;
        const uint32_t n = p->piece.n;
        const ps_time since = ps_piecing_fresh(b);
        if (now <= since || p->next != GAP_PLAIN || n >= p->room || path >= p->n_newest)
                return false;
        p->first = p->quick = n;
        ps_piecing_put_newest(p, now - since, path, 0);
        p->gap = b->n_rows;
        p->since = now;
        return true;
}

void ps_builder_enter_own(ps_builder *b, ps_path above, ps_path node, ps_time time)
{
        struct ps_piecing *p = b->pieces;
        if (!ps_piecing_runs(b)) {
                if (!begin_plain(b, above, time)) {
                        enter_any(b, node, time);
                        return;
                }
        } else if (!ps_piecing_charge(p, above, time, 1)) {
                ps_builder_enter_slowly(b, node, time);
                return;
        }
        p->left = 0;
        p->begun = node;
}

static __attribute__((noinline)) void leave_any(ps_builder *b, ps_path path, ps_time time)
{
        struct ps_piecing *p = with_gap(b);
        if (!ps_piecing_runs(b) || ps_piecing_charge(p, path, time, 1))
                p->left = path;
        else
                ps_builder_leave_slowly(b, b->stack.n - 1, time);
}

void ps_builder_leave_own(ps_builder *b, ps_path path, ps_time time)
{
        struct ps_piecing *p = b->pieces;
        if (ps_piecing_runs(b) ? ps_piecing_charge(p, path, time, 1) : begin_plain(b, path, time))
                p->left = path;
        else
                leave_any(b, path, time);
}

/* What it did until it entered is charged all the same: whoever enters again finds nothing left of that. */
static __attribute__((noinline)) bool pass_any(ps_builder *b, ps_path above, ps_path node, ps_time enter,
                                               ps_time leave)
{
        struct ps_piecing *p = b->pieces;
        if (!(ps_piecing_runs(b) ? ps_piecing_charge(p, above, enter, 1) : begin_plain(b, above, enter)))
                return false;
        p->begun = node;
        if (!ps_piecing_charge(p, node, leave, 1)) {
                p->begun = 0;
                return false;
        }
        p->left = node;
        return true;
}

/* Both charges at once, of paths that have no piece in this gap yet. `begins`: the upper one was entered
 * there. */
PS_FOLD_INLINE void put_both(struct ps_piecing *p, ps_path above, ps_path node, ps_time enter, ps_time leave,
                             ps_time since, uint32_t begins)
{
        const uint32_t n = p->piece.n;
        ps_piece *piece = p->piece.row + n;
        assert(above < node); /* below which it was met */
        piece[0] = (ps_piece){enter - since, above, begins};
        piece[1] = (ps_piece){leave - enter, node, 1};
        p->newest[above] = n + 1;
        p->newest[node] = p->piece.n = n + 2;
        p->since = leave;
        p->begun = 0;
        p->left = node;
}

/* In a gap that is known, mostly right inside another region that was entered just before. */
static __attribute__((noinline)) bool pass_begun(ps_builder *b, ps_path above, ps_path node, ps_time enter,
                                                 ps_time leave)
{
        struct ps_piecing *p = b->pieces;
        if (!above || p->begun != above || node >= p->n_newest || p->newest[above] > p->quick ||
            p->newest[node] > p->quick || enter <= p->since || leave <= enter || p->piece.n + 1 >= p->room)
                return pass_any(b, above, node, enter, leave);
        put_both(p, above, node, enter, leave, p->since, 1);
        return true;
}

/* Mostly it is the first one in its gap: this is begin_plain(), and the charge of both. */
bool ps_builder_pass_own(ps_builder *b, ps_path above, ps_path node, ps_time enter, ps_time leave)
{
        struct ps_piecing *p = b->pieces;
        if (ps_piecing_runs(b))
                return pass_begun(b, above, node, enter, leave);
        const uint32_t n = p->piece.n;
        const ps_time since = ps_piecing_fresh(b);
        if (enter <= since || leave <= enter || p->next != GAP_PLAIN || n + 1 >= p->room ||
            node >= p->n_newest)
                return pass_any(b, above, node, enter, leave);
        put_both(p, above, node, enter, leave, since, 0);
        p->first = p->quick = n;
        p->gap = b->n_rows;
        return true;
}

static __attribute__((noinline)) void enter_any_call(ps_builder *b, ps_path above, ps_path node,
                                                     ps_time enter)
{
        struct ps_piecing *p = with_gap(b);
        if (!ps_piecing_runs(b) || !ps_piecing_charge(p, above, enter, 1))
                ps_builder_enter_slowly(b, node, enter);
        p->left = 0;
        ps_builder_end_gap(b, enter);
}

void ps_builder_enter_call(ps_builder *b, ps_path above, ps_path node, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        if (!ps_piecing_runs(b) || !ps_piecing_charge(p, above, enter, 1)) {
                enter_any_call(b, above, node, enter);
                return;
        }
        p->left = 0;
        ps_piecing_close(p, b->n_rows);
}

void ps_builder_left_outer(ps_builder *b)
{
        if (b->pieces && b->pieces->gap != b->n_rows && !is_open(b, b->n_rows - 1)) {
                find_gap(b);
                b->pieces->left = 0;
        }
}

/* -- gaps -- */

/* The operation began before what was charged last had ended. */
static void take_back(struct ps_piecing *p, ps_time over)
{
        while (over > 0 && p->piece.n > p->first) {
                ps_piece *last = &p->piece.row[p->piece.n - 1];
                ps_time part = last->time < over ? last->time : over;
                last->time -= part;
                over -= part;
                if (last->time)
                        return;
                if (last->path < p->n_newest)
                        p->newest[last->path] = 0;
                p->piece.n--;
        }
}

static __attribute__((noinline)) void end_any_gap(ps_builder *b, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        p->is_odd |= ps_piecing_runs(b) ? p->since > enter : !b->n_rows || !is_open(b, b->n_rows - 1);
        charge_piece(b, enter, PS_NONE);
        if (ps_piecing_runs(b) && p->since > enter)
                take_back(p, p->since - enter);
        p->begun = 0;
        ps_piecing_close(p, b->n_rows);
}

void ps_builder_end_gap(ps_builder *b, ps_time enter)
{
        if (with_gap(b) && !ps_piecing_ends_gap(b, enter))
                end_any_gap(b, enter);
}
