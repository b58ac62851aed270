/* share.c - see share.h.
 *
 * Process 0 says what is to be read and by whom; all read; all agree; messages are matched where they are
 * received. What was read stays there until process 0 asks for it (travel.h), and all agree again. */
#include "core/load/share.h"
#include "core/load/absent.h"
#include "core/load/away.h"
#include "core/load/between.h"
#include "core/load/ends.h"
#include "core/load/focus.h"
#include "core/load/focus_apart.h"
#include "core/load/folding.h"
#include "core/load/lending.h"
#include "core/load/near.h"
#include "core/load/opening.h"
#include "core/load/profiled.h"
#include "core/load/settle.h"
#include "core/load/tasks.h"
#include "core/load/travel.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/exchange/shares.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of TASK_READ: this, three texts with their ends (the path, the format, the region that is the
 * focus), and from `owners` on a number for each process of the program. */
struct reading {
        uint64_t print, memory;
        uint32_t n_threads, most_pieces, n_owners;
        uint32_t path, format, region, owners; /* where they begin, from the begin of this */
        uint8_t keeps_pieces, keeps_stacks, upc_flags, how, is_open;
};

/* -- who reads what -- */

static ps_status weigh(const struct ps_folding *f, const ps_exchange *x, ps_error *err)
{
        const ps_defs *defs = &f->trace->defs;
        uint64_t *weight = calloc(defs->processes.n + (size_t)1, sizeof(*weight));
        if (!weight)
                return PS_NOMEM(err, "processes", defs->processes.n);
        for (ps_loc l = 0; l < f->trace->n_locs; l++)
                weight[defs->locations.row[l].process] += f->format->weight(f->reader, l) + 1;
        ps_shares_deal(f->owner, weight, defs->processes.n, x->leads_only, x->size);
        free(weight);
        return PS_OK;
}

static ps_status deal_out(struct ps_folding *f, const ps_exchange *x, ps_error *err)
{
        uint32_t n = f->trace->defs.processes.n;
        f->owner = calloc(n + (size_t)1, sizeof(*f->owner));
        if (!f->owner)
                return PS_NOMEM(err, "processes", n);
        if (!f->format->owner)
                return weigh(f, x, err);
        for (ps_proc p = 0; p < n; p++)
                f->owner[p] = f->format->owner(f->reader, p);
        return PS_OK;
}

/* -- process 0 -- */

static uint32_t put_text(uint8_t *at, uint32_t where, const char *text)
{
        size_t n = strlen(text) + 1;
        if (at)
                memcpy(at + where, text, n);
        return where + (uint32_t)n;
}

/* Into `at`, or to learn how much it is. */
static size_t put_reading(uint8_t *at, const struct ps_folding *f)
{
        const ps_load_options *o = f->options;
        struct reading r = {.print = f->print,
                            .memory = o->memory,
                            .n_threads = o->exchange->asked_threads,
                            .most_pieces = o->pieces ? o->pieces->most : 0,
                            .n_owners = f->trace->defs.processes.n,
                            .path = sizeof(r),
                            .keeps_pieces = o->pieces != NULL,
                            .keeps_stacks = o->call_stacks != 0,
                            .upc_flags = (uint8_t)o->upc_flags,
                            .how = (uint8_t)(o->focus ? o->focus->how : PS_FOCUS_WHOLE_RUN),
                            .is_open = f->format->open_together != NULL};
        r.format = put_text(at, r.path, f->path);
        r.region = put_text(at, r.format, f->format->name);
        r.owners = put_text(at, r.region, r.how == PS_FOCUS_REGION ? o->focus->region : "");
        if (at) {
                memcpy(at, &r, sizeof(r));
                memcpy(at + r.owners, f->owner, r.n_owners * sizeof(*f->owner));
        }
        return r.owners + r.n_owners * sizeof(*f->owner);
}

static ps_status ask(const struct ps_folding *f, ps_exchange *x, ps_error *err)
{
        size_t n = put_reading(NULL, f);
        uint8_t *reading = malloc(n);
        if (!reading)
                return PS_NOMEM(err, "what is to be read", n);
        put_reading(reading, f);
        ps_task_order(x, TASK_READ, n);
        ps_status status = ps_exchange_agree(x, PS_OK, err);
        if (status == PS_OK)
                ps_exchange_broadcast(x, reading, n);
        free(reading);
        return status;
}

ps_status ps_share_fold(struct ps_folding *f, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        bool is_shared =
                ps_exchange_is_shared(x) && f->path && (f->format->lies_apart || f->format->open_together);
        if (is_shared) {
                x->readings++;
                x->told.sum_bytes = x->told.cause_bytes = 0;
                x->told.rows_travelled = NULL;
                PS_TRY(ps_opening_print(f, err));
                PS_TRY(deal_out(f, x, err));
        }
        PS_TRY(ps_folding_prepare(f, err)); /* where that fails nobody else has to begin */
        if (is_shared)
                PS_TRY(ask(f, x, err));
        ps_status status = ps_folding_run(f, err);
        if (is_shared)
                status = ps_exchange_agree(x, status, err);
        PS_THEN(status, ps_settle(f, err));
        if (is_shared) {
                PS_THEN(status, ps_near_match(f, err));
                PS_THEN(status, ps_away_decide(f) ? ps_away_take(f, err) : ps_travel_take(f, x, err));
                PS_THEN(status, ps_near_count(f));
        }
        return status == PS_OK ? ps_folding_end(f, err) : status;
}

