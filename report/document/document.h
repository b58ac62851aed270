/* document.h - reports for people, written once: at a terminal, as a page and as Markdown.
 *
 * A subject (an analysis, a comparison ..) writes a document: a title and sections of paragraphs, terms,
 * tables and items. A printer turns what it is given into text, HTML or Markdown at once; nothing is kept but
 * the block or row under way (and, at a terminal, the table). So a report may have any length.
 *
 * To add a section: write a function that puts it, and a row into the subject's table of sections.
 *
 *      static ps_status put_waits(ps_doc *doc, const void *subject, ps_error *err)
 *      {
 *              ps_doc_say(doc, PS_DOC_P, "All ranks together waited for:");
 *              ps_doc_begin_table(doc, PS_DOC_TABLE, "Waits", "Function|=Time|=Share|*At");
 *              for (..) {
 *                      ps_doc_row(doc, 0);
 *                      ps_doc_cell(doc, PS_DOC_NAME, name);
 *                      ps_doc_cell_time(doc, time);
 *                      ps_doc_cell_share(doc, share);
 *                      ps_doc_cell_begin(doc);
 *                      ps_doc_put_place(doc, file, line);
 *              }
 *              ps_doc_end_table(doc);
 *              return PS_OK;
 *      }
 *      ..
 *      {"waits", "Waits", 0, has_waits, put_waits},
 *
 * All text may be from a trace: it is cleaned here and escaped by the printers. Running out of memory shows
 * at the end: nothing of what puts something fails. */
#ifndef PS_REPORT_DOCUMENT_DOCUMENT_H
#define PS_REPORT_DOCUMENT_DOCUMENT_H

#include "core/base/types.h"
#include "core/sums/profile.h"
#include "report/print/output.h"

typedef struct ps_doc ps_doc;
typedef struct ps_doc_printer ps_doc_printer;
extern const ps_doc_printer ps_doc_text, ps_doc_html, ps_doc_markdown;
extern const ps_doc_printer ps_doc_served; /* the page for who serves it: see ps_html_policy */

/* What writes the whole document. */
typedef ps_status ps_doc_writer(ps_doc *doc, const void *subject, ps_error *err);
ps_status ps_doc_print(const ps_doc_printer *printer, ps_output *out, ps_doc_writer *writer,
                       const void *subject, ps_error *err);

/* Functions of a format: NAME_text, NAME_html and NAME_markdown print what `writer` writes of a TYPE. */
#define PS_DOC_FORMATS(name, type, writer)                                                                   \
        PS_DOC_FORMAT(name, type, writer, text)                                                              \
        PS_DOC_FORMAT(name, type, writer, html)                                                              \
        PS_DOC_FORMAT(name, type, writer, markdown)
