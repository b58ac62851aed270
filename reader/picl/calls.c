/* calls.c - see calls.h. */
#include "reader/picl/calls.h"

#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

enum { OPEN_MAX = 1 << 20, MISNEST_DEPTH = 256 };

static ps_picl_call *top(ps_picl_place_out *p)
{
        return p->n ? &p->open[p->n - 1] : NULL;
}

static ps_picl_queued queued_line(const ps_picl_calls *w, const ps_picl_place_out *p, ps_time time,
                                  int32_t record, int32_t event)
{
        return (ps_picl_queued){.time = ps_time_sub(time, w->zero),
                                .node = p->node,
                                .pid = p->pid,
                                .record = record,
                                .event = event,
                                .state = PS_PICL_READY};
}

static uint64_t add_record(ps_picl_calls *w, const ps_picl_place_out *p, ps_time time, int32_t record,
                           int32_t event)
{
        ps_picl_queued line = queued_line(w, p, time, record, event);

        return ps_picl_queue_add(&w->queue, &line);
}

static uint64_t hold(ps_picl_calls *w, const ps_picl_place_out *p, ps_time time, int32_t record)
{
        ps_picl_queued line = queued_line(w, p, time, record, 0);

        line.state = PS_PICL_HELD;
        return ps_picl_queue_add(&w->queue, &line);
}

/* Gives a held line what it waited for; `value` may be NULL. */
static void settle_line(ps_picl_calls *w, uint64_t number, int32_t event, const int64_t *value, uint8_t n)
{
        if (w->queue.status != PS_OK)
                return;
        ps_picl_queued *line = ps_picl_queue_at(&w->queue, number);
        line->event = event;
        line->state = PS_PICL_READY;
        line->n = n;
        if (n)
                memcpy(line->value, value, n * sizeof(*value));
}

static void drop_call(ps_picl_calls *w, uint64_t number)
{
        if (w->queue.status == PS_OK)
                ps_picl_queue_at(&w->queue, number)->state = PS_PICL_DROPPED;
}

/* -- regions -- */

const ps_picl_call *ps_picl_calls_top(const ps_picl_place_out *place)
{
        return place->n ? &place->open[place->n - 1] : NULL;
}

void ps_picl_calls_line(ps_picl_calls *calls, const ps_picl_place_out *place, ps_time time, int32_t record,
                        int32_t event)
{
        add_record(calls, place, time, record, event);
}

/* As the fold sees it: the records inside of such a region belong to it. */
static bool is_call(const ps_region_def *def)
{
        return def->kind != PS_K_NONE || def->paradigm == PS_PARADIGM_MPI ||
               def->paradigm == PS_PARADIGM_SHMEM || def->paradigm == PS_PARADIGM_PGAS;
}

/* An interval that is one by its name, without any record inside. */
static bool needs_no_record(const ps_picl_event *row)
{
        return row && (row->act == PS_PICL_PLAIN || row->act == PS_PICL_IO || row->act == PS_PICL_FLUSH);
}

static int32_t region_number(const ps_picl_calls *w, const ps_picl_call *f)
{
        const ps_picl_event *own = ps_picl_numbers_own(&w->numbers, f->region);

        return own ? own->number : needs_no_record(f->row) ? f->row->number : w->numbers.number[f->region];
}

static ps_picl_call *push_call(ps_picl_calls *w, ps_picl_place_out *p)
{
        if (p->n == OPEN_MAX)
                PS_THEN(w->queue.status, PS_FAIL(&w->queue.err, PS_E_INPUT,
                                                 "too many regions are open at once: most=%d", OPEN_MAX));
        else if (PS_ROOM(p->open, p->n, p->cap))
                w->queue.status = PS_NOMEM(&w->queue.err, "open regions", p->n);
        return w->queue.status != PS_OK ? NULL : &p->open[p->n++];
}

void ps_picl_calls_enter(ps_picl_calls *w, ps_picl_place_out *p, ps_time time, ps_region region)
{
        if (region >= w->defs->regions.n) {
                w->n_lossy++;
                return;
        }
        ps_picl_call *f = push_call(w, p);
        if (!f)
                return;
        *f = (ps_picl_call){.region = region, .row = w->numbers.row[region]};
        f->is_library = (uint8_t)is_call(&w->defs->regions.row[region]);
        if (f->is_library && !needs_no_record(f->row))
                f->entry = hold(w, p, time, PS_PICL_R_ENTRY);
        else
                f->entry = add_record(w, p, time, PS_PICL_R_ENTRY, region_number(w, f));
}

