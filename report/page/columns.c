/* columns.c - a picture as bytes. Of each column first all lowest bytes, then the next ones: so that deflate
 * finds what repeats. What rises is stored as differences, and so are receivers, who are often neighbours. */
#include "report/page/own.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"

#include <inttypes.h>
#include <stdlib.h>
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

/* All numbers have the same width, so that there is one "none". */
static unsigned width_of_numbers(const struct table *t)
{
        const ps_report *report = t->p->lanes->report;
        return report->trace->n_paths < 0xffff && report->trace->n_locs < 0xffff &&
                               t->p->lanes->sites->n < 0xffff
                       ? 2
                       : 4;
}

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
        for (unsigned i = 0; i < COLUMNS; i++)
                out[i].width += out[i].width == NUMBER ? width_of_numbers(t) : 0;
}

void ps_columns_put_names(const ps_picture *p, const uint32_t *number_of_path, ps_output *out)
{
        struct table t = {.p = p, .number_of_path = number_of_path};
        struct column columns[COLUMNS];
        ps_traffic_find(&t.traffic, p);
        list_columns(columns, &t);
        for (unsigned i = 0; i < COLUMNS; i++)
                ps_output_printf(out, "%s[\"%s\",%" PRIu32 ",%u,%d]", i ? "," : "", columns[i].name,
                                 columns[i].n, columns[i].width, (int)columns[i].difference);
}

/* -- bytes -- */

/* All bytes one after the other, cut where they are, so that it does not depend on the threads what comes out
 * of it. */
enum { PIECE = 1 << 20, MORE = 64 /* than deflate says: a piece ends at a whole byte */ };

/* Level 5 takes half of the time of 6, for 2 % more bytes, and level 1 two thirds of that, for 15 %. */
enum { LEVEL_OF_PAGES = 5, LEVEL_IN_HASTE = 1 };

/* Somebody waits for a part, and nobody asked for some pages. */
static int choose_level(const ps_picture *p)
{
        return p->is_part || p->lanes->report->settings.is_extra ? LEVEL_IN_HASTE : LEVEL_OF_PAGES;
}

struct packing {
        const struct table *t;
        const struct column *columns;
        uint64_t n; /* bytes of all columns */
        uint32_t n_pieces;
        ps_packed_piece *piece;
};

/* Wider than a number are so many small ones. */
static void fill_plane(unsigned char *to, const struct table *t, const struct column *c, unsigned byte,
                       uint32_t begin, uint32_t end)
{
        bool is_row = c->width > WIDE;
        uint32_t before = c->difference == FROM_ROW_BEFORE && begin ? c->value(t, begin - 1) : 0;
        for (uint32_t i = begin; i < end; i++) {
                uint32_t value = c->value(t, is_row ? i * c->width + byte : i);
                uint32_t from = c->difference == FROM_COLUMN_BEFORE ? c[-1].value(t, i) : before;
                *to++ = (unsigned char)((value - from) >> (is_row ? 0 : 8 * byte));
                before = c->difference == FROM_ROW_BEFORE ? value : 0;
        }
}

/* Those from the `first` one on. */
static void fill_bytes(unsigned char *to, const struct packing *k, uint64_t first, uint64_t n)
{
        uint64_t at = 0; /* where a plane begins */
        for (const struct column *c = k->columns; c < k->columns + COLUMNS; c++)
                for (unsigned byte = 0; byte < c->width; byte++, at += c->n) {
                        uint64_t begin = first > at ? first : at;
                        uint64_t end = first + n < at + c->n ? first + n : at + c->n;
                        if (begin < end)
                                fill_plane(to + (begin - first), k->t, c, byte, (uint32_t)(begin - at),
                                           (uint32_t)(end - at));
                }
}

