/* manual.c - the table of patterns for people, as text and as Markdown by the same description, and as JSON.
 *
 * What a pattern has is a list of labels and texts; how a form looks is known in manual_page.c only. */
#include "report/subjects/manual.h"
#include "report/facts/report.h"
#include "report/print/record_rows.h"
#include "report/print/text.h"
#include "report/subjects/manual_page.h"
#include "report/subjects/terms.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { FORMULA_ROOM = 1024, ID_COLUMNS = 29 };

static const char *const losers[PS_N_SUBJECTS] = {
        [PS_ON_RECEIVER] = "the receiver, in the call in which it waits for the message",
        [PS_ON_SENDER] = "the sender, in the call in which it waits for the receiver",
        [PS_ON_ORDER] = "the receiver, in the call in which it waits for the message",
        [PS_ON_PROBE] = "the receiver, in its Probe",
        [PS_ON_READY] = "nobody: it is an error of the program, told at the send",
        [PS_ON_COLLECTIVE] = "each member of the operation that the formula holds for, in its own call",
        [PS_ON_NONBLOCKING] = "each member of the operation, in the call that completes it",
        [PS_ON_COMPLETION] = "the caller, in the call that completes requests",
        [PS_ON_UNEXPLAINED] = "the caller, in the call itself",
        [PS_ON_SERIES] = "the caller, from the first to the last call of the series",
        [PS_ON_NEIGHBOURS] = "the caller, in the shorter one of the two calls",
        [PS_ON_SMALL] = "the sender, in all the sends of one place",
        [PS_ON_ACCESS] = "the origin, in the call that needs the target's post",
        [PS_ON_EXPOSURE] = "the target, in its MPI_Win_wait",
        [PS_ON_LOCK_HELD] = "the one that waits for the lock, in its call",
        [PS_ON_PROGRESS] = "the origin, in its call on the lock",
        [PS_ON_PGAS_COLLECTIVE] = "each thread of the program that the formula holds for, in its own call",
        [PS_ON_SPLIT_BARRIER] = "each thread of the program, in its upc_wait",
        [PS_ON_PGAS_FENCE] = "the thread that calls the fence",
        [PS_ON_ATOMIC] = "the thread, in its atomic operation",
        [PS_ON_CHANGE] = "the thread, in its call that waits",
        [PS_ON_LOCK] = "the thread that waits for the lock",
        [PS_ON_FORK] = "each thread of the team, before its part begins",
        [PS_ON_JOIN] = "each thread of the team, after its part",
        [PS_ON_SITE] = "nobody in particular: it is the thread's time at this place",
        [PS_ON_MASTER] = "the master, or each of the others, in all the waits for each other",
        [PS_ON_REGION] = "the location that is busy for longer than the mean",
        [PS_ON_EXCHANGE] = "the caller: all that the call took",
        [PS_ON_COPIES] = "each processor that does the same as others: what they could share",
};

/* -- formulas in words -- */

enum word_type { INSTANT, AMOUNT, QUESTION, SIGN };

struct word {
        enum word_type type;
        const char *text, *meaning, *other;
};

static const struct word words[] = {
#define PS_WORD(type, text, meaning, other) {type, text, meaning, other},
#include "patterns/table/words.def"
#undef PS_WORD
};

static const struct word kind_words[] = {
#define PS_KIND(id, name, cls, traits) {AMOUNT, "PS_K_" #id, name, NULL},
#include "core/model/kinds.def"
#undef PS_KIND
        {AMOUNT, "PS_K_NONE", "none", NULL},
};

static const struct word *find_among(const struct word *list, size_t n, const char *text, size_t len)
{
        for (size_t i = 0; i < n; i++)
                if (strlen(list[i].text) == len && memcmp(list[i].text, text, len) == 0)
                        return &list[i];
        return NULL;
}

static const struct word *find_word(const char *text, size_t len)
{
        const struct word *word = find_among(words, sizeof(words) / sizeof(words[0]), text, len);
        return word ? word : find_among(kind_words, sizeof(kind_words) / sizeof(kind_words[0]), text, len);
}

