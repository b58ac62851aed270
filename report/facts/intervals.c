/* intervals.c - the characteristics as a table that all formats share, and the tree as JSON and as text. */
#include "report/facts/intervals.h"
#include "core/base/text.h"
#include "patterns/engine/efficiency.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const ps_interval_field ps_interval_fields[PS_INTERVAL_FIELDS] = {
#define PS_INTERVAL_FIELD(key, field, kind, known, title, anchor)                                            \
        {key, title, anchor, offsetof(ps_interval_sums, field), known},
#include "report/facts/intervals.def"
#undef PS_INTERVAL_FIELD
};

double ps_interval_value(const ps_interval_sums *sums, const ps_interval_field *field)
{
        double value;

        memcpy(&value, (const char *)sums + field->offset, sizeof(value));
        return value;
}

bool ps_interval_knows(const ps_intervals *tree, const ps_interval_field *field)
{
        return !field->known || tree->known & field->known;
}

static bool is_told(const ps_intervals *tree, uint32_t interval, uint32_t most)
{
        return interval != PS_NONE && tree->row[interval].level <= most;
}

/* -- JSON -- */

/* Operations of one class. */
typedef struct class_sums {
        const ps_interval_sums *sums;
        unsigned at; /* the class */
        bool has_count;
} class_sums;

#define RECORD     interval_operation
#define RECORD_DEF "report/facts/interval_operation.def"
#define RECORD_IN  ps_intervals
#define RECORD_IT  class_sums
#define RECORD_DOC "what operations of one class cost an interval"
#include "report/print/make_record.def"

static void put_operations(ps_row *to, const char *key, const ps_intervals *tree,
                           const ps_interval_sums *sums, bool has_count)
{
        ps_row_open(to, key, '{');
        for (unsigned c = 0; c < PS_IC_COUNT; c++)
                if (tree->classes >> c & 1)
                        ps_record_put(to, ps_interval_classes[c].key, &ps_record_interval_operation, tree,
                                      &(class_sums){sums, c, has_count});
        ps_row_close(to, '}');
}

#define RECORD     interval_sums
#define RECORD_DEF "report/facts/interval_sums.def"
#define RECORD_IN  ps_intervals
#define RECORD_IT  ps_interval_sums
#define RECORD_DOC "total_s = productive_s + lost_s; null: nobody knows it of such a run"
#include "report/print/make_record.def"

typedef struct processor_sums {
        uint32_t processor;
        ps_interval_sums sums;
} processor_sums;

#define RECORD     interval_processor
#define RECORD_DEF "report/facts/interval_processor.def"
#define RECORD_IN  ps_intervals
#define RECORD_IT  processor_sums
#define RECORD_DOC "what one processor did in an interval"
#include "report/print/make_record.def"

static void put_processors(ps_row *to, const char *key, const ps_intervals *tree, const ps_interval *interval)
{
        ps_row_open(to, key, '[');
        for (uint32_t p = 0; p < tree->n_processors && !ps_output_failed(to->out); p++) {
                processor_sums of = {.processor = p};

                ps_interval_processor(tree, (uint32_t)(interval - tree->row), p, &of.sums);
                ps_record_put(to, NULL, &ps_record_interval_processor, tree, &of);
        }
        ps_row_close(to, ']');
}

#define RECORD     efficiency
#define RECORD_DEF "report/facts/efficiency.def"
#define RECORD_IT  ps_efficiency
#define RECORD_DOC "parallel = load_balance * communication, communication = serialization * transfer"
#include "report/print/make_record.def"

/* Of the interval with those below it. Without a replay, or where processors did not meet, nobody knows. */
static void put_pop(ps_row *to, const char *key, const ps_intervals *tree, const ps_interval *i)
{
        double mean = (i->sums.cpu_s + i->sums.system_s) / (tree->n_processors ? tree->n_processors : 1);
        double most = ps_time_seconds(i->most_work);
        double communication = i->longest > 0 ? (double)i->most_work / (double)i->longest : 0;
        ps_efficiency pop = {.parallel = mean / most * communication,
                             .load_balance = mean / most,
                             .communication = communication,
                             .is_split = i->transfer > 0,
                             .serialization = communication / i->transfer,
                             .transfer = i->transfer};
        bool is_known = tree->known & PS_KNOWS_CLOCKS && i->longest > 0 && i->most_work > 0;

        ps_record_put(to, key, &ps_record_efficiency, NULL, is_known ? &pop : NULL);
}

#define RECORD     interval
#define RECORD_DEF "report/facts/interval.def"
#define RECORD_IN  ps_intervals
#define RECORD_IT  ps_interval
#define RECORD_DOC "a part of the program, and all times that it was entered from the same place"
#include "report/print/make_record.def"

