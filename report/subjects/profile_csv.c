/* profile_csv.c - the profile as one long table: what a number is about stands in front of it, so that a
 * spreadsheet or a script can pick and pivot. `index` is the bin, the location, the number of locations, the
 * sender or the node that a link begins at, `to` the receiver or the node that it ends at. */
#include "report/print/row.h"
#include "report/subjects/info.h"

typedef struct table {
        ps_row row;
        const char *section;
        int64_t index, to; /* -1: empty */
        ps_time begin;     /* PS_TIME_MAX: empty */
} table;

static ps_row *begin_line(table *t, const char *name)
{
        ps_row_word(&t->row, NULL, t->section);
        ps_row_known(i64, &t->row, NULL, t->index, t->index >= 0);
        ps_row_known(i64, &t->row, NULL, t->to, t->to >= 0);
        ps_row_known(time, &t->row, NULL, t->begin, t->begin != PS_TIME_MAX);
        ps_row_word(&t->row, NULL, name);
        return &t->row;
}

static void put_count(table *t, const char *name, uint64_t value)
{
        ps_row_u64(begin_line(t, name), NULL, value);
        ps_row_end_line(&t->row);
}

static void put_seconds(table *t, const char *name, ps_time value)
{
        ps_row_time(begin_line(t, name), NULL, value);
        ps_row_end_line(&t->row);
}

static void put_csv_number(table *t, const char *name, double value)
{
        ps_row_share(begin_line(t, name), NULL, value);
        ps_row_end_line(&t->row);
}

static table begin_csv_row(ps_output *out, const char *section, int64_t index, int64_t to, ps_time begin)
{
        return (table){{.out = out, .style = PS_ROW_CSV}, section, index, to, begin};
}

static void put_peak(ps_output *out, const char *section, int64_t index, const char *name, ps_peak peak)
{
        table t = begin_csv_row(out, section, index, -1, peak.value ? peak.at : PS_TIME_MAX);

        put_count(&t, name, peak.value);
}

static void put_bins(ps_output *out, const ps_profile *p)
{
        for (uint32_t i = 0; i < p->n_bins; i++) {
                const ps_profile_bin *bin = &p->bins[i];
                table t = begin_csv_row(out, "bin", i, -1, bin->begin);
                for (int state = 0; state < PS_STATE_COUNT; state++)
                        put_csv_number(&t, ps_state_names[state], bin->state[state]);
                put_csv_number(&t, "messages", bin->messages);
                put_csv_number(&t, "bytes", bin->bytes);
                put_count(&t, "most_messages", bin->most_messages);
                put_count(&t, "most_bytes", bin->most_bytes);
        }
}

static void put_locations(ps_output *out, const ps_profile *p)
{
        static const char *const names[PS_STATE_COUNT] = {"busy_s", "overhead_s", "idle_s"};

        for (uint32_t i = 0; i < p->n_rows; i++) {
                const ps_profile_row *row = &p->rows[i];
                table t = begin_csv_row(out, "location", row->location, -1, PS_TIME_MAX);
                for (int state = 0; state < PS_STATE_COUNT; state++)
                        put_seconds(&t, names[state], row->state[state]);
                put_count(&t, "sent", row->sent);
                put_count(&t, "sent_bytes", row->sent_bytes);
                put_count(&t, "received", row->received);
                put_count(&t, "received_bytes", row->received_bytes);
                put_peak(out, "location", row->location, "queue_messages", row->queue);
                put_peak(out, "location", row->location, "queue_bytes", row->queue_bytes);
        }
}

static void put_concurrency(ps_output *out, const ps_profile *p)
{
        static const char *const names[PS_STATE_COUNT] = {"busy_s", "overhead_s", "idle_s"};

        for (uint32_t k = 0; k <= p->n_rows; k++) {
                table t = begin_csv_row(out, "concurrency", k, -1, PS_TIME_MAX);
                for (int state = 0; state < PS_STATE_COUNT; state++)
                        put_seconds(&t, names[state], p->concurrency[state][k]);
        }
}

ps_status ps_info_write_csv(const ps_info *info, ps_output *out, ps_error *err)
{
        const ps_profile *p = info->profile;

        (void)err;
        ps_output_puts(out, "section,index,to,time_s,name,value\r\n");
        put_peak(out, "traffic", -1, "peak_messages", p->messages);
        put_peak(out, "traffic", -1, "peak_bytes", p->bytes);
        put_bins(out, p);
        put_locations(out, p);
        put_concurrency(out, p);
        for (size_t i = 0; i < p->n_pairs; i++) {
                table t = begin_csv_row(out, "matrix", p->pairs[i].from, p->pairs[i].to, PS_TIME_MAX);
                put_count(&t, "messages", p->pairs[i].messages);
                put_count(&t, "bytes", p->pairs[i].bytes);
        }
        for (size_t i = 0; info->links && i < info->links->n_rows; i++) {
                const ps_link_load_row *link = &info->links->rows[i];
                table t = begin_csv_row(out, "link", link->from, link->to, PS_TIME_MAX);
                put_count(&t, "messages", link->messages);
                put_count(&t, "bytes", link->bytes);
                put_csv_number(&t, "load", link->load);
        }
        return PS_OK;
}
