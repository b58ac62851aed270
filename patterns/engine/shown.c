/* shown.c - see shown.h. */
#include "patterns/engine/shown.h"

#include "core/base/memory.h"
#include "core/exchange/numbers.h"
#include "patterns/engine/works.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Where somebody is among those of a location, and what was told last there. */
struct shown_place {
        size_t byte;
        uint32_t n;
        int64_t op, partner, path;
};

/* Of one location: as numbers, most of which are small beside the one before or the row's begin, because
 * there may be as many as there are operations. */
struct shown_rows {
        ps_numbers row;
        struct shown_place end, at; /* of all, and of those that were asked for */
        const ps_time *enter;
};

struct shown {
        uint32_t n_locs;
        struct shown_rows *rows; /* by location */
};

ps_status ps_shown_new(struct shown **out, const ps_trace *trace, ps_error *err)
{
        struct shown *shown = calloc(1, sizeof(*shown));
        struct shown_rows *rows = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*rows));
        *out = shown;
        if (shown && rows) {
                *shown = (struct shown){.n_locs = trace->n_locs, .rows = rows};
                for (ps_loc l = 0; l < trace->n_locs; l++)
                        rows[l].enter = trace->measured.enter[l];
                return PS_OK;
        }
        free(shown);
        free(rows);
        *out = NULL;
        return PS_NOMEM(err, "waits", trace->n_locs);
}

static void empty(struct shown_rows *rows)
{
        free(rows->row.row);
        *rows = (struct shown_rows){.enter = rows->enter};
}

void ps_shown_free(struct shown *shown)
{
        if (!shown)
                return;
        for (ps_loc l = 0; l < shown->n_locs; l++)
                empty(&shown->rows[l]);
        free(shown->rows);
        free(shown);
}

void ps_shown_drop(void *shown)
{
        ps_shown_free(shown);
}

static ps_time begin_of(const struct shown_rows *rows, ps_op op)
{
        return op == PS_NONE ? 0 : rows->enter[op];
}

/* For several locations at once. */
static void add_row(void *ctx, const ps_instance *instance, ps_path path)
{
        struct shown_rows *rows = &((struct shown *)ctx)->rows[instance->at.loc];
        ps_numbers *to = &rows->row;
        ps_numbers_put_step(to, instance->at.op, &rows->end.op);
        ps_numbers_put(to, instance->pattern);
        ps_numbers_put_step(to, path, &rows->end.path);
        ps_numbers_put(to, (uint32_t)(instance->partner.loc + 1));
        ps_numbers_put_step(to, instance->partner.op, &rows->end.partner);
        ps_numbers_put_signed(to, ps_time_sub(instance->begin, begin_of(rows, instance->at.op)));
        ps_numbers_put_signed(to, instance->lost);
        rows->end.n++;
}

/* The next one; without what its operation is. */
static struct shown_row take_row(const struct shown_rows *rows, struct shown_place *place, ps_loc location)
{
        const uint8_t *at = rows->row.row + place->byte;
        struct shown_row row = {.at = {location, (ps_op)ps_numbers_take_step(&at, &place->op)},
                                .kind = PS_K_NONE};
        row.pattern = (uint16_t)ps_numbers_take(&at);
        row.path = (ps_path)ps_numbers_take_step(&at, &place->path);
        row.partner.loc = (ps_loc)ps_numbers_take(&at) - 1;
        row.partner.op = (ps_op)ps_numbers_take_step(&at, &place->partner);
        row.begin = begin_of(rows, row.at.op) + ps_numbers_take_signed(&at);
        row.lost = ps_numbers_take_signed(&at);
        place->byte = (size_t)(at - rows->row.row);
        place->n++;
        return row;
}

void ps_shown_note(struct shown *shown, ps_analysis_options *how)
{
        how->sink = add_row;
        how->sink_ctx = shown;
        how->sink_is_shared = 1;
}

ps_status ps_shown_end(const struct shown *shown, ps_error *err)
{
        for (ps_loc l = 0; l < shown->n_locs; l++)
                if (shown->rows[l].row.lacks)
                        return PS_NOMEM(err, "waits", shown->rows[l].end.n);
        return PS_OK;
}

