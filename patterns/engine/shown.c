/* shown.c - see shown.h. */
#include "patterns/engine/shown.h"

#include "core/base/memory.h"
#include "core/exchange/numbers.h"
#include "core/load/lending.h"
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
        ps_time *least; /* of those that come in several blocks: see find_least; NULL: not known yet */
};

struct shown {
        uint32_t n_locs;
        struct shown_rows *rows; /* by location */
};

static void empty(struct shown_rows *rows)
{
        free(rows->row.row);
        free(rows->least);
        *rows = (struct shown_rows){.enter = rows->enter};
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

static ps_status begin_shown(void **out, const ps_trace *trace, ps_analysis_options *how, ps_error *err)
{
        struct shown *shown = calloc(1, sizeof(*shown));
        struct shown_rows *rows = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*rows));
        if (!shown || !rows) {
                free(shown);
                free(rows);
                return PS_NOMEM(err, "waits", trace->n_locs);
        }
        *shown = (struct shown){.n_locs = trace->n_locs, .rows = rows};
        for (ps_loc l = 0; l < trace->n_locs; l++)
                rows[l].enter = trace->measured.enter[l];
        how->sink = add_row;
        how->sink_ctx = *out = shown;
        how->sink_is_shared = 1;
        return PS_OK;
}

static ps_status end_shown(const void *kept, ps_error *err)
{
        const struct shown *shown = kept;
        for (ps_loc l = 0; l < shown->n_locs; l++)
                if (shown->rows[l].row.lacks)
                        return PS_NOMEM(err, "waits", shown->rows[l].end.n);
        return PS_OK;
}

static void drop_shown(void *kept)
{
        struct shown *shown = kept;
        for (ps_loc l = 0; l < shown->n_locs; l++)
                empty(&shown->rows[l]);
        free(shown->rows);
        free(shown);
}

const ps_keeper ps_shown_keeper = {begin_shown, end_shown, drop_shown};

void ps_shown_pass_on(const ps_analysis_options *to, const struct shown_row *row)
{
        const ps_instance instance = {.pattern = row->pattern,
                                      .at = row->at,
                                      .partner = row->partner,
                                      .begin = row->begin,
                                      .lost = row->lost};
        to->sink(to->sink_ctx, &instance, row->path);
}

void ps_shown_tell(struct shown *shown, ps_loc location, const ps_analysis_options *to)
{
        struct shown_rows *rows = &shown->rows[location];
        for (struct shown_place at = {.n = 0}; at.n < rows->end.n;) {
                const struct shown_row row = take_row(rows, &at, location);
                ps_shown_pass_on(to, &row);
        }
        empty(rows);
}

/* -- what another process has kept -- */

struct asked {
        ps_loc location;
        uint32_t from, at_once;
};

/* What it comes to: of all locations from the one that was asked for up to this one, and of that the rows
 * before `from`. Of the others of it none begins before `least`. */
struct told {
        ps_time least;
        ps_loc location;
        uint32_t from;
        struct shown_row row[];
};

/* From there on, which mostly is where the last ones ended. */
static struct shown_place place_of(struct shown_rows *rows, ps_loc location, uint32_t from)
{
        struct shown_place at = from < rows->at.n ? (struct shown_place){.n = 0} : rows->at;
        while (at.n < rows->end.n && at.n < from)
                take_row(rows, &at, location);
        return at;
}

static struct shown_row take_whole_row(const struct shown_rows *rows, struct shown_place *at,
                                       const ps_trace *trace, ps_loc location)
{
        struct shown_row row = take_row(rows, at, location);
        if (row.at.op != PS_NONE) {
                row.leave = trace->measured.leave[location][row.at.op];
                row.kind = trace->ops[location].kind[row.at.op];
        }
        return row;
}

/* When it begins at the earliest. */
static ps_time least_begin(const struct shown_row *row)
{
        const ps_time late = ps_time_sub(row->leave, row->lost);
        return row->at.op == PS_NONE ? PS_TIME_MAX : late < row->begin ? late : row->begin;
}

/* When the first of all that come behind each block of such a location begins. */
static ps_status find_least(struct shown_rows *rows, const ps_trace *trace, ps_loc location, uint32_t at_once,
                            ps_error *err)
{
        const uint32_t n = rows->end.n / at_once + 1;
        ps_time *least = rows->least = malloc(n * sizeof(*least));
        if (!least)
                return PS_NOMEM(err, "waits", n);
        for (uint32_t i = 0; i < n; i++)
                least[i] = PS_TIME_MAX;
        for (struct shown_place at = {.n = 0}; at.n < rows->end.n;) {
                const uint32_t block = at.n / at_once;
                const struct shown_row row = take_whole_row(rows, &at, trace, location);
                const ps_time begin = least_begin(&row);
                least[block] = begin < least[block] ? begin : least[block];
        }
        for (uint32_t i = n - 1; i-- > 0;)
                least[i] = least[i + 1] < least[i] ? least[i + 1] : least[i];
        return PS_OK;
}

