/* json.c - a redistribution for programs: docs/REDISTRIBUTION.md; and its transfers as CSV,
 * those that stay on their processor, too. Transfers and their plans may be many: written as they are made.
 */
#include "report/print/record_rows.h"
#include "report/redistribution/redistribution.h"
#include "simulator/redistribute/plan.h"

#include <string.h>

typedef struct writing {
        const ps_redist_report *report;
        ps_error *err;
        ps_status *status;
} writing;

static const char *const schema_names[] = {"patscan-redistribute-1"};

static void put_formats(ps_row *to, const char *key, const ps_redist *r, const ps_redist_grid *grid)
{
        char room[PS_REDIST_FORMAT_ROOM];

        ps_row_open(to, key, '[');
        for (unsigned d = 0; d < r->spec.n_dims; d++)
                ps_row_text(to, NULL, ps_redist_format_text(room, &r->spec.format[grid - r->grid][d]));
        ps_row_close(to, ']');
}

#define RECORD     distribution
#define RECORD_DEF "report/redistribution/distribution.def"
#define RECORD_IN  ps_redist
#define RECORD_IT  ps_redist_grid
#define RECORD_DOC "how the array lies on the processors"
#include "report/print/make_record.def"

/* -- sums -- */

#define RECORD     redist_sums
#define RECORD_DEF "report/redistribution/sums.def"
#define RECORD_IT  ps_redist_sums
#define RECORD_DOC "what has to move"
#include "report/print/make_record.def"

#define RECORD     redist_load
#define RECORD_DEF "report/redistribution/load.def"
#define RECORD_IT  ps_redist_load
#define RECORD_DOC "what the processors of one side send, or receive"
#include "report/print/make_record.def"

#define RECORD     redist_size
#define RECORD_DEF "report/redistribution/size.def"
#define RECORD_IT  ps_redist_size
#define RECORD_DOC "how many messages there are of a size"
#include "report/print/make_record.def"

static void put_sizes(ps_row *to, const char *key, const ps_redist_loads *loads)
{
        if (loads->has_more_sizes)
                ps_row_null(to, key);
        else
                ps_record_put_rows(to, key, &ps_record_redist_size, NULL, loads->size, loads->n_sizes,
                                   sizeof(*loads->size));
}

#define RECORD     redist_loads
#define RECORD_DEF "report/redistribution/loads.def"
#define RECORD_IT  ps_redist_loads
#define RECORD_DOC "how it falls on the processors"
#include "report/print/make_record.def"

#define RECORD     redist_machine
#define RECORD_DEF "report/redistribution/machine.def"
#define RECORD_IT  ps_redist_machine
#define RECORD_DOC "what it takes on one machine"
#include "report/print/make_record.def"

#define RECORD     redist_times
#define RECORD_DEF "report/redistribution/times.def"
#define RECORD_IT  ps_redist_report
#define RECORD_DOC "what it takes"
#include "report/print/make_record.def"

/* -- transfers -- */

static void put_numbers(ps_row *to, const uint64_t *number, unsigned n)
{
        ps_row_open(to, NULL, '[');
        for (unsigned i = 0; i < n; i++)
                ps_row_u64(to, NULL, number[i]);
        ps_row_close(to, ']');
}

static size_t put_matrix_row(ps_row *to, const ps_redist *r, uint32_t source, size_t at)
{
        ps_row_open(to, NULL, '[');
        for (uint32_t q = 0; q < r->grid[PS_REDIST_DESTINATION].procs; q++) {
                const ps_redist_transfer *t = &r->transfers.row[at];
                bool is_here = at < r->transfers.n && t->source == source && t->destination == q;
                ps_row_u64(to, NULL, is_here ? t->elements : 0);
                at += is_here;
        }
        ps_row_close(to, ']');
        return at;
}

static void put_matrix(ps_row *to, const char *key, const ps_redist *r)
{
        size_t at = 0;

        if (r->grid[PS_REDIST_SOURCE].procs > PS_REDIST_MATRIX_MAX ||
            r->grid[PS_REDIST_DESTINATION].procs > PS_REDIST_MATRIX_MAX) {
                ps_row_null(to, key);
                return;
        }
        ps_row_open_lines(to, key, '[');
        for (uint32_t p = 0; p < r->grid[PS_REDIST_SOURCE].procs; p++)
                at = put_matrix_row(to, r, p, at);
        ps_row_close(to, ']');
}

static void put_transfers(ps_row *to, const char *key, const ps_redist *r)
{
        ps_row_open_lines(to, key, '[');
        for (size_t i = 0; i < r->transfers.n && !ps_output_failed(to->out); i++) {
                const ps_redist_transfer *t = &r->transfers.row[i];
                put_numbers(to, (uint64_t[]){t->source, t->destination, t->elements}, 3);
        }
        ps_row_close(to, ']');
}

