/* shown.c - see shown.h. */
#include "patterns/engine/shown.h"

#include "core/base/memory.h"
#include "core/base/vector.h"

#include <stdlib.h>

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

ps_status ps_shown_pass(ps_pass *p, struct shown *shown, ps_loc location)
{
        struct shown_rows *rows = &shown->rows[location];
        return ps_pass_whole(p, &rows->row, &rows->n, &rows->cap, sizeof(*rows->row));
}

void ps_shown_tell(struct shown *shown, ps_loc location, const ps_analysis_options *to)
{
        struct shown_rows *rows = &shown->rows[location];
        for (uint32_t i = 0; i < rows->n; i++) {
                const struct shown_row *row = &rows->row[i];
                const ps_instance instance = {.pattern = row->pattern,
                                              .at = row->at,
                                              .partner = row->partner,
                                              .begin = row->begin,
                                              .lost = row->lost};
                to->sink(to->sink_ctx, &instance, row->path);
        }
        empty(rows);
}