static void put_rows(struct shown_row *out, uint32_t *n, struct shown_rows *rows, const ps_trace *trace,
                     ps_loc location, const struct asked *asked)
{
        rows->at = place_of(rows, location, location == asked->location ? asked->from : 0);
        for (uint32_t i = 0; i < asked->at_once && rows->at.n < rows->end.n; i++)
                out[(*n)++] = take_whole_row(rows, &rows->at, trace, location);
}

/* Of the location, and of those behind it that there is room for as a whole. */
static ps_status put_block(struct told *told, uint32_t *n, struct shown *shown, const ps_trace *trace,
                           const struct asked *asked, ps_error *err)
{
        struct shown_rows *rows;
        ps_loc loc = asked->location;
        do {
                rows = &shown->rows[loc];
                put_rows(told->row, n, rows, trace, loc, asked);
        } while (rows->at.n == rows->end.n && ++loc < shown->n_locs && ps_share_is_here(trace, loc) &&
                 shown->rows[loc].end.n <= asked->at_once - *n);
        told->least = PS_TIME_MAX;
        told->location = loc;
        if (loc >= shown->n_locs || rows != &shown->rows[loc])
                return PS_OK;
        told->from = rows->at.n;
        if (!rows->least)
                PS_TRY(find_least(rows, trace, loc, asked->at_once, err));
        told->least = rows->least[told->from / asked->at_once];
        return PS_OK;
}

void ps_shown_work(const ps_trace *trace, unsigned n_threads, uint8_t *bytes, size_t n)
{
        struct shown *shown = ps_share_kept(trace);
        struct told *told = NULL;
        uint32_t n_rows = 0;
        struct asked asked;
        ps_error err = {0};
        ps_status status = PS_OK;
        ps_pile nothing;
        (void)n_threads;
        assert(n == sizeof(asked) && shown);
        memcpy(&asked, bytes, n);
        if (ps_share_is_here(trace, asked.location)) {
                /* What is between parts is sent, too. */
                told = calloc(1, sizeof(*told) + asked.at_once * sizeof(*told->row));
                status = told ? put_block(told, &n_rows, shown, trace, &asked, &err)
                              : PS_NOMEM(&err, "waits", asked.at_once);
        }
        ps_share_gather(trace->spread->x, status, &nothing, told,
                        told ? sizeof(*told) + n_rows * sizeof(*told->row) : 0, &err);
        free(told);
}

/* -- process 0 -- */

static uint64_t place_among_all(ps_loc location, uint32_t from)
{
        return (uint64_t)location << 32 | from;
}

void ps_shown_begin(struct shown_reader *reader, const ps_trace *trace, ps_loc location)
{
        reader->trace = trace;
        reader->location = location;
        reader->from = 0;
        reader->is_over = ps_share_is_here(trace, location);
}

void ps_shown_stop(struct shown_reader *reader)
{
        ps_pile_clear(&reader->pile);
        *reader = (struct shown_reader){.trace = NULL};
}

static ps_status ask_block(struct shown_reader *reader, ps_error *err)
{
        ps_exchange *x = reader->trace->spread->x;
        const struct asked asked = {reader->location, reader->from, ps_loan_at_once};
        ps_pile_clear(&reader->pile);
        reader->behind = 0;
        PS_TRY(ps_share_ask(x, PS_WORK_SHOWN, &asked, sizeof(asked), err));
        PS_TRY(ps_share_gather(x, PS_OK, &reader->pile, NULL, 0, err));
        const struct told *told = (const struct told *)(const void *)reader->pile.bytes; /* of one process */
        reader->row = told->row;
        reader->n = (reader->pile.end[x->size - 1] - sizeof(*told)) / sizeof(*told->row);
        reader->behind = place_among_all(told->location, told->from);
        reader->least = told->least;
        return PS_OK;
}

ps_status ps_shown_next(struct shown_reader *reader, const struct shown_row **row, size_t *n, ps_error *err)
{
        const uint64_t place = place_among_all(reader->location, reader->from);
        *n = 0;
        if (reader->is_over)
                return PS_OK;
        if (place < reader->at || place >= reader->behind)
                PS_TRY(ask_block(reader, err));
        for (; reader->n && reader->row->at.loc < reader->location; reader->n--)
                reader->row++;
        *row = reader->row;
        while (*n < reader->n && (*row)[*n].at.loc == reader->location)
                (*n)++;
        reader->row += *n;
        reader->n -= *n;
        reader->from += (uint32_t)*n;
        reader->at = place_among_all(reader->location, reader->from);
        reader->is_over = reader->behind >> 32 > reader->location;
        return PS_OK;
}
