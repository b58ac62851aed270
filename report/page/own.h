/* own.h - what the files of this folder share. */
#ifndef PS_REPORT_PAGE_OWN_H
#define PS_REPORT_PAGE_OWN_H

#include "report/page/picture.h"
#include "report/page/timeline.h"

struct ps_timeline {
        const ps_report *report;
        ps_sites *sites;
        ps_lanes lanes;
        ps_picture_most most;
        ps_picture picture;
        uint32_t *number_of_path; /* of those that are drawn */
        ps_output *out;
        ps_error *err;
};

/* Of more pairs of processes nothing is told. */
enum { PS_PAGE_PAIRS = 100000 };

/* As a part of the largest one, which is `whole`. */
static inline uint32_t ps_page_part(double value, double largest, double whole)
{
        return largest > 0 ? (uint32_t)(value / largest * whole + 0.5) : 0;
}

/* Fills lanes->waits, but of locations whose rows are elsewhere: those one by one, and of each some at a
 * time. Fetched are those that begin before `until`, while those that end by `now` may be dropped: then
 * `*next` is the first of the rest. */
ps_status ps_lanes_gather_waits(ps_lanes *lanes, ps_lanes_of what, ps_error *err);
void ps_lanes_begin_waits(const ps_lanes *lanes, ps_loc location);
ps_status ps_lanes_fetch_waits(const ps_lanes *lanes, ps_loc location, ps_time now, ps_time until,
                               uint32_t *next, ps_error *err);
void ps_lanes_end_waits(const ps_lanes *lanes, ps_loc location);
void ps_lanes_forget_waits(ps_lanes *lanes);

/* The path and those above it are told, as long as there is room: otherwise the nearest one above is. */
void ps_picture_use_path(ps_picture *picture, ps_path path);
ps_status ps_picture_take_messages(ps_picture *picture, ps_error *err);
ps_status ps_picture_take_collectives(ps_picture *picture, ps_error *err);

/* What was under way over time, as parts of the largest value; without a profile there is none of it. */
typedef enum ps_traffic_what {
        PS_TRAFFIC_MESSAGES,
        PS_TRAFFIC_BYTES,
        PS_TRAFFIC_MOST_MESSAGES,
        PS_TRAFFIC_MOST_BYTES,
        PS_TRAFFIC_KINDS
} ps_traffic_what;

typedef struct ps_traffic {
        const ps_profile *profile;
        double largest[PS_TRAFFIC_KINDS], queue, queue_bytes;
} ps_traffic;

void ps_traffic_find(ps_traffic *out, const ps_picture *picture);
uint32_t ps_traffic_at(const ps_traffic *traffic, ps_traffic_what what, uint32_t bin);
uint32_t ps_traffic_queue(const ps_traffic *traffic, uint32_t cell); /* lane * bins + bin */
uint32_t ps_traffic_queue_bytes(const ps_traffic *traffic, uint32_t cell);
/* A key of JSON. */
void ps_traffic_put(const ps_picture *picture, ps_output *out);

/* A key of JSON: the network of the machine that the run was predicted on, or that was given, or null. */
ps_status ps_page_network_put(const ps_report *report, ps_output *out, ps_error *err);

/* The bytes of the columns, deflated. */
typedef struct ps_packed_piece {
        unsigned char *bytes;
        size_t n;
} ps_packed_piece;

typedef struct ps_packed {
        ps_packed_piece *piece; /* one stream together */
        uint32_t n_pieces;
        uint64_t n; /* bytes of all */
} ps_packed;

/* The columns: a line of JSON that names them, and their bytes, the same for any number of threads. Of a part
 * that is waited for, speed comes before size. To be cleared, also after a failure. */
void ps_columns_put_names(const ps_picture *picture, const uint32_t *number_of_path, ps_output *out);
ps_status ps_columns_pack(ps_packed *out, const ps_picture *picture, const uint32_t *number_of_path,
                          ps_error *err);
void ps_packed_put(const ps_packed *packed, ps_output *out); /* in base64 */
void ps_packed_clear(ps_packed *packed);

#endif