/* The entry of a call that no record tells of: that it was another operation, PICL does not say. */
static void settle_unexplained(ps_picl_calls *w, const ps_picl_call *f)
{
        if (!f->is_library || needs_no_record(f->row))
                return;
        settle_line(w, f->entry, region_number(w, f), NULL, 0);
        w->n_lossy += w->defs->regions.row[f->region].kind != PS_K_NONE && !w->numbers.is_told[f->region];
}

static bool is_waiting_inside(const ps_picl_calls *w, const ps_picl_call *f, const ps_picl_call *idle)
{
        return w->thesis && f->is_library && !f->n_parts && f->row && f->row->act == PS_PICL_RECV &&
               idle->row && idle->row->number == ps_picl_events[PS_PICL_E_IDLE].number;
}

static void close_frame(ps_picl_calls *w, ps_picl_place_out *p, ps_picl_call *f, ps_time time)
{
        int32_t event = region_number(w, f);
        uint64_t line = hold(w, p, time, PS_PICL_R_EXIT);

        if (f->n_parts) {
                settle_line(w, line, f->last.event, f->last.value, f->last.n);
                drop_call(w, f->next);
                drop_call(w, f->next + 1);
        } else {
                settle_unexplained(w, f);
                settle_line(w, line, event, NULL, 0);
        }
        if (f > p->open && is_waiting_inside(w, f - 1, f)) {
                drop_call(w, f[-1].entry);
                f[-1].entry = hold(w, p, time, PS_PICL_R_ENTRY);
        }
}

void ps_picl_calls_leave(ps_picl_calls *w, ps_picl_place_out *p, ps_time time, ps_region region)
{
        for (uint32_t depth = 0; depth < p->n && depth < MISNEST_DEPTH; depth++) {
                uint32_t at = p->n - 1 - depth;
                if (region != PS_NONE && p->open[at].region != region)
                        continue;
                close_frame(w, p, &p->open[at], time);
                memmove(&p->open[at], &p->open[at + 1], depth * sizeof(*p->open));
                p->n--;
                return;
        }
        w->n_lossy++;
}

/* What is never left has an entry only. */
void ps_picl_calls_end(ps_picl_calls *w, ps_picl_place_out *p)
{
        for (uint32_t i = 0; i < p->n; i++) {
                ps_picl_call *f = &p->open[i];
                if (f->n_parts) {
                        drop_call(w, f->next);
                        drop_call(w, f->next + 1);
                } else {
                        settle_unexplained(w, f);
                }
        }
}

static void add_bare(ps_picl_calls *w, ps_picl_place_out *p, ps_time time, const ps_picl_part *what)
{
        uint64_t line = hold(w, p, time, PS_PICL_R_ENTRY);

        settle_line(w, line, what->row->number, what->entry, what->n_entry);
        line = hold(w, p, time, PS_PICL_R_EXIT);
        settle_line(w, line, what->row->number, what->exit, what->n_exit);
}

/* A record of a call that has become events already ends the last of them. */
void ps_picl_calls_part(ps_picl_calls *w, ps_picl_place_out *p, ps_time time, const ps_picl_part *what)
{
        ps_picl_call *f = top(p);

        if (!f || !f->is_library || needs_no_record(f->row)) {
                add_bare(w, p, time, what);
                return;
        }
        if (f->n_parts++) {
                settle_line(w, f->next, f->last.event, f->last.value, f->last.n);
                settle_line(w, f->next + 1, what->row->number, what->entry, what->n_entry);
                w->n_lossy++;
        } else {
                settle_line(w, f->entry, what->row->number, what->entry, what->n_entry);
                /* Of a call of UPC only its modes are kept. */
                w->n_lossy += ps_paradigm_is_pgas(w->defs->regions.row[f->region].paradigm) != 0;
        }
        f->last = (ps_picl_queued){.event = what->row->number, .n = what->n_exit};
        memcpy(f->last.value, what->exit, sizeof(what->exit));
        f->next = hold(w, p, time, PS_PICL_R_EXIT);
        hold(w, p, time, PS_PICL_R_ENTRY);
}
