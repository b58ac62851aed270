/* scan.c - answers from the index: which block a function is, and where in it a name is called. */
#include "patterns/source/scan.h"

#include "core/base/hash.h"
#include "core/base/search.h"
#include "patterns/source/index.h"
#include "patterns/source/mask.h"

#include <stdlib.h>

enum { MOST_INITIALISERS = 64 };

ps_status ps_scan_new(ps_scan **out, char *text, size_t len, ps_scan_language language, ps_error *err)
{
        *out = NULL;
        if (language == PS_SCAN_NONE || len > INT32_MAX)
                return PS_OK;
        ps_scan *scan = calloc(1, sizeof(*scan));
        if (!scan)
                return PS_NOMEM(err, "source text", 1);
        *scan = (ps_scan){.text = text,
                          .len = (uint32_t)len,
                          .language = language,
                          .fortran = language == PS_SCAN_FORTRAN || language == PS_SCAN_FORTRAN_FIXED};
        ps_source_mask(text, len, language);
        if (!ps_index_text(scan)) {
                ps_status status = scan->too_many ? PS_OK : PS_NOMEM(err, "source text", len);
                ps_scan_free(scan);
                return status;
        }
        if (scan->n_tokens)
                qsort(scan->token, scan->n_tokens, sizeof(*scan->token), ps_index_by_name);
        *out = scan;
        return PS_OK;
}

void ps_scan_free(ps_scan *scan)
{
        if (!scan)
                return;
        free(scan->line);
        free(scan->token);
        free(scan->block);
        free(scan);
}

ps_scan_language ps_scan_language_in(const ps_scan *scan)
{
        return scan->language;
}

/* -- questions -- */

/* The first row that does not stand before `wanted`. */
static uint32_t first_token(const ps_scan *scan, ps_token wanted)
{
        uint32_t low = 0;
        PS_SEARCH(low, scan->n_tokens, middle, ps_index_by_name(&scan->token[middle], &wanted) < 0);
        return low;
}

static bool is_call(const ps_scan *scan, uint32_t i, const char *name, bool weak, uint32_t end)
{
        char found[PS_SCAN_LONGEST_NAME];
        if (i >= scan->n_tokens)
                return 0;
        const ps_token *t = &scan->token[i];
        return t->weak == weak && t->offset < end &&
               ps_index_name(scan, t->offset, t->offset + t->length, found) && strcmp(found, name) == 0;
}

/* Lines count from 0. */
static uint32_t line_at(const ps_scan *scan, uint32_t offset)
{
        uint32_t next = 1;
        PS_SEARCH(next, scan->n_lines, i, scan->line[i] <= offset);
        return next - 1;
}

static uint32_t first_block(const ps_scan *scan, uint32_t offset)
{
        uint32_t low = 0;
        PS_SEARCH(low, scan->n_blocks, middle, scan->block[middle].begin < offset);
        return low;
}

/* Members that are initialised with braces end before the function begins: `C::C() : a{1}, b(D{2}) {}`. */
static uint32_t end_of_c(const ps_scan *scan, const ps_block *b)
{
        uint32_t end = b->end;
        for (int n = 0; n < MOST_INITIALISERS; n++) {
                char next = ps_index_char(scan, ps_index_skip_blanks(scan, end));
                uint32_t k = first_block(scan, end);
                if (!next || !strchr(",){", next) || k == scan->n_blocks)
                        break;
                end = scan->block[k].end;
        }
        return end;
}

static ps_scan_span function_in_c(const ps_scan *scan, const char *name, uint32_t offset)
{
        uint32_t k = first_block(scan, offset);
        if (k == scan->n_blocks)
                return (ps_scan_span){0, 0};
        const ps_block *b = &scan->block[k];
        uint64_t hash = ps_hash_bytes(name, strlen(name));
        uint32_t head = first_token(scan, (ps_token){.hash = hash, .offset = b->head});
        if (*name && !is_call(scan, head, name, 0, b->begin))
                return (ps_scan_span){0, 0};
        return (ps_scan_span){b->begin, end_of_c(scan, b)};
}

static ps_scan_span function_in_fortran(const ps_scan *scan, const char *name, uint32_t line)
{
        uint32_t k = first_block(scan, scan->line[line] + 1); /* a block begins behind the line of its head */
        if (k == scan->n_blocks || scan->block[k].head > scan->line[line]) {
                if (k == 0)
                        return (ps_scan_span){0, 0};
                k--;
        }
        const ps_block *b = &scan->block[k];
        char found[PS_SCAN_LONGEST_NAME];
        if (b->end <= scan->line[line] && b->begin <= scan->line[line])
                return (ps_scan_span){0, 0};
        ps_index_name(scan, b->name, ps_index_word_end(scan, b->name), found);
        bool is_main = b->is_program && strcmp(name, "main") == 0;
        if (*name && !is_main && strcmp(found, name) != 0)
                return (ps_scan_span){0, 0};
        return (ps_scan_span){b->begin, b->end};
}

ps_scan_span ps_scan_function(const ps_scan *scan, const char *name, uint32_t line, uint32_t line_end)
{
        if (!line || line > scan->n_lines)
                return (ps_scan_span){0, 0};
        ps_scan_span span = scan->fortran ? function_in_fortran(scan, name, line - 1)
                                          : function_in_c(scan, name, scan->line[line - 1]);
        if (span.begin < span.end && line_end >= line) {
                uint32_t end = ps_scan_lines(scan, line, line_end).end;
                span.end = scan->fortran && span.end < end ? span.end : end;
        }
        return span.begin < span.end ? span : (ps_scan_span){0, 0};
}

ps_scan_span ps_scan_lines(const ps_scan *scan, uint32_t line, uint32_t line_end)
{
        if (!line || line > scan->n_lines || line_end < line)
                return (ps_scan_span){0, 0};
        uint32_t last = line_end < scan->n_lines ? line_end : scan->n_lines;
        return (ps_scan_span){scan->line[line - 1], scan->line[last]};
}

static void collect_calls(const ps_scan *scan, const char *name, bool weak, ps_scan_span span,
                          ps_scan_calls *out)
{
        ps_token wanted = {
                .hash = ps_hash_bytes(name, strlen(name)), .offset = span.begin, .weak = (uint8_t)weak};
        uint32_t i = first_token(scan, wanted);
        while (out->n_lines < PS_SCAN_MOST_LINES && is_call(scan, i, name, weak, span.end)) {
                const ps_token *t = &scan->token[i];
                uint32_t line = line_at(scan, t->offset);
                out->unique = out->n_lines == 0 && !is_call(scan, i + 1, name, weak, span.end);
                out->column = t->offset - scan->line[line] + 1;
                out->column_end = out->column + t->length;
                out->line[out->n_lines++] = line + 1;
                wanted.offset = scan->line[line + 1];
                i = first_token(scan, wanted);
        }
        if (!out->unique)
                out->column = out->column_end = 0;
}

void ps_scan_calls_of(const ps_scan *scan, const char *name, ps_scan_span span, ps_scan_calls *out)
{
        *out = (ps_scan_calls){0};
        collect_calls(scan, name, 0, span, out);
        if (!out->n_lines)
                collect_calls(scan, name, 1, span, out);
}
