/* profile_json.c - the profile for programs: docs/PROFILE.md explains the keys. */
#include "report/subjects/profile.h"

static void put_peak(ps_row *row, const char *key, ps_peak peak)
{
        ps_row_open(row, key, '{');
        ps_row_u64(row, "value", peak.value);
        ps_row_known(time, row, "at_s", peak.at, peak.value);
        ps_row_close(row, '}');
}

static void put_location(ps_row *row, const ps_info *info, const ps_profile_row *r)
{
        const ps_location_def *def = &info->trace->defs.locations.row[r->location];

        ps_row_open(row, NULL, '{');
        ps_row_u64(row, "location", r->location);
        ps_row_u64(row, "process", def->process);
        ps_row_u64(row, "thread", def->thread);
        ps_row_time(row, "busy_s", r->state[PS_STATE_BUSY]);
        ps_row_time(row, "overhead_s", r->state[PS_STATE_OVERHEAD]);
        ps_row_time(row, "idle_s", r->state[PS_STATE_IDLE]);
        ps_row_u64(row, "sent", r->sent);
        ps_row_u64(row, "sent_bytes", r->sent_bytes);
        ps_row_u64(row, "received", r->received);
        ps_row_u64(row, "received_bytes", r->received_bytes);
        put_peak(row, "queue_messages", r->queue);
        put_peak(row, "queue_bytes", r->queue_bytes);
        ps_row_close(row, '}');
        ps_output_putc(row->out, '\n');
}

static void put_bin(ps_row *row, const ps_profile_bin *bin)
{
        ps_row_open(row, NULL, '{');
        ps_row_time(row, "begin_s", bin->begin);
        ps_row_time(row, "end_s", bin->end);
        for (int state = 0; state < PS_STATE_COUNT; state++)
                ps_row_share(row, ps_state_names[state], bin->state[state]);
        ps_row_share(row, "messages", bin->messages);
        ps_row_share(row, "bytes", bin->bytes);
        ps_row_u64(row, "most_messages", bin->most_messages);
        ps_row_u64(row, "most_bytes", bin->most_bytes);
        ps_row_close(row, '}');
        ps_output_putc(row->out, '\n');
}

static void put_concurrency(ps_row *row, const ps_profile *p)
{
        ps_row_open(row, "concurrency", '{');
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                ps_row_open(row, ps_state_names[state], '[');
                for (uint32_t k = 0; k <= p->n_rows; k++)
                        ps_row_time(row, NULL, p->concurrency[state][k]);
                ps_row_close(row, ']');
        }
        ps_row_close(row, '}');
}

static void put_pairs(ps_row *row, const ps_profile *p)
{
        ps_row_open(row, "matrix", '[');
        for (size_t i = 0; i < p->n_pairs; i++) {
                ps_row_open(row, NULL, '{');
                ps_row_u64(row, "from", p->pairs[i].from);
                ps_row_u64(row, "to", p->pairs[i].to);
                ps_row_u64(row, "messages", p->pairs[i].messages);
                ps_row_u64(row, "bytes", p->pairs[i].bytes);
                ps_row_close(row, '}');
        }
        ps_row_close(row, ']');
}

static void put_links(ps_row *row, const ps_info *info)
{
        const ps_link_load *load = info->links;

        if (!load) {
                ps_row_null(row, "network");
                return;
        }
        ps_row_open(row, "network", '{');
        ps_row_text(row, "name", info->network);
        ps_row_u64(row, "links", load->n_links);
        ps_row_u64(row, "messages", load->n_messages);
        ps_row_u64(row, "hops", load->n_hops);
        ps_row_u64(row, "link_bytes", load->n_bytes);
        ps_row_open(row, "load", '[');
        for (size_t i = 0; i < load->n_rows; i++) {
                const ps_link_load_row *link = &load->rows[i];
                ps_row_open(row, NULL, '{');
                ps_row_u64(row, "from", link->from);
                ps_row_u64(row, "to", link->to);
                ps_row_share(row, "weight", link->weight);
                ps_row_u64(row, "messages", link->messages);
                ps_row_u64(row, "bytes", link->bytes);
                ps_row_share(row, "load", link->load);
                ps_row_close(row, '}');
        }
        ps_row_close(row, ']');
        ps_row_close(row, '}');
}

void ps_profile_write_json(const ps_info *info, ps_row *row, const char *key)
{
        const ps_profile *p = info->profile;

        ps_row_open(row, key, '{');
        ps_row_time(row, "duration_s", p->duration);
        ps_row_u64(row, "messages", p->n_messages);
        ps_row_u64(row, "bytes", p->n_bytes);
        put_peak(row, "peak_messages", p->messages);
        put_peak(row, "peak_bytes", p->bytes);
        ps_row_open(row, "by_location", '[');
        for (uint32_t i = 0; i < p->n_rows; i++)
                put_location(row, info, &p->rows[i]);
        ps_row_close(row, ']');
        ps_row_open(row, "bins", '[');
        for (uint32_t i = 0; i < p->n_bins; i++)
                put_bin(row, &p->bins[i]);
        ps_row_close(row, ']');
        put_concurrency(row, p);
        put_pairs(row, p);
        put_links(row, info);
        ps_row_close(row, '}');
}