void ps_share_count(const struct ps_folding *f)
{
        const ps_trace *trace = f->trace;
        ps_exchange *x = f->options->exchange;
        if (!x)
                return;
        x->told.is_known = true;
        x->told.messages = trace->n_messages;
        x->told.collectives = ps_share_n_collectives(trace);
        x->told.crossing = f->near.crossing;
}

void ps_share_dismiss(ps_exchange *x)
{
        if (ps_exchange_is_shared(x))
                ps_task_order(x, TASK_END, 0);
}

/* -- the others -- */

/* The definitions, and what of the others' wishes follows from them. */
static ps_status open_share(struct ps_folding *f, const struct reading *r, const uint8_t *bytes,
                            ps_error *err)
{
        ps_defs *defs = &f->trace->defs;
        ps_focus_wish wish = {.how = (ps_focus_how)r->how, .region = (const char *)bytes + r->region};
        if (!f->reader)
                PS_TRY(f->format->open(&f->reader, f->path, defs, &f->trace->issues, err));
        defs->upc_flags = f->options->upc_flags;
        PS_TRY(ps_defs_freeze(defs, err));
        f->trace->n_locs = defs->locations.n;
        PS_TRY(ps_opening_print(f, err));
        if (f->print != r->print || defs->processes.n != r->n_owners)
                return PS_FAIL(err, PS_E_INPUT, "there is another trace at this path here: path=\"%s\"",
                               f->path);
        f->owner = malloc((r->n_owners + (size_t)1) * sizeof(*f->owner));
        if (!f->owner)
                return PS_NOMEM(err, "processes", r->n_owners);
        memcpy(f->owner, bytes + r->owners, r->n_owners * sizeof(*f->owner));
        PS_TRY(ps_load_focus_regions(&f->in_focus, f->trace, &wish, err));
        PS_TRY(ps_folding_prepare(f, err));
        return ps_folding_run(f, err);
}

/* What a work has left for those behind it. */
struct ps_kept {
        void *what;
        void (*drop)(void *what);
};

/* What a process holds of the trace that it has read a part of. */
struct share {
        struct ps_folding f; /* of no trace: nothing was read */
        ps_load_options options;
        struct ps_piece_options pieces;
        uint8_t *reading; /* what was asked for */
        struct ps_kept kept;
};

static void drop_kept(struct ps_kept *kept)
{
        if (kept->what)
                kept->drop(kept->what);
        kept->what = NULL;
}

void ps_share_keep(const ps_trace *trace, void *what, void (*drop)(void *what))
{
        drop_kept(trace->spread->kept);
        *trace->spread->kept = (struct ps_kept){what, drop};
}

void *ps_share_kept(const ps_trace *trace)
{
        return trace->spread->kept->what;
}

static void drop_share(struct share *s)
{
        drop_kept(&s->kept);
        if (s->f.trace)
                ps_folding_clear(&s->f);
        if (s->f.reader)
                s->f.format->close(s->f.reader);
        ps_trace_close(s->f.trace);
        free(s->reading);
        *s = (struct share){.reading = NULL};
}

static ps_status read_share(struct share *s, ps_exchange *x, const ps_reader_class *(*find)(const char *name),
                            ps_error *err)
{
        struct ps_folding *f = &s->f;
        struct reading r;
        unsigned lacks = ps_memory_lacks();
        memcpy(&r, s->reading, sizeof(r));
        f->near.all_bytes = x->bytes;
        s->pieces.most = r.most_pieces;
        s->options = (ps_load_options){.n_threads = r.n_threads ? r.n_threads : x->n_threads,
                                       .upc_flags = (ps_upc_flags)r.upc_flags,
                                       .pieces = r.keeps_pieces ? &s->pieces : NULL,
                                       .exchange = x,
                                       .call_stacks = r.keeps_stacks};
        f->options = &s->options;
        f->path = (const char *)s->reading + r.path;
        f->format = find((const char *)s->reading + r.format);
        if (r.memory)
                ps_blocks_limit(r.memory);
        ps_status status = f->trace ? PS_OK : ps_trace_new(&f->trace, f->format->name, err);
        PS_THEN(status, open_share(f, &r, s->reading, err));
        if (status == PS_OK && ps_memory_lacks() != lacks)
                status = PS_NOMEM(err, "all that was asked for", ps_memory_lacks() - lacks);
        PS_TRY(ps_exchange_agree(x, status, err));
        PS_TRY(ps_settle(f, err));
        return ps_near_match(f, err);
}

