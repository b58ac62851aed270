/* intervals.h - the tree of intervals in the formats of a report. */
#ifndef PS_REPORT_FACTS_INTERVALS_H
#define PS_REPORT_FACTS_INTERVALS_H

#include "core/sums/intervals.h"
#include "report/document/document.h"
#include "report/print/record.h"

typedef struct ps_interval_field {
        const char *key, *title, *anchor;
        size_t offset; /* of a double in ps_interval_sums */
        unsigned known;
} ps_interval_field;

enum {
#define PS_INTERVAL_FIELD(key, field, kind, known, title, anchor) PS_IF_##field,
#include "report/facts/intervals.def"
#undef PS_INTERVAL_FIELD
        PS_INTERVAL_FIELDS
};

extern const ps_interval_field ps_interval_fields[PS_INTERVAL_FIELDS];

double ps_interval_value(const ps_interval_sums *sums, const ps_interval_field *field);
bool ps_interval_knows(const ps_intervals *tree, const ps_interval_field *field);

/* What people call an interval: "the whole run", "solve (3)", "Par heat.f:20", without folders. */
enum { PS_INTERVAL_TITLE_ROOM = 160 };
void ps_interval_title(char room[PS_INTERVAL_TITLE_ROOM], const ps_intervals *tree, uint32_t interval);
/* What most of the lost time is; "" when there is none. */
const char *ps_interval_main_loss(const ps_interval_sums *sums);

/* The interval behind it in the order of the tree, with `most` levels below the whole run; or PS_NONE. */
uint32_t ps_interval_next_told(const ps_intervals *tree, uint32_t interval, uint32_t most);

extern const ps_record ps_record_interval, ps_record_efficiency;
/* The key "intervals": an array with the whole run. As CSV: a line for each of them. */
void ps_intervals_put(ps_row *to, const char *key, const ps_intervals *tree, uint32_t most);
/* A table for people, and the beginning of one and a row for who chooses the rows; id: what it leads to, or
 * NULL. */
void ps_intervals_show_heads(ps_doc *doc);
void ps_intervals_show_row(ps_doc *doc, const ps_intervals *tree, uint32_t interval, const char *id);
void ps_intervals_show(ps_doc *doc, const ps_intervals *tree, uint32_t most);

#endif
