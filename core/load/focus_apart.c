/* focus_apart.c - see focus_apart.h. Call paths have the same numbers everywhere by then. */
#include "core/load/focus_apart.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/base/memory.h"
#include "core/base/pass.h"

#include <stdlib.h>
#include <string.h>

#define VALUE(p, value) PS_TRY(ps_pass_values((p), &(value), 1, sizeof(value)))

static ps_status pass_focus(ps_pass *p, ps_focus *focus)
{
        VALUE(p, focus->how);
        VALUE(p, focus->n_spans);
        return ps_pass_column(p, &focus->span, focus->n_spans, sizeof(*focus->span));
}

/* -- what the locations did there -- */

static ps_status pass_cutting(ps_pass *p, ps_focus *focus, ps_time **shift, uint32_t n_locs)
{
        PS_TRY(pass_focus(p, focus));
        return ps_pass_column(p, shift, n_locs, sizeof(**shift));
}

/* Of the locations that one process has read. */
static ps_status pass_parts(ps_pass *p, const struct ps_cutting *c, ps_arena *arena, uint32_t of)
{
        const ps_trace *trace = c->f->trace;
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                ps_focus_part *part = &c->part[l];
                if (c->f->owner[trace->defs.locations.row[l].process] != of || c->shift[l] == PS_UNCUT)
                        continue;
                VALUE(p, part->off);
                VALUE(p, part->n_uses);
                if (p->way == PS_PASS_TAKE && !(part->uses = PS_ARENA_NEW(arena, ps_path_use, part->n_uses)))
                        return PS_NOMEM(p->err, "call paths", part->n_uses);
                PS_TRY(ps_pass_values(p, part->uses, part->n_uses, sizeof(*part->uses)));
        }
        return PS_OK;
}

static ps_status ask_to_cut(const struct ps_cutting *c, ps_error *err)
{
        ps_focus focus = *c->focus;
        ps_time *shift = (ps_time *)c->shift;
        uint32_t n_locs = c->f->trace->n_locs;
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_cutting(&measure, &focus, &shift, n_locs));
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = calloc(measure.used, 1), .err = err};
        ps_status status = put.bytes ? pass_cutting(&put, &focus, &shift, n_locs)
                                     : PS_NOMEM(err, "what is asked", measure.used);
        PS_THEN(status, ps_task_ask(c->f->options->exchange, TASK_CUT, put.bytes, put.size, err));
        free(put.bytes);
        return status;
}

static ps_status take_parts(const struct ps_cutting *c, const ps_pile *parts, uint32_t size, ps_error *err)
{
        for (uint32_t of = 1; of < size; of++) {
                ps_pass take = {.way = PS_PASS_TAKE, .err = err};
                take.bytes = (uint8_t *)ps_pile_part(parts, of, &take.size);
                PS_TRY(pass_parts(&take, c, c->f->trace->arena, of));
        }
        return PS_OK;
}

ps_status ps_cut_together(const struct ps_cutting *c, ps_error *err)
{
        ps_exchange *x = c->f->options->exchange;
        ps_pile parts;
        PS_TRY(ask_to_cut(c, err));
        ps_status status = ps_cut_here(c, c->f->trace->arena, err);
        status = ps_share_gather(x, status, &parts, NULL, 0, err);
        PS_THEN(status, take_parts(c, &parts, x->size, err));
        ps_pile_clear(&parts);
        return status;
}

static ps_status put_parts(ps_pass *put, const struct ps_cutting *c, ps_error *err)
{
        uint32_t rank = c->f->options->exchange->rank;
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_parts(&measure, c, NULL, rank));
        *put = (ps_pass){
                .way = PS_PASS_PUT, .size = measure.used, .bytes = calloc(measure.used + 1, 1), .err = err};
        return put->bytes ? pass_parts(put, c, NULL, rank) : PS_NOMEM(err, "call paths", measure.used);
}

