/* shown.c - see shown.h. */
#include "patterns/engine/shown.h"

#include "core/base/memory.h"
#include "core/base/vector.h"
#include "patterns/engine/works.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

ps_status ps_shown_new(struct shown **out, const ps_trace *trace, ps_error *err)
{
        struct shown *shown = calloc(1, sizeof(*shown));
        struct shown_rows *rows = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*rows));
        *out = shown;
        if (shown && rows) {
                *shown = (struct shown){.n_locs = trace->n_locs, .rows = rows};
                return PS_OK;
        }
        free(shown);
        free(rows);
        *out = NULL;
        return PS_NOMEM(err, "waits", trace->n_locs);
}

static void empty(struct shown_rows *rows)
{
        free(rows->row);
        *rows = (struct shown_rows){.row = NULL};
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

/* For several locations at once. */
static void add_row(void *ctx, const ps_instance *instance, ps_path path)
{
        struct shown_rows *rows = &((struct shown *)ctx)->rows[instance->at.loc];
        rows->is_full |= PS_PUSH(*rows, ((struct shown_row){.begin = instance->begin,
                                                            .lost = instance->lost,
                                                            .at = instance->at,
                                                            .partner = instance->partner,
                                                            .path = path,
                                                            .pattern = instance->pattern})) != 0;
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
                if (shown->rows[l].is_full)
                        return PS_NOMEM(err, "waits", shown->rows[l].n);
        return PS_OK;
}

static void tell(const ps_analysis_options *to, const struct shown_row *row, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++) {
                const ps_instance instance = {.pattern = row[i].pattern,
                                              .at = row[i].at,
                                              .partner = row[i].partner,
                                              .begin = row[i].begin,
                                              .lost = row[i].lost};
                to->sink(to->sink_ctx, &instance, row[i].path);
        }
}

void ps_shown_tell(struct shown *shown, ps_loc location, const ps_analysis_options *to)
{
        struct shown_rows *rows = &shown->rows[location];
        tell(to, rows->row, rows->n);
        empty(rows);
}

/* -- what another process has kept -- */

/* So many rows at a time. */
enum { BLOCK = 1 << 16 };

struct asked {
        ps_loc location;
        uint32_t from;
};

void ps_shown_work(const ps_trace *trace, unsigned n_threads, uint8_t *bytes, size_t n)
{
        struct shown *shown = ps_share_kept(trace);
        struct shown_rows none = {.row = NULL}, *rows = &none;
        struct asked asked;
        ps_error err = {0};
        ps_pile nothing;
        (void)n_threads;
        assert(n == sizeof(asked) && shown);
        memcpy(&asked, bytes, n);
        if (ps_share_is_here(trace, asked.location))
                rows = &shown->rows[asked.location];
        uint32_t from = asked.from < rows->n ? asked.from : rows->n;
        uint32_t behind = rows->n - from < BLOCK ? rows->n : from + BLOCK;
        ps_share_gather(trace->spread->x, PS_OK, &nothing, from < behind ? rows->row + from : NULL,
                        (behind - from) * sizeof(*rows->row), &err);
}

ps_status ps_shown_ask(const ps_trace *trace, ps_loc location, const ps_analysis_options *to, ps_error *err)
{
        ps_exchange *x = trace->spread->x;
        struct asked asked = {location, 0};
        size_t n = ps_share_is_here(trace, location) ? 0 : BLOCK;
        while (n == BLOCK) {
                ps_pile pile;
                PS_TRY(ps_share_ask(x, PS_WORK_SHOWN, &asked, sizeof(asked), err));
                ps_status status = ps_share_gather(x, PS_OK, &pile, NULL, 0, err);
                n = status == PS_OK ? pile.end[x->size - 1] / sizeof(struct shown_row) : 0;
                tell(to, (const struct shown_row *)(const void *)pile.bytes, (uint32_t)n);
                asked.from += (uint32_t)n;
                ps_pile_clear(&pile);
                PS_TRY(status);
        }
        return PS_OK;
}
