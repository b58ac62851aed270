/* intervals.c - the characteristics as a table that all formats share, and the tree as JSON and as text. */
#include "report/facts/intervals.h"
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

int ps_interval_knows(const ps_intervals *tree, const ps_interval_field *field)
{
        return !field->known || tree->known & field->known;
}

static int is_told(const ps_intervals *tree, uint32_t interval, uint32_t most)
{
        return interval != PS_NONE && tree->row[interval].level <= most;
}

/* -- JSON -- */

/* Operations of one class. */
typedef struct class_sums {
        const ps_interval_sums *sums;
        unsigned at; /* the class */
        int has_count;
} class_sums;

#define RECORD     interval_operation
#define RECORD_DEF "report/facts/interval_operation.def"
#define RECORD_IN  ps_intervals
#define RECORD_IT  class_sums
#define RECORD_DOC "what operations of one class cost an interval"
#include "report/print/make_record.def"

static void put_operations(ps_row *to, const char *key, const ps_intervals *tree,
                           const ps_interval_sums *sums, int has_count)
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
#define RECORD_IN  void
#define RECORD_IT  ps_efficiency
#define RECORD_DOC "parallel = load_balance * communication, communication = serialization * transfer"
#include "report/print/make_record.def"

/* Of the interval with those below it. Without a replay, or where processors did not meet, nobody knows. */
static void put_pop(ps_row *to, const char *key, const ps_intervals *tree, const ps_interval *i)
{
        double mean = (i->sums.cpu_s + i->sums.system_s) / (tree->n_processors ? tree->n_processors : 1);
        double most = (double)i->most_work / (double)PS_PS_PER_S;
        double communication = i->longest > 0 ? (double)i->most_work / (double)i->longest : 0;
        ps_efficiency pop = {.parallel = mean / most * communication,
                             .load_balance = mean / most,
                             .communication = communication,
                             .is_split = i->transfer > 0,
                             .serialization = communication / i->transfer,
                             .transfer = i->transfer};
        int is_known = tree->known & PS_KNOWS_CLOCKS && i->longest > 0 && i->most_work > 0;

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

/* -- text -- */

enum { NAME_COLUMNS_LEAST = 13, NAME_COLUMNS_MOST = 40, NUMBER_COLUMNS = 29, DEEPEST = 8 };

void ps_interval_title(char room[PS_INTERVAL_TITLE_ROOM], const ps_intervals *tree, uint32_t interval)
{
        const ps_interval *i = &tree->row[interval];
        const char *name = ps_intervals_str(tree, i->key.name), *file = ps_intervals_str(tree, i->key.file);
        const char *slash = strrchr(file, '/');
        char index[PS_NUMBER_ROOM] = "";

        if (i->key.has_index)
                snprintf(index, sizeof(index), " (%" PRId64 ")", i->key.index);
        if (!interval)
                snprintf(room, PS_INTERVAL_TITLE_ROOM, "the whole run");
        else if (*name)
                snprintf(room, PS_INTERVAL_TITLE_ROOM, "%.100s%s", name, index);
        else
                snprintf(room, PS_INTERVAL_TITLE_ROOM, "%s %.100s:%" PRIu32 "%s",
                         ps_interval_types[i->key.type].title, slash ? slash + 1 : file, i->key.line, index);
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

/* The columns that names and counts get. */
typedef struct widths {
        unsigned name, count;
} widths;

static unsigned indent_of(const ps_intervals *tree, uint32_t interval)
{
        return tree->row[interval].level < DEEPEST ? tree->row[interval].level : DEEPEST;
}

/* Names get what the other columns leave of the width. */
static widths widths_of(const ps_intervals *tree, uint32_t most, const ps_output *out)
{
        widths c = {NAME_COLUMNS_LEAST, sizeof("count") - 1};
        unsigned losses = 0, taken, room;

        for (uint32_t i = 0; i != PS_NONE; i = ps_interval_next_told(tree, i, most)) {
                char text[PS_INTERVAL_TITLE_ROOM], count[PS_NUMBER_ROOM];
                unsigned loss = (unsigned)strlen(ps_interval_main_loss(&tree->row[i].sums)), name;
                ps_interval_title(text, tree, i);
                name = indent_of(tree, i) + ps_text_columns(text);
                c.name = name > c.name ? name : c.name;
                taken = (unsigned)ps_text_count(count, tree->row[i].count);
                c.count = taken > c.count ? taken : c.count;
                losses = loss > losses ? loss : losses;
        }
        taken = 2 + 1 + c.count + NUMBER_COLUMNS + 2 + losses;
        room = ps_output_width(out) > taken + NAME_COLUMNS_LEAST ? ps_output_width(out) - taken
                                                                 : NAME_COLUMNS_LEAST;
        room = room < NAME_COLUMNS_MOST ? room : NAME_COLUMNS_MOST;
        c.name = c.name < room ? c.name : room;
        return c;
}

/* A name that is too long for its column has a line of its own. */
static void put_name(ps_output *out, const ps_intervals *tree, uint32_t interval, widths c)
{
        unsigned used = indent_of(tree, interval);
        char text[PS_INTERVAL_TITLE_ROOM];

        ps_interval_title(text, tree, interval);
        ps_output_repeat(out, ' ', 2 + used);
        ps_text_write(out, text);
        used += ps_text_columns(text);
        if (used > c.name) {
                ps_output_puts(out, "\n  ");
                used = 0;
        }
        ps_output_repeat(out, ' ', c.name - used);
}

static void put_row(ps_output *out, const ps_intervals *tree, uint32_t interval, widths c)
{
        const ps_interval_sums *sums = &tree->row[interval].sums;
        char count[PS_NUMBER_ROOM], execution[PS_NUMBER_ROOM], lost[PS_NUMBER_ROOM], useful[PS_NUMBER_ROOM];
        const char *loss = ps_interval_main_loss(sums);

        ps_text_count(count, tree->row[interval].count);
        ps_text_seconds_short(execution, sums->execution_s);
        ps_text_seconds_short(lost, sums->lost_s);
        snprintf(useful, sizeof(useful), "%.1f %%", 100 * sums->efficiency);
        put_name(out, tree, interval, c);
        ps_output_printf(out, " %*s %9s %8s %9s%s%s\n", (int)c.count, count, execution, useful, lost,
                         *loss ? "  " : "", loss);
}

void ps_intervals_write_text(const ps_intervals *tree, uint32_t most, ps_output *out)
{
        widths c;

        if (tree->n < 2 && !(tree->known & PS_KNOWS_INSUFFICIENT))
                return;
        c = widths_of(tree, most, out);
        ps_output_putc(out, '\n');
        ps_output_style(out, PS_BOLD);
        ps_output_printf(out, "%-*s %*s %9s %8s %9s  mostly\n", (int)c.name + 2, "Intervals", (int)c.count,
                         "count", "time", "useful", "lost");
        ps_output_style(out, PS_PLAIN);
        for (uint32_t i = 0; i != PS_NONE; i = ps_interval_next_told(tree, i, most))
                put_row(out, tree, i, c);
}