static bool is_name(char c)
{
        return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* A name, a number, or a sign of one or two characters. */
static size_t word_length(const char *text)
{
        size_t n = 0;
        while (is_name(text[n]))
                n++;
        if (n)
                return n;
        return text[1] && find_word(text, 2) ? 2 : 1;
}

unsigned ps_manual_write_words(ps_output *out, const char *formula)
{
        unsigned unknown = 0;
        int negated = 0;
        enum word_type last = SIGN; /* of what stands before the next sign */
        for (const char *at = formula + strspn(formula, " "); *at; at += strspn(at, " ")) {
                size_t n = word_length(at);
                const struct word *word = find_word(at, n), *next = word;
                if (*at == '!' && n == 1)
                        next = find_word(at + 1, word_length(at + 1));
                if (next != word && next && next->type == QUESTION) {
                        negated = 1;
                } else if (word) {
                        int other = word->other && (word->type == SIGN ? last == AMOUNT : negated);
                        ps_output_puts(out, other ? word->other : word->meaning);
                        negated = 0;
                } else {
                        ps_output_write(out, at, n);
                        unknown += !isdigit((unsigned char)*at);
                }
                if (!word || (word->type != SIGN))
                        last = word ? word->type : AMOUNT;
                at += n;
        }
        return unknown;
}

static void words_of(char *room, size_t size, const char *formula)
{
        ps_output *memory;
        const char *text = NULL;
        room[0] = '\0';
        if (ps_output_open_memory(&memory, PS_WIDTH_DEFAULT, NULL) != PS_OK)
                return;
        ps_manual_write_words(memory, formula);
        text = ps_output_text(memory);
        snprintf(room, size, "%s", text ? text : formula);
        ps_output_discard(memory);
}

/* -- one pattern -- */

/* Appends to the list in `room`. */
static void append_text(char *room, size_t size, const char *separator, const char *text)
{
        size_t n = strlen(room);
        snprintf(room + n, size - n, "%s%s", n ? separator : "", text);
}

static void definitions_of(char *room, size_t size, const ps_pattern *row)
{
        room[0] = '\0';
        for (unsigned d = 0; d < PS_N_DEFINITIONS; d++)
                if (row->definitions >> d & 1)
                        append_text(room, size, ", ", ps_definitions_names[d]);
}

static void kinds_of(char *room, size_t size, uint64_t set, unsigned first)
{
        room[0] = '\0';
        for (unsigned k = 0; k < 64 && first + k < PS_K_COUNT; k++)
                if (set >> k & 1)
                        append_text(room, size, ", ", ps_kinds[first + k].name);
}

static void put_kinds(const ps_manual_page *p, const char *label, uint64_t set, uint64_t more, unsigned first)
{
        char room[FORMULA_ROOM], further[FORMULA_ROOM];
        kinds_of(room, sizeof(room), set, first);
        kinds_of(further, sizeof(further), more & ~set, first);
        if (*further)
                append_text(room, sizeof(room), "; except by Scalasca's definitions also ", further);
        if (*room)
                ps_manual_put_entry(p, label, NULL, room);
}

/* The row whose formula holds for `pattern`, or PS_NONE. */
static uint32_t formula_row(uint32_t pattern)
{
        while (pattern != PS_NONE && !ps_pattern_at(pattern)->formula)
                pattern = ps_pattern_parent(pattern);
        return pattern;
}

static void put_parts(const ps_manual_page *p, const ps_formula *formula, const char *lost,
                      const char *condition)
{
        char text[FORMULA_ROOM];
        words_of(text, sizeof(text), formula->loss);
        ps_manual_put_entry(p, lost, NULL, text);
        words_of(text, sizeof(text), formula->condition);
        ps_manual_put_entry(p, condition, NULL, text);
}

static void put_formula(const ps_manual_page *p, uint32_t pattern)
{
        const ps_formula *formula = ps_pattern_formula(pattern);
        char text[FORMULA_ROOM];
        if (!formula) {
                ps_manual_put_entry(p, "Lost", NULL, "the sum of its children");
                return;
        }
        uint32_t from = formula_row(pattern);
        const ps_formula *paper = ps_pattern_at(from)->paper_formula;
        put_parts(p, formula, "Lost", "If");
        if (paper && ps_pattern_at(pattern)->definitions & PS_BY_PAPER)
                put_parts(p, paper, "Paper: lost", "Paper: if");
        if (from != pattern) {
                snprintf(text, sizeof(text), "the formula is that of %s, whose losses are charged here",
                         ps_pattern_at(from)->id);
                ps_manual_put_entry(p, "Inherited", NULL, text);
        }
}

const char *ps_manual_say_formula(char room[PS_FORMULA_TOLD], uint32_t pattern, bool is_paper)
{
        const ps_formula *formula = ps_pattern_formula(pattern);
        char lost[PS_FORMULA_TOLD / 2 - 8], condition[PS_FORMULA_TOLD / 2 - 8];
        *room = '\0';
        if (formula && is_paper && ps_pattern_at(formula_row(pattern))->paper_formula)
                formula = ps_pattern_at(formula_row(pattern))->paper_formula;
        if (!formula)
                return room;
        words_of(lost, sizeof(lost), formula->loss);
        words_of(condition, sizeof(condition), formula->condition);
        snprintf(room, PS_FORMULA_TOLD, "Lost is %s, if %s.", lost, condition);
        return room;
}

static void put_pattern_notes(const ps_manual_page *p, const ps_pattern *row)
{
        char text[FORMULA_ROOM] = "", least[96];
        if (row->least > 1) {
                snprintf(least, sizeof(least), "fewer than %u at one place are no finding", row->least);
                append_text(text, sizeof(text), "; ", least);
        }
        if (row->is_view)
                append_text(text, sizeof(text), "; ",
                            "another view of time that others may charge, too: in no sum");
        if (row->is_defect)
                append_text(text, sizeof(text), "; ", "counts without any loss, whatever epsilon is");
        if (row->is_guess)
                append_text(text, sizeof(text), "; ", "the trace cannot prove it: of low confidence");
        if (*text)
                ps_manual_put_entry(p, "Note", NULL, text);
}

static void put_relatives(const ps_manual_page *p, uint32_t pattern)
{
        const ps_pattern *row = ps_pattern_at(pattern), *other;
        char children[FORMULA_ROOM] = "";
        for (uint32_t i = 0; (other = ps_pattern_at(i)); i++)
                if (other->parent && strcmp(other->parent, row->id) == 0)
                        append_text(children, sizeof(children), ", ", other->id);
        if (row->parent)
                ps_manual_put_entry(p, "Parent", NULL, row->parent);
        if (*children)
                ps_manual_put_entry(p, "Children", NULL, children);
}

static const char *example_of(char *room, size_t size, const ps_pattern *row)
{
        const char *definitions = "";
        if (!(row->definitions & PS_BY_PATSCAN))
                definitions = row->definitions & PS_BY_SCALASCA ? " --definitions scalasca"
                                                                : " --definitions paper";
        snprintf(room, size, "patscan traces.otf2 --only %s%s", row->id, definitions);
        return room;
}

void ps_manual_write_pattern(ps_output *out, ps_manual_form form, uint32_t pattern)
{
        const ps_manual_page p = {out, form};
        const ps_pattern *row = ps_pattern_at(pattern);
        char room[FORMULA_ROOM];
        ps_manual_put_heading(&p, row->id, row->title);
        ps_manual_put_paragraph(&p, row->summary);
        put_formula(&p, pattern);
        put_kinds(&p, "Sends", row->send_kinds, 0, 0);
        put_kinds(&p, "Waits in", row->wait_kinds, row->further_wait_kinds, 0);
        put_kinds(&p, "Operations", row->kinds, row->further_kinds, PS_K_INIT);
        ps_manual_put_entry(&p, "Loses", NULL, losers[row->subject]);
        put_pattern_notes(&p, row);
        ps_manual_put_entry(&p, "Advice", NULL, row->advice);
        ps_manual_put_entry(&p, "Source", NULL, row->source);
        definitions_of(room, sizeof(room), row);
        ps_manual_put_entry(&p, "Definitions", NULL, room);
        put_relatives(&p, pattern);
        ps_manual_put_entry(&p, "Example", example_of(room, sizeof(room), row), "");
}

/* -- all patterns -- */

/* Visits the rows below `parent`, each before its children. */
static void walk_tree(uint32_t parent, unsigned depth,
                      void (*visit)(void *ctx, uint32_t pattern, unsigned depth), void *ctx)
{
        for (uint32_t i = 0; i < ps_pattern_count(); i++) {
                if (ps_pattern_parent(i) != parent)
                        continue;
                visit(ctx, i, depth);
                walk_tree(i, depth + 1, visit, ctx);
        }
}

/* An id that is too long for its column has a line of its own. */
static void put_text_row(ps_output *out, const ps_pattern *row, unsigned depth)
{
        unsigned used = 2 * depth + (unsigned)strlen(row->id);
        ps_output_repeat(out, ' ', (size_t)2 * depth);
        ps_output_printf(out, "%s%s", row->id, used > ID_COLUMNS ? "\n" : "");
        ps_output_repeat(out, ' ', ID_COLUMNS - (used > ID_COLUMNS ? 0 : used));
        ps_output_printf(out, " %c%c  %s\n", row->definitions & PS_BY_SCALASCA ? 'S' : ' ',
                         row->definitions & PS_BY_PAPER ? 'P' : ' ', row->title);
}

static void put_pattern_row(void *ctx, uint32_t pattern, unsigned depth)
{
        const ps_manual_page *p = ctx;
        const ps_pattern *row = ps_pattern_at(pattern);
        char definitions[64];
        definitions_of(definitions, sizeof(definitions), row);
        if (p->form != PS_MANUAL_MARKDOWN)
                put_text_row(p->out, row, depth);
        else
                ps_output_printf(p->out, "%*s- [%s](#%s): %s (%s)\n", 2 * (int)depth, "", row->id, row->id,
                                 row->title, definitions);
}

void ps_manual_write_tree(ps_output *out, ps_manual_form form)
{
        ps_manual_page p = {out, form};
        walk_tree(PS_NONE, 0, put_pattern_row, &p);
        if (form == PS_MANUAL_MARKDOWN)
                return;
        ps_output_putc(out, '\n');
        ps_text_wrapf(
                out, 0,
                "All are patterns by patscan's own definitions; S: by those of Scalasca, too; P: by those of "
                "the paper. \"patscan explain ID\" tells what one means.");
        ps_output_putc(out, '\n');
}

static void put_chapter(void *ctx, uint32_t pattern, unsigned depth)
{
        const ps_manual_page *p = ctx;
        (void)depth;
        ps_output_putc(p->out, '\n');
        ps_manual_write_pattern(p->out, p->form, pattern);
}

void ps_manual_write_all(ps_output *out, ps_manual_form form)
{
        ps_manual_page p = {out, form};
        if (form == PS_MANUAL_MARKDOWN)
                ps_output_puts(out, "# Patterns\n\n");
        ps_manual_put_paragraph(
                &p, "Every pattern that patscan looks for, with its formula in words. What is "
                    "less than epsilon is not counted. A loss is charged to one pattern only, the deepest "
                    "that fits; what is below a pattern is a part of its total.");
        ps_manual_write_tree(out, form);
        walk_tree(PS_NONE, 0, put_chapter, &p);
        for (unsigned i = 0; i < ps_n_terms; i++) {
                ps_output_putc(out, '\n');
                ps_term_write(out, form, i);
        }
}

/* -- JSON -- */

static void put_wording(ps_row *to, const char *key, const char *formula)
{
        char text[FORMULA_ROOM] = "";
        if (formula)
                words_of(text, sizeof(text), formula);
        ps_row_text(to, key, text);
}

static void put_kind_names(ps_row *to, const char *key, uint64_t set, unsigned first)
{
        ps_row_open(to, key, '[');
        for (unsigned k = 0; k < 64 && first + k < PS_K_COUNT; k++)
                if (set >> k & 1)
                        ps_row_text(to, NULL, ps_kinds[first + k].name);
        ps_row_close(to, ']');
}

static void put_children(ps_row *to, const char *key, const ps_pattern *row)
{
        const ps_pattern *other;
        ps_row_open(to, key, '[');
        for (uint32_t i = 0; (other = ps_pattern_at(i)); i++)
                if (other->parent && strcmp(other->parent, row->id) == 0)
                        ps_row_text(to, NULL, other->id);
        ps_row_close(to, ']');
}

static void put_definitions(ps_row *to, const char *key, unsigned set)
{
        ps_row_open(to, key, '[');
        for (unsigned d = 0; d < PS_N_DEFINITIONS; d++)
                if (set >> d & 1)
                        ps_row_text(to, NULL, ps_definitions_names[d]);
        ps_row_close(to, ']');
}

typedef struct explained {
        const ps_pattern *row, *from;      /* from: NULL: it has no formula */
        const ps_formula *formula, *paper; /* NULL: it has none */
} explained;

#define RECORD     explained
#define RECORD_DEF "report/subjects/explained.def"
#define RECORD_IT  explained
#define RECORD_DOC "what a pattern means"
#include "report/print/make_record.def"

static void put_explained(ps_row *to, uint32_t pattern)
{
        uint32_t from = formula_row(pattern);
        explained it = {.row = ps_pattern_at(pattern), .formula = ps_pattern_formula(pattern)};
        if (from != PS_NONE) {
                it.from = ps_pattern_at(from);
                it.paper = it.row->definitions & PS_BY_PAPER ? it.from->paper_formula : NULL;
        }
        ps_record_put(to, NULL, &ps_record_explained, NULL, &it);
}

void ps_manual_write_json(ps_output *out, uint32_t pattern)
{
        put_explained(&(ps_row){.out = out, .style = PS_ROW_INDENTED}, pattern);
        ps_output_putc(out, '\n');
}

void ps_manual_write_all_json(ps_output *out)
{
        ps_row row = {.out = out, .style = PS_ROW_INDENTED};
        ps_row_open(&row, NULL, '{');
        ps_row_open(&row, "patterns", '[');
        for (uint32_t i = 0; i < ps_pattern_count(); i++)
                put_explained(&row, i);
        ps_row_close(&row, ']');
        ps_row_close(&row, '}');
        ps_output_putc(out, '\n');
}
