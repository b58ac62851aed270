/* printer.h - what a printer gets: text with marks in it.
 *
 * Cleaned text holds no control characters, so that some of them can stand for what is more than text. A run
 * is
 *
 *      [VALUE or LINK, what goes with it, UNIT] look text END
 *
 * where a look is its number. A row is cells with a CELL between them, and perhaps a NOTE with what belongs
 * below the first one. */
#ifndef PS_REPORT_DOCUMENT_PRINTER_H
#define PS_REPORT_DOCUMENT_PRINTER_H

#include "report/document/document.h"
#include "report/print/text.h"

enum {
        PS_MARK_VALUE = 0x0e, /* a number for programs */
        PS_MARK_LINK,         /* an id */
        PS_MARK_RAW,          /* what the printer itself wrote */
        PS_MARK_END,
        PS_MARK_NOTE,
        PS_MARK_CELL,
        PS_MARK_UNIT
};

enum { PS_DOC_COLUMNS = 64, PS_DOC_HEADS_ROOM = 1024 };

typedef struct ps_doc_column {
        const char *head;
        bool is_number, is_page_only, is_optional, is_wrapped, is_path;
} ps_doc_column;

typedef struct ps_doc_table {
        ps_doc_order order;
        const char *caption;
        unsigned n_columns;
        ps_doc_column column[PS_DOC_COLUMNS];
        char heads[PS_DOC_HEADS_ROOM];
} ps_doc_table;

/* Texts are the printer's, to cut in place. */
/* A printer has no `contents` and no function for an end at which it has nothing to do. */
struct ps_doc_printer {
        bool is_page;
        void (*begin)(ps_doc *doc, const char *command, const char *what, const char *description);
        void (*contents)(ps_doc *doc, const ps_doc_section *sections, unsigned n, const void *subject);
        void (*end)(ps_doc *doc);
        void (*section)(ps_doc *doc, const ps_doc_section *section);
        void (*end_section)(ps_doc *doc);
        void (*block)(ps_doc *doc, ps_doc_kind kind, char *text);
        void (*command)(ps_doc *doc, const char *purpose, const char *command);
        void (*items)(ps_doc *doc, int begins);
        void (*table)(ps_doc *doc);
        void (*row)(ps_doc *doc, char *cells, size_t n);
        void (*end_table)(ps_doc *doc);
        /* Characters as they are: their title, or NULL after them. */
        void (*drawing)(ps_doc *doc, const char *title, const char *note);
        void (*bar)(ps_doc *doc, const ps_doc_part *parts, unsigned n, double whole);
};

struct ps_doc {
        const ps_doc_printer *printer;
        ps_output *out;
        ps_output *line;        /* the block or row under way */
        ps_output *rows;        /* of a table, at a terminal */
        bool failed;            /* no memory */
        const char *title;      /* of the section */
        ps_doc_kind kind, last; /* of the block under way, and of the one before it */
        bool has_row, has_last;
        char label[PS_DOC_ID_ROOM], id[PS_DOC_ID_ROOM]; /* of a term; of an item or a row */
        unsigned depth, item, indent, n_rows;
        bool is_open, is_fresh, needs_blank; /* a printer's own */
        ps_style style, run;                 /* what the terminal is in; what the run asks for */
        ps_doc_table table;
};

/* The next run. */
typedef struct ps_doc_run {
        ps_doc_look look;
        char what;           /* a mark or 0 */
        const char *payload; /* of the mark */
        const char *text;
} ps_doc_run;
bool ps_doc_next_run(char **at, ps_doc_run *run);

/* A bar of characters, for printers that have nothing else. */
void ps_doc_draw_bar(ps_doc *doc, const ps_doc_part *parts, unsigned n, double whole);

/* The row's next cell; NULL: none. Its note, which is first taken off; NULL: none. */
char *ps_doc_next_cell(char **at);
char *ps_doc_cut_note(char *cells);

#endif
