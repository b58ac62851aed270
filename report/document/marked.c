/* marked.c - marked text at a terminal: how wide it is, in its colours, in lines that fit. */
#include "report/document/text.h"

#include <string.h>

static const ps_style styles[PS_DOC_LOOKS] = {
        [PS_DOC_STRONG] = PS_BOLD, [PS_DOC_DIM] = PS_DIM,    [PS_DOC_PLACE] = PS_CYAN,
        [PS_DOC_MARK] = PS_BOLD,   [PS_DOC_GOOD] = PS_GREEN, [PS_DOC_WARN] = PS_YELLOW,
        [PS_DOC_BAD] = PS_RED};

/* Behind marks and what goes with them. */
static const char *skip_marks(const char *at, const char *end)
{
        while (at < end && (unsigned char)*at < ' ')
                if (*at == PS_MARK_VALUE || *at == PS_MARK_LINK)
                        at += strcspn(at, (const char[]){PS_MARK_UNIT, '\0'});
                else
                        at++;
        return at;
}

static size_t visible_length(const char *at, const char *end)
{
        size_t n = 0;

        while (at + n < end && (unsigned char)at[n] >= ' ')
                n++;
        return n;
}

unsigned ps_doc_marked_columns(const char *at, const char *end)
{
        unsigned columns = 0;

        while ((at = skip_marks(at, end)) < end) {
                size_t n = visible_length(at, end);
                columns += ps_text_columns_before(at, at + n);
                at += n;
        }
        return columns;
}

void ps_doc_set_style(ps_doc *doc, ps_style style)
{
        if (style == doc->style)
                return;
        if (doc->style != PS_PLAIN)
                ps_output_style(doc->out, PS_PLAIN);
        if (style != PS_PLAIN)
                ps_output_style(doc->out, style);
        doc->style = style;
}

static void read_marks(ps_doc *doc, const char *at, const char *end)
{
        for (; at < end; at++) {
                if (*at == PS_MARK_VALUE || *at == PS_MARK_LINK)
                        at += strcspn(at, (const char[]){PS_MARK_UNIT, '\0'});
                else if (*at != PS_MARK_END)
                        doc->run = *at < PS_DOC_LOOKS ? styles[(unsigned char)*at] : PS_PLAIN;
                else
                        doc->run = PS_PLAIN;
        }
}

void ps_doc_put_marked(ps_doc *doc, const char *at, const char *end, ps_style base)
{
        while (at < end) {
                const char *text = skip_marks(at, end);
                size_t n = visible_length(text, end);
                read_marks(doc, at, text);
                if (n)
                        ps_doc_set_style(doc, doc->run != PS_PLAIN ? doc->run : base);
                ps_output_write(doc->out, text, n);
                at = text + n;
        }
}

/* Up to the blank that ends the word, or the words that belong together; a command is one word. */
static size_t word_length(const char *text, const char *end)
{
        const char *word = skip_marks(text, end);
        size_t whole = word > text && word[-1] == PS_DOC_COMMAND ? visible_length(word, end) : 0;
        const char *blank = memchr(word + whole, ' ', (size_t)(end - word) - whole);

        if (!blank)
                return (size_t)(end - text);
        if (blank > word && ps_text_belongs(word, (size_t)(blank - word), blank + 1)) {
                const char *next = memchr(blank + 1, ' ', (size_t)(end - blank - 1));
                blank = next ? next : end;
        }
        return (size_t)(blank - text);
}

void ps_doc_wrap(ps_doc *doc, const char *text, const char *end, unsigned indent, unsigned width,
                 ps_style base)
{
        unsigned at = indent;

        while (text < end) {
                size_t n = word_length(text, end);
                unsigned columns = ps_doc_marked_columns(text, text + n);
                if (at > indent && at + 1 + columns >= width) {
                        ps_output_putc(doc->out, '\n');
                        ps_output_repeat(doc->out, ' ', indent);
                        at = indent;
                } else if (at > indent) {
                        ps_output_putc(doc->out, ' ');
                        at++;
                }
                ps_doc_put_marked(doc, text, text + n, base);
                at += columns;
                text += n;
                text += text < end;
        }
        ps_doc_set_style(doc, PS_PLAIN);
}

void ps_doc_wrap_all(ps_doc *doc, const char *text, unsigned indent, ps_style base)
{
        ps_doc_wrap(doc, text, text + strlen(text), indent, ps_output_width(doc->out), base);
        ps_output_putc(doc->out, '\n');
}
