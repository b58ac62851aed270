/* columns.c - a picture as bytes. Of each column first all lowest bytes, then the next ones: so that deflate
 * finds what repeats. What rises is stored as differences, and so are receivers, who are often neighbours. */
#include "report/page/own.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

struct table {
        const ps_picture *p;
        const uint32_t *number_of_path;
        ps_traffic traffic;
};

typedef uint32_t column_value(const struct table *t, uint32_t i);

#define COLUMN(name, rows, field)                                                                            \
        static uint32_t name(const struct table *t, uint32_t i)                                              \
        {                                                                                                    \
                return t->p->rows[i].field;                                                                  \
        }
#define PATHS(name, rows)                                                                                    \
        static uint32_t name(const struct table *t, uint32_t i)                                              \
        {                                                                                                    \
                return t->number_of_path[t->p->rows[i].path];                                                \
        }
COLUMN(stretch_begin, stretches.row, begin)
COLUMN(stretch_state, stretches.row, state)
COLUMN(stretch_partner, stretches.row, partner)
COLUMN(stretch_finding, stretches.row, finding)
PATHS(stretch_path, stretches.row)
COLUMN(message_begin, messages.row, begin)
COLUMN(message_length, messages.row, length)
COLUMN(message_bytes, messages.row, bytes)
COLUMN(message_from, messages.row, from)
COLUMN(message_to, messages.row, to)
COLUMN(collective_begin, collectives.row, begin)
COLUMN(collective_last, collectives.row, last)
COLUMN(collective_end, collectives.row, end)
COLUMN(collective_lane, collectives.row, lane)
PATHS(collective_path, collectives.row)
COLUMN(step_begin, steps.row, begin)
COLUMN(step_end, steps.row, end)
COLUMN(step_lane, steps.row, lane)

static uint32_t lane_first(const struct table *t, uint32_t i)
{
        return t->p->first[i];
}

static uint32_t lane_share(const struct table *t, uint32_t i)
{
        return t->p->shares[i];
}

#define TRAFFIC(name, what)                                                                                  \
        static uint32_t name(const struct table *t, uint32_t i)                                              \
        {                                                                                                    \
                return ps_traffic_at(&t->traffic, what, i);                                                  \
        }
TRAFFIC(traffic_messages, PS_TRAFFIC_MESSAGES)
TRAFFIC(traffic_bytes, PS_TRAFFIC_BYTES)
TRAFFIC(traffic_most_messages, PS_TRAFFIC_MOST_MESSAGES)
TRAFFIC(traffic_most_bytes, PS_TRAFFIC_MOST_BYTES)

static uint32_t queue_messages(const struct table *t, uint32_t i)
{
        return ps_traffic_queue(&t->traffic, i);
}

static uint32_t queue_bytes(const struct table *t, uint32_t i)
{
        return ps_traffic_queue_bytes(&t->traffic, i);
}

#define FLOW(name, what)                                                                                     \
        static uint32_t name(const struct table *t, uint32_t i)                                              \
        {                                                                                                    \
                const ps_flows *flows = &t->p->flows;                                                        \
                return ps_flow_at(flows, what, i / flows->n_bins, i % flows->n_bins);                        \
        }                                                                                                    \
        static uint32_t name##_most(const struct table *t, uint32_t i)                                       \
        {                                                                                                    \
                return ps_flow_most(&t->p->flows, what, i);                                                  \
        }
FLOW(flow_messages, PS_FLOW_MESSAGES)
FLOW(flow_bytes, PS_FLOW_BYTES)

/* Numbers of lanes, places and paths take two bytes, unless there are too many: 0xffff is none. */
enum { WIDE = 4, NUMBER = 0 };

/* What is stored of a number. */
enum difference { ITSELF, FROM_ROW_BEFORE, FROM_COLUMN_BEFORE };

struct column {
        const char *name;
        unsigned width;
        enum difference difference;
        column_value *value;
        uint32_t n;
};

enum { COLUMNS = 30 };

