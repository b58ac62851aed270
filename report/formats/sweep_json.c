/* sweep_json.c - a sweep over grids for programs, as JSON and as CSV. Rows of grids on which the program
 * cannot run have no numbers; those of CSV have nine decimals each. */
#include "report/facts/sweep.h"
#include "report/print/record_rows.h"

#include <stdio.h>

static void put_nine_decimals(ps_row *to, const char *key, double value)
{
        char room[400];

        snprintf(room, sizeof(room), "%.9f", value);
        ps_row_word(to, key, room);
}

static void put_told(ps_row *to, const char *key, const ps_sweep_row *row, double value)
{
        if (to->style != PS_ROW_CSV && !row->reason)
                ps_row_share(to, key, value);
        else if (to->style == PS_ROW_CSV && !row->reason)
                put_nine_decimals(to, key, value);
        else if (to->style == PS_ROW_CSV)
                ps_row_null(to, key);
}

static void put_duration(ps_row *to, const char *key, const ps_sweep_row *row)
{
        if (to->style != PS_ROW_CSV && !row->reason)
                ps_row_time(to, key, row->duration);
        else
                put_told(to, key, row, (double)row->duration * 1e-12);
}

static void put_best(ps_row *to, const char *key, const ps_sweep_row *row)
{
        if (to->style != PS_ROW_CSV)
                ps_row_bool(to, key, row->is_best);
        else
                ps_row_known(u64, to, key, (uint64_t)(row->is_best != 0), !row->reason);
}

#define RECORD     sweep_row
#define RECORD_DEF "report/formats/sweep_row.def"
#define RECORD_IT  ps_sweep_row
#define RECORD_DOC "the program on one grid"
#define RECORD_COLUMNS                                                                                       \
        "grid,processors,duration_s,execution_s,total_s,efficiency,productive_s,lost_s,"                     \
        "insufficient_parallelism_s,communication_s,synchronization_s,idle_s,load_imbalance_s,overlap_s,"    \
        "messages,bytes,best,reason"
#include "report/print/make_record.def"

static const char *const schema_names[] = {"patscan-sweep-1"};

#define RECORD       sweep
#define RECORD_DEF   "report/formats/sweep.def"
#define RECORD_IT    ps_sweep
#define RECORD_DOC   "What `patscan predict --report json` writes of several grids, version 1."
#define RECORD_WRITE ps_sweep_write_json
#define RECORD_STYLE PS_ROW_SPACED
#include "report/print/make_record.def"

ps_status ps_sweep_write_csv(const ps_sweep *sweep, ps_output *out, ps_error *err)
{
        (void)err;
        ps_records_put(&(ps_row){.out = out, .style = PS_ROW_CSV}, NULL, &ps_record_sweep_row, NULL,
                       sweep->row, sweep->n, sizeof(*sweep->row));
        return PS_OK;
}