void ps_shown_pass_on(void *to, const struct shown_row *row)
{
        const ps_analysis_options *listens = to;
        const ps_instance instance = {.pattern = row->pattern,
                                      .at = row->at,
                                      .partner = row->partner,
                                      .begin = row->begin,
                                      .lost = row->lost};
        listens->sink(listens->sink_ctx, &instance, row->path);
}

void ps_shown_tell(struct shown *shown, ps_loc location, const ps_analysis_options *to)
{
        struct shown_rows *rows = &shown->rows[location];
        ps_analysis_options listens = *to;
        for (struct shown_place at = {.n = 0}; at.n < rows->end.n;) {
                const struct shown_row row = take_row(rows, &at, location);
                ps_shown_pass_on(&listens, &row);
        }
        empty(rows);
}

/* -- what another process has kept -- */

/* So many rows at a time. */
enum { BLOCK = 1 << 16 };

struct asked {
        ps_loc location;
        uint32_t from;
};

/* From there on, which mostly is where the last ones ended. */
static struct shown_place place_of(struct shown_rows *rows, struct asked asked)
{
        struct shown_place at = asked.from < rows->at.n ? (struct shown_place){.n = 0} : rows->at;
        while (at.n < rows->end.n && at.n < asked.from)
                take_row(rows, &at, asked.location);
        return at;
}

static void take_block(struct shown_row *out, uint32_t n, struct shown_rows *rows, const ps_trace *trace,
                       ps_loc location)
{
        const ps_time *leave = trace->measured.leave[location];
        for (uint32_t i = 0; i < n; i++) {
                out[i] = take_row(rows, &rows->at, location);
                if (out[i].at.op != PS_NONE) {
                        out[i].leave = leave[out[i].at.op];
                        out[i].kind = trace->ops[location].kind[out[i].at.op];
                }
        }
}

void ps_shown_work(const ps_trace *trace, unsigned n_threads, uint8_t *bytes, size_t n)
{
        struct shown *shown = ps_share_kept(trace);
        struct shown_row *block = NULL;
        uint32_t n_rows = 0;
        struct asked asked;
        ps_error err = {0};
        ps_status status = PS_OK;
        ps_pile nothing;
        (void)n_threads;
        assert(n == sizeof(asked) && shown);
        memcpy(&asked, bytes, n);
        if (ps_share_is_here(trace, asked.location)) {
                struct shown_rows *rows = &shown->rows[asked.location];
                rows->at = place_of(rows, asked);
                n_rows = rows->end.n - rows->at.n < BLOCK ? rows->end.n - rows->at.n : BLOCK;
                block = calloc(n_rows + (size_t)1, sizeof(*block)); /* what is between parts is sent, too */
                status = block ? PS_OK : PS_NOMEM(&err, "waits", n_rows);
                if (block)
                        take_block(block, n_rows, rows, trace, asked.location);
        }
        ps_share_gather(trace->spread->x, status, &nothing, block, n_rows * sizeof(*block), &err);
        free(block);
}

ps_status ps_shown_ask(const ps_trace *trace, ps_loc location, ps_shown_hear *hear, void *ctx, ps_error *err)
{
        ps_exchange *x = trace->spread->x;
        struct asked asked = {location, 0};
        size_t n = ps_share_is_here(trace, location) ? 0 : BLOCK;
        while (n == BLOCK) {
                ps_pile pile;
                PS_TRY(ps_share_ask(x, PS_WORK_SHOWN, &asked, sizeof(asked), err));
                ps_status status = ps_share_gather(x, PS_OK, &pile, NULL, 0, err);
                n = status == PS_OK ? pile.end[x->size - 1] / sizeof(struct shown_row) : 0;
                for (size_t i = 0; i < n; i++)
                        hear(ctx, (const struct shown_row *)(const void *)pile.bytes + i);
                asked.from += (uint32_t)n;
                ps_pile_clear(&pile);
                PS_TRY(status);
        }
        return PS_OK;
}