#define RECORD     redist_transfer
#define RECORD_DEF "report/redistribution/transfer.def"
#define RECORD_IT  ps_redist_transfer
#define RECORD_DOC "what one processor has before and another one after"
#include "report/print/make_record.def"

ps_status ps_redist_write_csv(const ps_redist_report *report, ps_output *out, ps_error *err)
{
        const ps_redist_list *transfers = &report->redist->transfers;
        ps_row row = {.out = out, .style = PS_ROW_CSV};

        (void)err;
        ps_records_put(&row, NULL, &ps_record_redist_transfer, NULL, transfers->row, transfers->n,
                       sizeof(*transfers->row));
        return PS_OK;
}

/* -- the plan -- */

static void put_runs(ps_row *to, const char *key, const ps_redist_runs *runs)
{
        ps_row_open(to, key, '[');
        for (size_t i = 0; i < runs->n; i++) {
                const ps_redist_run *run = &runs->row[i];
                put_numbers(to, (uint64_t[]){run->first, run->length, run->stride, run->count}, 4);
        }
        ps_row_close(to, ']');
}

#define RECORD     redist_part
#define RECORD_DEF "report/redistribution/part.def"
#define RECORD_IT  ps_redist_part
#define RECORD_DOC "positions in one dimension of a local array"
#include "report/print/make_record.def"

typedef struct message {
        const ps_redist_transfer *transfer;
        ps_redist_plan plan;
} message;

#define RECORD     redist_message
#define RECORD_DEF "report/redistribution/message.def"
#define RECORD_IN  ps_redist
#define RECORD_IT  message
#define RECORD_DOC "a transfer, and where its elements lie"
#include "report/print/make_record.def"

static void put_shapes(ps_row *to, const char *key, const ps_redist *r, ps_redist_side side)
{
        uint64_t shape[PS_REDIST_DIMS];

        ps_row_open(to, key, '[');
        for (uint32_t p = 0; p < r->grid[side].procs; p++) {
                ps_redist_local_shape(shape, r, side, p);
                put_numbers(to, shape, r->spec.n_dims);
        }
        ps_row_close(to, ']');
}

static void put_messages(ps_row *to, const char *key, const writing *w)
{
        const ps_redist *r = w->report->redist;
        message m = {0};

        ps_row_open_lines(to, key, '[');
        for (size_t i = 0; i < r->transfers.n && *w->status == PS_OK && !ps_output_failed(to->out); i++) {
                m.transfer = &r->transfers.row[i];
                *w->status = ps_redist_plan_transfer(&m.plan, r, m.transfer, w->err);
                if (*w->status == PS_OK)
                        ps_record_put(to, NULL, &ps_record_redist_message, r, &m);
        }
        ps_row_close(to, ']');
        ps_redist_plan_free(&m.plan);
}

uint64_t ps_redist_json_least(const ps_redist *r)
{
        static const char transfer[] = "[0, 0, 1],\n",
                          gathered[] = "{\"source\": 0, \"destination\": 0, \"elements\": 1, "
                                       "\"gather\": [], \"scatter\": []},\n",
                          part[] = "{\"runs\": [[0, 1, 1, 1]], \"period\": 0, \"repeats\": 1, \"rest\": []}",
                          shape[] = "[], ", extent[] = "0";
        const uint64_t dims = r->spec.n_dims, procs = (uint64_t)r->grid[PS_REDIST_SOURCE].procs +
                                                      r->grid[PS_REDIST_DESTINATION].procs;

        return r->transfers.n *
                       (strlen(transfer) + strlen(gathered) + PS_REDIST_SIDES * dims * strlen(part)) +
               procs * (strlen(shape) + dims * strlen(extent));
}

#define RECORD     redist_plan
#define RECORD_DEF "report/redistribution/plan.def"
#define RECORD_IN  writing
#define RECORD_IT  ps_redist
#define RECORD_DOC "where the elements of each message lie, before and after"
#include "report/print/make_record.def"

static void put_plan(ps_row *to, const char *key, const writing *w)
{
        if (!w->report->with_plan) {
                ps_row_null(to, key);
                return;
        }
        ps_row_open_lines(to, key, '{');
        ps_record_put_members(to, &ps_record_redist_plan, w, w->report->redist);
        ps_row_close(to, '}');
}

#define RECORD     redistribution
#define RECORD_DEF "report/redistribution/redistribution.def"
#define RECORD_IT  writing
#define RECORD_DOC "What `patscan redistribute --report json` writes, version 1."
#include "report/print/make_record.def"

ps_status ps_redist_write_json(const ps_redist_report *report, ps_output *out, ps_error *err)
{
        ps_status status = PS_OK;

        ps_record_write_json(out, PS_ROW_SPACED, &ps_record_redistribution, &(writing){report, err, &status});
        return status;
}