#define PS_DOC_FORMAT(name, type, writer, format)                                                            \
        ps_status name##_##format(const type *subject, ps_output *out, ps_error *err)                        \
        {                                                                                                    \
                return ps_doc_print(&ps_doc_##format, out, writer, subject, err);                            \
        }

/* How many rows a reader wants: `asked` if that is not 0, or `brief`, or on a page `page`. */
uint32_t ps_doc_most(const ps_doc *doc, uint32_t asked, uint32_t brief, uint32_t page);
/* The page itself, for what only it can hold; NULL: it is none. */
ps_output *ps_doc_page(ps_doc *doc);
/* Where warnings have been seen already. */
bool ps_doc_is_at_terminal(const ps_doc *doc);

/* -- the frame: first the title, then all sections -- */

/* `what` the document is about, and a few words of it. Programs call it patscan `command`. */
void ps_doc_title(ps_doc *doc, const char *command, const char *what, const char *description);

typedef enum ps_doc_flags {
        PS_DOC_UNTITLED = 1, /* at a terminal, because what is in it says enough */
        PS_DOC_PAGE_ONLY = 2 /* too much for a terminal or a comment */
} ps_doc_flags;

typedef struct ps_doc_section {
        const char *id, *title; /* id: of the page's element; stays what it is */
        unsigned flags;
        bool (*is_told)(const void *subject); /* NULL: always */
        ps_doc_writer *put;
} ps_doc_section;

/* Stops at the first section that fails. */
ps_status ps_doc_sections(ps_doc *doc, const ps_doc_section *sections, unsigned n, const void *subject,
                          ps_error *err);

/* -- runs of text, in a block or a cell -- */

typedef enum ps_doc_look {
        PS_DOC_PLAIN = 1,
        PS_DOC_STRONG,
        PS_DOC_DIM,
        PS_DOC_NAME,    /* of a function, a call, a file ..: in the font of code */
        PS_DOC_COMMAND, /* the same, to be copied: it stays on one line */
        PS_DOC_PLACE,   /* a place in the source */
        PS_DOC_MARK,    /* a label: "new" */
        PS_DOC_GOOD,
        PS_DOC_WARN,
        PS_DOC_BAD,
        PS_DOC_LOOKS
} ps_doc_look;

void ps_doc_put(ps_doc *doc, ps_doc_look look, const char *text);
void ps_doc_putf(ps_doc *doc, ps_doc_look look, const char *fmt, ...) PS_FORMAT(3, 4);
/* Numbers as people read them, with what programs read beside them where the format has room for it. */
void ps_doc_put_time(ps_doc *doc, ps_doc_look look, ps_time time);
void ps_doc_put_seconds(ps_doc *doc, ps_doc_look look, double seconds); /* not a number: "-" */
void ps_doc_put_count(ps_doc *doc, ps_doc_look look, uint64_t n);
void ps_doc_put_many(ps_doc *doc, uint64_t n, const char *one, const char *many); /* "1 rank", "2 ranks" */
void ps_doc_put_share(ps_doc *doc, ps_doc_look look, double share);
void ps_doc_put_place(ps_doc *doc, const char *file, uint32_t line); /* line 0: unknown */
/* To the element of this id. */
void ps_doc_put_link(ps_doc *doc, const char *id, const char *text);

/* Parts of `whole`; what is left of it stays empty. */
typedef struct ps_doc_part {
        const char *class, *title; /* class: what colours it */
        double value;
} ps_doc_part;
void ps_doc_put_bar(ps_doc *doc, const ps_doc_part *parts, unsigned n, double whole);

/* How loud a share of what was lost is told. */
ps_doc_look ps_doc_loudness(double share);

/* -- blocks: what is put between begin and end is in it -- */

typedef enum ps_doc_kind {
        PS_DOC_P,
        PS_DOC_BIG,    /* the sentence that counts */
        PS_DOC_NOTE,   /* what one has to know before trusting the rest */
        PS_DOC_PATH,   /* a call path: cut from the outside to a line */
        PS_DOC_ADVICE, /* what to do about it */
        PS_DOC_POINT,  /* of a list */
        PS_DOC_HINT,   /* about the document: what was left out */
        PS_DOC_TERM,   /* with ps_doc_begin_term */
        PS_DOC_HEAD    /* of an item, with ps_doc_begin_item */
} ps_doc_kind;

void ps_doc_begin(ps_doc *doc, ps_doc_kind kind);
void ps_doc_begin_term(ps_doc *doc, const char *term);
void ps_doc_end(ps_doc *doc);
/* A block of one run; nothing for an empty text. */
void ps_doc_say(ps_doc *doc, ps_doc_kind kind, const char *fmt, ...) PS_FORMAT(3, 4);
void ps_doc_term(ps_doc *doc, const char *term, ps_doc_look look, const char *text);
/* "and 3 more ranks"; nothing when there are none. */
void ps_doc_rest(ps_doc *doc, uint64_t n, const char *one, const char *many, const char *how);

/* Something to type, never broken. */
void ps_doc_command(ps_doc *doc, const char *purpose, const char *command);

/* Numbered: a head between begin_item and end, and blocks up to the next item. id: NULL: none. */
enum { PS_DOC_ID_ROOM = 64 };
void ps_doc_begin_items(ps_doc *doc);
void ps_doc_begin_item(ps_doc *doc, const char *id);
void ps_doc_end_items(ps_doc *doc);

/* -- tables -- */

typedef enum ps_doc_order {
        PS_DOC_TABLE, /* rows that may be sorted */
        PS_DOC_TREE,  /* rows below one another */
        PS_DOC_GRID   /* numbers in both directions: a terminal without room for all has none of it */
} ps_doc_order;

/* Heads are separated by "|" and may begin with signs: "=" for numbers, "+" for what only a page has room
 * for, "?" for what is left out where a terminal is narrow, "*" for words that go on over several lines, ">"
 * for call paths, of which a terminal tells the innermost names. At a terminal the first head is the caption,
 * if it is short. */
void ps_doc_begin_table(ps_doc *doc, ps_doc_order order, const char *caption, const char *heads);
void ps_doc_end_table(ps_doc *doc);

/* `depth`: how many rows it is below. */
void ps_doc_row(ps_doc *doc, unsigned depth);
void ps_doc_row_id(ps_doc *doc, const char *id); /* of the row that has just begun */
void ps_doc_cell_begin(ps_doc *doc);             /* runs follow; the others begin a cell, too */
void ps_doc_cell(ps_doc *doc, ps_doc_look look, const char *text);
void ps_doc_cellf(ps_doc *doc, ps_doc_look look, const char *fmt, ...) PS_FORMAT(3, 4);
void ps_doc_cell_time(ps_doc *doc, ps_time time);
void ps_doc_cell_seconds(ps_doc *doc, double seconds);
void ps_doc_cell_count(ps_doc *doc, uint64_t n);
void ps_doc_cell_share(ps_doc *doc, double share);
/* What follows belongs below the row's first cell. */
void ps_doc_row_note(ps_doc *doc);

/* -- drawings -- */

typedef struct ps_doc_series {
        const char *name, *class;  /* class: what colours it */
        char told[PS_DOC_ID_ROOM]; /* what is said of all of it */
} ps_doc_series;

typedef struct ps_doc_chart_spec {
        const char *title, *note;
        const char *begin, *end; /* of the axis; begin NULL: 0 */
        const ps_doc_series *series;
        unsigned n_series;
        uint32_t n;      /* values of each */
        double most;     /* what is full height; 0: the largest of each series */
        bool is_stacked; /* the series are parts of `most` */
        bool is_counted; /* a value for each number, not over time: no wider than it has values */
        double (*value)(const void *of, unsigned series, uint32_t i);
        const void *of;
} ps_doc_chart_spec;
void ps_doc_chart(ps_doc *doc, const ps_doc_chart_spec *chart);

/* Curves over two logarithmic axes, on a page only: a table says the same elsewhere. `next` gives the points
 * of a curve, the first one for *at = 0, and returns 0 behind the last; y is in seconds. */
typedef struct ps_doc_curves_spec {
        const char *title, *x_unit;
        const char *const *name; /* of each curve */
        unsigned n_curves;
        bool (*next)(const void *of, unsigned curve, size_t *at, double *x, double *y);
        const void *of;
} ps_doc_curves_spec;
void ps_doc_curves(ps_doc *doc, const ps_doc_curves_spec *curves);

/* Who sends how much to whom. */
ps_status ps_doc_flows(ps_doc *doc, const char *title, uint32_t n_processes, const ps_profile_pair *pairs,
                       size_t n_pairs, ps_error *err);

#endif