static ps_status deflate_bytes(ps_packed_piece *out, unsigned char *bytes, unsigned n, int level, int flush,
                               ps_error *err)
{
        z_stream z = {.next_in = bytes, .avail_in = n};
        if (deflateInit2(&z, level, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
                return PS_NOMEM(err, "deflate", 1);
        size_t room = deflateBound(&z, n) + MORE;
        out->bytes = malloc(room);
        z.next_out = out->bytes;
        z.avail_out = (unsigned)room;
        bool is_done = out->bytes && deflate(&z, flush) == (flush == Z_FINISH ? Z_STREAM_END : Z_OK) &&
                       !z.avail_in && z.avail_out;
        out->n = room - z.avail_out;
        deflateEnd(&z);
        return is_done ? PS_OK : PS_NOMEM(err, "bytes of a page", room);
}

static ps_status pack_piece(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct packing *k = ctx;
        uint64_t first = (uint64_t)i * PIECE, left = k->n - first;
        unsigned n = left < PIECE ? (unsigned)left : PIECE;
        unsigned char *bytes = malloc(n + (size_t)1);
        (void)worker;
        if (!bytes)
                return PS_NOMEM(err, "bytes of a page", n);
        fill_bytes(bytes, k, first, n);
        ps_status status = deflate_bytes(&k->piece[i], bytes, n, choose_level(k->t->p),
                                         i + 1 < k->n_pieces ? Z_SYNC_FLUSH : Z_FINISH, err);
        free(bytes);
        return status;
}

ps_status ps_columns_pack(ps_packed *out, const ps_picture *p, const uint32_t *number_of_path, ps_error *err)
{
        struct table t = {.p = p, .number_of_path = number_of_path};
        struct column columns[COLUMNS];
        struct packing k = {.t = &t, .columns = columns};
        ps_traffic_find(&t.traffic, p);
        list_columns(columns, &t);
        for (unsigned i = 0; i < COLUMNS; i++)
                k.n += (uint64_t)columns[i].n * columns[i].width;
        k.n_pieces = (uint32_t)(k.n / PIECE) + 1;
        k.piece = ps_memory_zeroed(k.n_pieces, sizeof(*k.piece));
        *out = (ps_packed){.piece = k.piece, .n_pieces = k.piece ? k.n_pieces : 0};
        if (!k.piece)
                return PS_NOMEM(err, "pieces of a page", k.n_pieces);
        PS_TRY(ps_parallel_for(p->lanes->report->settings.options->n_threads, k.n_pieces, pack_piece, &k,
                               err));
        for (uint32_t i = 0; i < k.n_pieces; i++)
                out->n += k.piece[i].n;
        return PS_OK;
}

void ps_packed_clear(ps_packed *packed)
{
        for (uint32_t i = 0; i < packed->n_pieces; i++)
                free(packed->piece[i].bytes);
        free(packed->piece);
        *packed = (ps_packed){0};
}

/* -- text -- */

/* 1 to 3 bytes. */
static void put_letters(ps_output *out, const unsigned char *bytes, unsigned n)
{
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        unsigned group =
                (unsigned)bytes[0] << 16 | (n > 1 ? (unsigned)bytes[1] << 8 : 0) | (n > 2 ? bytes[2] : 0U);
        char *text = ps_output_reserve(out, 4);
        text[0] = letters[group >> 18];
        text[1] = letters[group >> 12 & 63];
        text[2] = (char)(n > 1 ? letters[group >> 6 & 63] : '=');
        text[3] = (char)(n > 2 ? letters[group & 63] : '=');
        ps_output_advance(out, 4);
}

void ps_packed_put(const ps_packed *packed, ps_output *out)
{
        unsigned char group[3];
        unsigned n = 0;
        for (uint32_t i = 0; i < packed->n_pieces && !ps_output_failed(out); i++)
                for (size_t k = 0; k < packed->piece[i].n; k++) {
                        group[n++] = packed->piece[i].bytes[k];
                        if (n == 3) {
                                put_letters(out, group, n);
                                n = 0;
                        }
                }
        if (n)
                put_letters(out, group, n);
}