/* TASK_OPEN, of which `n` bytes tell: until TASK_READ the share holds what it was dealt. */
static void open_with_all(struct share *s, ps_exchange *x, size_t n,
                          const ps_reader_class *(*find)(const char *name))
{
        ps_error err = {0};
        drop_share(s);
        s->f.near.all_bytes = x->bytes;
        if (ps_opening_follow(&s->f, x, n, find, &err) != PS_OK)
                drop_share(s);
}

/* TASK_READ, of which `n` bytes tell. What fails is dropped: process 0 goes on without it. */
static void begin_share(struct share *s, ps_exchange *x, size_t n,
                        const ps_reader_class *(*find)(const char *name))
{
        ps_error err = {0};
        uint8_t *reading = malloc(n);
        ps_status status = reading ? PS_OK : PS_NOMEM(&err, "what is to be read", n);
        if (ps_exchange_agree(x, status, &err) != PS_OK || !reading) {
                free(reading);
                return;
        }
        ps_exchange_broadcast(x, reading, n);
        if (!((const struct reading *)reading)->is_open)
                drop_share(s);
        s->reading = reading;
        if (read_share(s, x, find, &err) != PS_OK)
                drop_share(s);
}

static void give_share(struct share *s, ps_exchange *x)
{
        ps_error err = {0};
        if (ps_travel_give(&s->f, x, &err) == PS_OK)
                ps_near_count(&s->f);
}

static void outline_share(struct share *s, ps_exchange *x)
{
        ps_error err = {0};
        if (ps_away_give(&s->f, x, &err) == PS_OK)
                ps_near_count(&s->f);
}

static void work_on_share(struct share *s, ps_exchange *x, size_t n, ps_share_work work)
{
        ps_error err = {0};
        ps_trace here = {0};
        ps_spread spread = {.x = x, .owner = s->f.owner, .agreed = s->f.agreed, .kept = &s->kept};
        uint8_t *asked = malloc(n + 1);
        ps_status status = asked ? ps_near_look(&here, &s->f, &err) : PS_NOMEM(&err, "what is asked", n);
        PS_THEN(status, ps_near_know(&here, &s->f, &err));
        here.spread = &spread;
        if (ps_exchange_agree(x, status, &err) == PS_OK && asked) {
                ps_exchange_broadcast(x, asked, n);
                work(&here, s->options.n_threads, asked, n);
        }
        ps_near_forget(&here);
        free(asked);
}

static void cut_share(struct share *s, ps_exchange *x, size_t n)
{
        ps_error err = {0};
        uint8_t *asked = malloc(n + 1);
        ps_status status = asked ? PS_OK : PS_NOMEM(&err, "what is asked", n);
        if (ps_exchange_agree(x, status, &err) == PS_OK && asked) {
                ps_exchange_broadcast(x, asked, n);
                ps_cut_apart(&s->f, asked, n);
        }
        free(asked);
}

void ps_share_serve(ps_exchange *x, const ps_reader_class *(*find)(const char *name),
                    const ps_share_work *works)
{
        struct share share = {.reading = NULL};
        struct ps_task task = {TASK_READ, 0};
        while (task.kind != TASK_END) {
                ps_exchange_broadcast(x, &task, sizeof(task));
                if (task.kind == TASK_OPEN)
                        open_with_all(&share, x, task.n, find);
                else if (task.kind == TASK_READ)
                        begin_share(&share, x, task.n, find);
                else if (task.kind == TASK_GIVE)
                        give_share(&share, x);
                else if (task.kind == TASK_OUTLINE)
                        outline_share(&share, x);
                else if (task.kind == TASK_ENDS)
                        work_on_share(&share, x, task.n, ps_ends_tell);
                else if (task.kind == TASK_BRING)
                        work_on_share(&share, x, task.n, ps_away_bring);
                else if (task.kind == TASK_ABSENT)
                        work_on_share(&share, x, task.n, ps_absent_tell);
                else if (task.kind == TASK_CUT)
                        cut_share(&share, x, task.n);
                else if (task.kind == TASK_MOMENTS)
                        work_on_share(&share, x, task.n, ps_moments_apart);
                else if (task.kind == TASK_PROFILE)
                        work_on_share(&share, x, task.n, ps_profile_apart);
                else if (task.kind == TASK_BETWEEN)
                        work_on_share(&share, x, task.n, ps_between_apart);
                else if (task.kind == TASK_LEND)
                        work_on_share(&share, x, task.n, ps_lend_rows);
                else if (task.kind == TASK_FACTS)
                        work_on_share(&share, x, task.n, ps_lend_facts);
                else if (task.kind == TASK_MEMBERS)
                        work_on_share(&share, x, task.n, ps_lend_members);
                else if (task.kind == TASK_FORGET)
                        drop_share(&share);
                else if (task.kind >= TASK_WORK)
                        work_on_share(&share, x, task.n, works[task.kind - TASK_WORK]);
        }
        drop_share(&share);
}
