/* profile_csv.c - the profile as one long table: what a number is about stands in front of it, so that a
 * spreadsheet or a script can pick and pivot. `index` is the bin, the location, the number of locations, the
 * sender or the node that a link begins at, `to` the receiver or the node that it ends at. */
#include "report/print/text.h"
#include "report/subjects/info.h"

typedef struct table {
        ps_output *out;
        const char *section;
        int64_t index, to; /* -1: empty */
        ps_time begin;     /* PS_TIME_MAX: empty */
} table;

static void put_id(ps_output *out, int64_t id)
{
        if (id >= 0)
                ps_output_advance(out, ps_text_u64(ps_output_reserve(out, PS_NUMBER_ROOM), (uint64_t)id));
        ps_output_putc(out, ',');
}

static void put_key(const table *t, const char *name)
{
        ps_output_puts(t->out, t->section);
        ps_output_putc(t->out, ',');
        put_id(t->out, t->index);
        put_id(t->out, t->to);
        if (t->begin != PS_TIME_MAX)
                ps_output_advance(t->out,
                                  ps_text_seconds(ps_output_reserve(t->out, PS_NUMBER_ROOM), t->begin));
        ps_output_putc(t->out, ',');
        ps_output_puts(t->out, name);
        ps_output_putc(t->out, ',');
}

static void put_count(const table *t, const char *name, uint64_t value)
{
        put_key(t, name);
        ps_output_advance(t->out, ps_text_u64(ps_output_reserve(t->out, PS_NUMBER_ROOM), value));
        ps_output_puts(t->out, "\r\n");
}

static void put_seconds(const table *t, const char *name, ps_time value)
{
        put_key(t, name);
        ps_output_advance(t->out, ps_text_seconds(ps_output_reserve(t->out, PS_NUMBER_ROOM), value));
        ps_output_puts(t->out, "\r\n");
}

static void put_number(const table *t, const char *name, double value)
{
        put_key(t, name);
        ps_output_printf(t->out, "%.9g\r\n", value);
}

static table row_of(ps_output *out, const char *section, int64_t index, int64_t to, ps_time begin)
{
        return (table){out, section, index, to, begin};
}

static void put_peak(ps_output *out, const char *section, int64_t index, const char *name, ps_peak peak)
{
        table t = row_of(out, section, index, -1, peak.value ? peak.at : PS_TIME_MAX);

        put_count(&t, name, peak.value);
}

static void put_bins(ps_output *out, const ps_profile *p)
{
        for (uint32_t i = 0; i < p->n_bins; i++) {
                const ps_profile_bin *bin = &p->bins[i];
                table t = row_of(out, "bin", i, -1, bin->begin);
                for (int state = 0; state < PS_STATE_COUNT; state++)
                        put_number(&t, ps_state_names[state], bin->state[state]);
                put_number(&t, "messages", bin->messages);
                put_number(&t, "bytes", bin->bytes);
                put_count(&t, "most_messages", bin->most_messages);
                put_count(&t, "most_bytes", bin->most_bytes);
        }
}

static void put_locations(ps_output *out, const ps_profile *p)
{
        static const char *const names[PS_STATE_COUNT] = {"busy_s", "overhead_s", "idle_s"};

        for (uint32_t i = 0; i < p->n_rows; i++) {
                const ps_profile_row *row = &p->rows[i];
                table t = row_of(out, "location", row->location, -1, PS_TIME_MAX);
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
                table t = row_of(out, "concurrency", k, -1, PS_TIME_MAX);
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
                table t = row_of(out, "matrix", p->pairs[i].from, p->pairs[i].to, PS_TIME_MAX);
                put_count(&t, "messages", p->pairs[i].messages);
                put_count(&t, "bytes", p->pairs[i].bytes);
        }
        for (size_t i = 0; info->links && i < info->links->n_rows; i++) {
                const ps_link_load_row *link = &info->links->rows[i];
                table t = row_of(out, "link", link->from, link->to, PS_TIME_MAX);
                put_count(&t, "messages", link->messages);
                put_count(&t, "bytes", link->bytes);
                put_number(&t, "load", link->load);
        }
        return PS_OK;
}