static void list_columns(struct column out[COLUMNS], const struct table *t)
{
        const ps_picture *p = t->p;
        const ps_profile *profile = t->traffic.profile;
        uint32_t bins = profile ? profile->n_bins : 0,
                 queues = profile ? p->n_lanes * profile->n_queue_bins : 0;
        uint32_t s = p->stretches.n, m = p->messages.n, c = p->collectives.n, k = p->steps.n;
        uint32_t flows = (uint32_t)p->flows.n_pairs, flow_bins = flows ? p->flows.n_bins : 1;
        uint32_t shares = p->shares ? p->n_lanes * p->n_bins : 0;
        const struct column columns[COLUMNS] = {
                {"first", WIDE, FROM_ROW_BEFORE, lane_first, p->first ? p->n_lanes + 1 : 0},
                {"begin", WIDE, FROM_ROW_BEFORE, stretch_begin, s},
                {"state", 1, ITSELF, stretch_state, s},
                {"path", NUMBER, ITSELF, stretch_path, s},
                {"peer", NUMBER, ITSELF, stretch_partner, s},
                {"find", NUMBER, ITSELF, stretch_finding, s},
                {"messageBegin", WIDE, FROM_ROW_BEFORE, message_begin, m},
                {"messageLength", WIDE, ITSELF, message_length, m},
                {"messageBytes", WIDE, ITSELF, message_bytes, m},
                {"messageFrom", NUMBER, ITSELF, message_from, m},
                {"messageTo", NUMBER, FROM_COLUMN_BEFORE, message_to, m},
                {"collectiveBegin", WIDE, FROM_ROW_BEFORE, collective_begin, c},
                {"collectiveLast", WIDE, FROM_ROW_BEFORE, collective_last, c},
                {"collectiveEnd", WIDE, FROM_ROW_BEFORE, collective_end, c},
                {"collectiveLane", NUMBER, ITSELF, collective_lane, c},
                {"collectivePath", NUMBER, ITSELF, collective_path, c},
                {"stepBegin", WIDE, FROM_ROW_BEFORE, step_begin, k},
                {"stepEnd", WIDE, FROM_ROW_BEFORE, step_end, k},
                {"stepLane", NUMBER, ITSELF, step_lane, k},
                {"shares", PS_LANE_STATES, ITSELF, lane_share, shares},
                {"trafficMessages", WIDE, ITSELF, traffic_messages, bins},
                {"trafficBytes", WIDE, ITSELF, traffic_bytes, bins},
                {"trafficMostMessages", WIDE, ITSELF, traffic_most_messages, bins},
                {"trafficMostBytes", WIDE, ITSELF, traffic_most_bytes, bins},
                {"queueMessages", 2, ITSELF, queue_messages, queues},
                {"queueBytes", 2, ITSELF, queue_bytes, queues},
                {"flowMostMessages", WIDE, ITSELF, flow_messages_most, flows},
                {"flowMostBytes", WIDE, ITSELF, flow_bytes_most, flows},
                {"flowMessages", flow_bins, ITSELF, flow_messages, flows},
                {"flowBytes", flow_bins, ITSELF, flow_bytes, flows},
        };
        memcpy(out, columns, sizeof(columns));
}

/* All numbers have the same width, so that there is one "none". */
static unsigned width_of(const struct table *t, const struct column *c)
{
        const ps_report *report = t->p->lanes->report;
        if (c->width != NUMBER)
                return c->width;
        return report->trace->n_paths < 0xffff && report->trace->n_locs < 0xffff &&
                               t->p->lanes->sites->n < 0xffff
                       ? 2
                       : 4;
}

void ps_columns_put_names(const ps_picture *p, const uint32_t *number_of_path, ps_output *out)
{
        struct table t = {.p = p, .number_of_path = number_of_path};
        struct column columns[COLUMNS];
        ps_traffic_find(&t.traffic, p);
        list_columns(columns, &t);
        for (unsigned i = 0; i < COLUMNS; i++)
                ps_output_printf(out, "%s[\"%s\",%" PRIu32 ",%u,%d]", i ? "," : "", columns[i].name,
                                 columns[i].n, width_of(&t, &columns[i]), (int)columns[i].difference);
}