/* Intervals may be nested as deeply as the program likes: no recursion. The table opens the children, which
 * is why they are its last row. */
static void put_tree(ps_row *to, const char *key, const ps_intervals *tree, uint32_t most)
{
        uint32_t i = 0;

        ps_row_open(to, key, '[');
        for (;;) {
                ps_row_open(to, NULL, '{');
                ps_record_put_members(to, &ps_record_interval, tree, &tree->row[i]);
                if (is_told(tree, tree->row[i].first_child, most)) {
                        i = tree->row[i].first_child;
                        continue;
                }
                for (;; i = tree->row[i].parent) {
                        ps_row_close(to, ']');
                        ps_row_close(to, '}');
                        if (!i || tree->row[i].next != PS_NONE)
                                break;
                }
                if (!i)
                        break;
                i = tree->row[i].next;
        }
        ps_row_close(to, ']');
}

void ps_intervals_put(ps_row *to, const char *key, const ps_intervals *tree, uint32_t most)
{
        if (to->style != PS_ROW_CSV) {
                put_tree(to, key, tree, most);
                return;
        }
        ps_records table = ps_records_open(to, key, &ps_record_interval);
        for (uint32_t i = 0; i != PS_NONE; i = ps_interval_next_told(tree, i, most))
                ps_records_row(&table, tree, &tree->row[i]);
        ps_records_close(&table);
}

/* -- for people -- */

void ps_interval_title(char room[PS_INTERVAL_TITLE_ROOM], const ps_intervals *tree, uint32_t interval)
{
        const ps_interval *i = &tree->row[interval];
        const char *name = ps_intervals_str(tree, i->key.name), *file = ps_intervals_str(tree, i->key.file);
        char index[PS_NUMBER_ROOM] = "";

        if (i->key.has_index)
                snprintf(index, sizeof(index), " (%" PRId64 ")", i->key.index);
        if (!interval)
                snprintf(room, PS_INTERVAL_TITLE_ROOM, "the whole run");
        else if (*name)
                snprintf(room, PS_INTERVAL_TITLE_ROOM, "%.100s%s", name, index);
        else
                snprintf(room, PS_INTERVAL_TITLE_ROOM, "%s %.100s:%" PRIu32 "%s",
                         ps_interval_types[i->key.type].title, ps_file_name(file), i->key.line, index);
}

const char *ps_interval_main_loss(const ps_interval_sums *sums)
{
        double most = sums->communication_all_s;
        const char *text = "communication";

        if (sums->lost_s <= 0)
                return "";
        if (sums->insufficient_s > most) {
                most = sums->insufficient_s;
                text = "insufficient parallelism";
        }
        return sums->idle_s > most ? "idle time" : text;
}

uint32_t ps_interval_next_told(const ps_intervals *tree, uint32_t i, uint32_t most)
{
        if (is_told(tree, tree->row[i].first_child, most))
                return tree->row[i].first_child;
        while (i && tree->row[i].next == PS_NONE)
                i = tree->row[i].parent;
        return i ? tree->row[i].next : PS_NONE;
}

void ps_intervals_show_heads(ps_doc *doc)
{
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Intervals",
                           "Interval|=Count|=Time|=Useful|=Lost|?Mostly|+Total time");
}

void ps_intervals_show_row(ps_doc *doc, const ps_intervals *tree, uint32_t interval, const char *id)
{
        const ps_interval_sums *sums = &tree->row[interval].sums;
        char title[PS_INTERVAL_TITLE_ROOM];

        ps_interval_title(title, tree, interval);
        ps_doc_row(doc, tree->row[interval].level);
        ps_doc_cell_begin(doc);
        if (id)
                ps_doc_put_link(doc, id, title);
        else
                ps_doc_put(doc, PS_DOC_PLAIN, title);
        ps_doc_cell_count(doc, tree->row[interval].count);
        ps_doc_cell_seconds(doc, sums->execution_s);
        ps_doc_cell_share(doc, sums->efficiency);
        ps_doc_cell_seconds(doc, sums->lost_s);
        ps_doc_cell(doc, PS_DOC_PLAIN, ps_interval_main_loss(sums));
}

void ps_intervals_show(ps_doc *doc, const ps_intervals *tree, uint32_t most)
{
        ps_intervals_show_heads(doc);
        for (uint32_t i = 0; i != PS_NONE; i = ps_interval_next_told(tree, i, most))
                ps_intervals_show_row(doc, tree, i, NULL);
        ps_doc_end_table(doc);
}
