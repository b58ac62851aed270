/* markdown.c - escaping by numeric character references, which no Markdown takes for structure.
 *
 * A span of code needs no escapes, but cannot hold backquotes, nor, in a table, a backslash before a bar:
 * names with such characters go between tags instead. */
#include "report/print/markdown.h"
#include "report/print/text.h"

#include <string.h>

/* Braces are here for SARIF, whose messages give them a meaning of their own. */
static const char *const escapes[PS_ASCII] = {
        ['&'] = "&amp;",  ['<'] = "&lt;",   ['>'] = "&gt;",   ['`'] = "&#96;",  ['*'] = "&#42;",
        ['_'] = "&#95;",  ['['] = "&#91;",  [']'] = "&#93;",  ['\\'] = "&#92;", ['|'] = "&#124;",
        ['~'] = "&#126;", ['@'] = "&#64;",  ['#'] = "&#35;",  ['$'] = "&#36;",  ['!'] = "&#33;",
        [':'] = "&#58;",  ['{'] = "&#123;", ['}'] = "&#125;",
};

const char *ps_markdown_escape(char c)
{
        return (unsigned char)c < PS_ASCII ? escapes[(unsigned char)c] : NULL;
}

static bool fits_span(const char *name)
{
        size_t n = 0;

        while (name[n] >= ' ' && name[n] <= '~' && !strchr("`\\|[]{}", name[n]))
                n++;
        return n && !name[n] && name[0] != ' ' && name[n - 1] != ' ';
}

void ps_markdown_write_name(ps_output *out, const char *name)
{
        if (fits_span(name)) {
                ps_output_putc(out, '`');
                ps_output_puts(out, name);
                ps_output_putc(out, '`');
        } else {
                ps_output_puts(out, "<code>");
                ps_text_write_escaped(out, name, escapes);
                ps_output_puts(out, "</code>");
        }
}

void ps_markdown_write_prose(ps_output *out, const char *text)
{
        ps_text_write_escaped(out, text, escapes);
}