/* -- bytes -- */

enum { ROOM = 3 << 14 }; /* of whole groups of three */

struct packer {
        z_stream z;
        ps_output *out;
        unsigned char in[ROOM], packed[ROOM];
        char text[ROOM / 3 * 4];
};

static void put_base64(struct packer *k, size_t n)
{
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const unsigned char *bytes = k->packed;
        char *text = k->text;
        for (size_t i = 0; i < n; i += 3) {
                unsigned group = (unsigned)bytes[i] << 16 | (i + 1 < n ? (unsigned)bytes[i + 1] << 8 : 0) |
                                 (i + 2 < n ? bytes[i + 2] : 0U);
                *text++ = letters[group >> 18];
                *text++ = letters[group >> 12 & 63];
                *text++ = (char)(i + 1 < n ? letters[group >> 6 & 63] : '=');
                *text++ = (char)(i + 2 < n ? letters[group & 63] : '=');
        }
        ps_output_write(k->out, k->text, (size_t)(text - k->text));
}

/* Whole rooms only, so that base64 has no gaps, but for the last one. */
static int deflate_in(struct packer *k, unsigned n, int flush)
{
        int status;
        k->z.next_in = k->in;
        k->z.avail_in = n;
        do {
                status = deflate(&k->z, flush);
                if (k->z.avail_out && status != Z_STREAM_END)
                        continue;
                put_base64(k, ROOM - k->z.avail_out);
                k->z.next_out = k->packed;
                k->z.avail_out = ROOM;
        } while (k->z.avail_in || (flush == Z_FINISH && status == Z_OK));
        return status;
}

/* Wider than a number are so many small ones. */
static unsigned pack_plane(struct packer *k, unsigned n, const struct table *t, const struct column *c,
                           unsigned byte)
{
        bool is_row = c->width > WIDE;
        uint32_t before = 0;
        for (uint32_t i = 0; i < c->n; i++) {
                uint32_t value = c->value(t, is_row ? i * c->width + byte : i);
                uint32_t from = c->difference == FROM_COLUMN_BEFORE ? c[-1].value(t, i) : before;
                k->in[n++] = (unsigned char)((value - from) >> (is_row ? 0 : 8 * byte));
                before = c->difference == FROM_ROW_BEFORE ? value : 0;
                if (n == ROOM) {
                        deflate_in(k, n, Z_NO_FLUSH);
                        n = 0;
                }
        }
        return n;
}

/* Level 5 takes half of the time of 6, for 2 % more bytes; somebody waits for parts. */
enum { LEVEL_OF_PAGES = 5, LEVEL_OF_PARTS = 1 };

ps_status ps_columns_put(const ps_picture *p, const uint32_t *number_of_path, ps_output *out, ps_error *err)
{
        struct table t = {.p = p, .number_of_path = number_of_path};
        struct packer k = {.out = out};
        struct column columns[COLUMNS];
        unsigned n = 0;
        if (deflateInit2(&k.z, p->is_part ? LEVEL_OF_PARTS : LEVEL_OF_PAGES, Z_DEFLATED, -15, 9,
                         Z_DEFAULT_STRATEGY) != Z_OK)
                return PS_NOMEM(err, "deflate", 1);
        k.z.next_out = k.packed;
        k.z.avail_out = ROOM;
        ps_traffic_find(&t.traffic, p);
        list_columns(columns, &t);
        for (unsigned i = 0; i < COLUMNS && !ps_output_failed(out); i++)
                for (unsigned byte = 0; byte < width_of(&t, &columns[i]); byte++)
                        n = pack_plane(&k, n, &t, &columns[i], byte);
        deflate_in(&k, n, Z_FINISH);
        deflateEnd(&k.z);
        return PS_OK;
}