void ps_cut_apart(struct ps_folding *f, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_focus focus = {.n_spans = 0};
        ps_time *shift = NULL;
        ps_arena *arena = ps_arena_new();
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = asked, .size = n, .err = &err}, put = {.bytes = NULL};
        ps_pile none;
        struct ps_cutting c = {.f = f, .focus = &focus};
        ps_status status = pass_cutting(&take, &focus, &shift, f->trace->n_locs);
        c.shift = shift;
        c.part = arena ? PS_ARENA_NEW(arena, ps_focus_part, f->trace->n_locs) : NULL;
        PS_THEN(status, c.part ? PS_OK : PS_NOMEM(&err, "locations", f->trace->n_locs));
        PS_THEN(status, ps_cut_here(&c, arena, &err));
        PS_THEN(status, put_parts(&put, &c, &err));
        ps_share_gather(f->options->exchange, status, &none, put.bytes, put.used, &err);
        free(put.bytes);
        ps_arena_free(arena);
}

/* -- moments -- */

static ps_status pass_moments(ps_pass *p, ps_focus *focus)
{
        PS_TRY(pass_focus(p, focus));
        return ps_pass_column(p, &focus->moments, 2 * (size_t)focus->n_spans, sizeof(*focus->moments));
}

static ps_status ask_for_moments(ps_focus *focus, ps_exchange *x, ps_error *err)
{
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_moments(&measure, focus));
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = calloc(measure.used, 1), .err = err};
        ps_status status =
                put.bytes ? pass_moments(&put, focus) : PS_NOMEM(err, "what is asked", measure.used);
        PS_THEN(status, ps_task_ask(x, TASK_MOMENTS, put.bytes, put.size, err));
        free(put.bytes);
        return status;
}

static bool is_nearer(const ps_moment *a, const ps_moment *b)
{
        if (b->after.op == PS_NONE || a->distance != b->distance)
                return b->after.op == PS_NONE || a->distance < b->distance;
        return a->after.loc < b->after.loc;
}

/* What a process has found: of which moment, and where it is. */
struct found {
        ps_moment at;
        uint32_t moment;
};

static void take_moments(ps_focus *focus, const ps_pile *found, uint32_t from)
{
        struct found f;
        size_t n;
        const uint8_t *bytes = ps_pile_part(found, from, &n);
        for (size_t at = 0; at < n; at += sizeof(f)) {
                memcpy(&f, bytes + at, sizeof(f));
                if (is_nearer(&f.at, &focus->moments[f.moment]))
                        focus->moments[f.moment] = f.at;
        }
}

ps_status ps_moments_together(const struct ps_folding *f, ps_focus *focus, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        ps_pile found;
        PS_TRY(ask_for_moments(focus, x, err));
        ps_focus_find_moments(focus, f->trace, ps_share_is_here);
        PS_TRY(ps_share_gather(x, PS_OK, &found, NULL, 0, err));
        for (uint32_t p = 1; p < x->size; p++)
                take_moments(focus, &found, p);
        ps_pile_clear(&found);
        return PS_OK;
}

static size_t list_found(struct found *out, const ps_focus *focus)
{
        size_t n = 0;
        for (uint32_t i = 0; i < 2 * focus->n_spans; i++)
                if (focus->moments[i].after.op != PS_NONE) {
                        out[n].at = focus->moments[i];
                        out[n++].moment = i;
                }
        return n;
}

void ps_moments_apart(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_focus focus = {.n_spans = 0};
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = asked, .size = n, .err = &err};
        ps_pile none;
        ps_status status = pass_moments(&take, &focus);
        struct found *found = calloc(2 * (size_t)focus.n_spans + 1, sizeof(*found));
        (void)n_threads;
        PS_THEN(status, found ? PS_OK : PS_NOMEM(&err, "spans of time", focus.n_spans));
        if (status == PS_OK)
                ps_focus_find_moments(&focus, here, ps_share_is_here);
        size_t n_found = status == PS_OK ? list_found(found, &focus) : 0;
        ps_share_gather(here->spread->x, status, &none, found, n_found * sizeof(*found), &err);
        free(found);
}
