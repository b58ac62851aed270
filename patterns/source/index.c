/* index.c - one pass over a blanked text for its lines, one for names and braces. */
#include "patterns/source/index.h"

#include "core/base/hash.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <stdlib.h>

enum { MOST_ROWS = 1 << 20, LONGEST_TEMPLATE = 256 };

size_t ps_index_name(const ps_scan *scan, uint32_t from, uint32_t to, char out[PS_SCAN_LONGEST_NAME])
{
        size_t n = 0;
        if (to - from >= PS_SCAN_LONGEST_NAME)
                return 0;
        for (uint32_t i = from; i < to; i++)
                out[n++] = scan->fortran ? (char)tolower((unsigned char)scan->text[i]) : scan->text[i];
        while (scan->fortran && n && out[n - 1] == '_')
                n--;
        out[n] = '\0';
        size_t profiling = strncmp(out, scan->fortran ? "pmpi_" : "PMPI_", 5) == 0;
        memmove(out, out + profiling, n - profiling + 1);
        return n - profiling;
}

/* Room for one more row; 0 when there is none, or when there are too many. */
#define GROW(scan, rows, n, cap)                                                                             \
        ((n) < (cap) || (!((scan)->too_many |= (n) >= MOST_ROWS) && PS_ROOM(rows, n, cap) == 0))

static bool add_token(ps_scan *scan, uint32_t from, uint32_t to, bool weak)
{
        char name[PS_SCAN_LONGEST_NAME];
        size_t n = ps_index_name(scan, from, to, name);
        if (!n)
                return true;
        if (!GROW(scan, scan->token, scan->n_tokens, scan->cap_tokens))
                return false;
        scan->token[scan->n_tokens++] = (ps_token){.hash = ps_hash_bytes(name, n),
                                                   .offset = from,
                                                   .length = (uint8_t)(to - from),
                                                   .weak = (uint8_t)weak};
        return true;
}

bool ps_index_add_block(ps_scan *scan, ps_block row)
{
        if (!GROW(scan, scan->block, scan->n_blocks, scan->cap_blocks))
                return false;
        scan->block[scan->n_blocks++] = row;
        return true;
}

/* Behind the template arguments that begin at `i`, or `i`. */
static uint32_t skip_template(const ps_scan *scan, uint32_t i)
{
        unsigned depth = 0;
        for (uint32_t j = i; j < scan->len && j - i < LONGEST_TEMPLATE; j++) {
                char c = scan->text[j];
                if (!ps_index_is_word(c) && !strchr("<>:,*& \t\n", c))
                        return i;
                depth += c == '<';
                if (c == '>' && --depth == 0)
                        return j + 1;
        }
        return i;
}

static bool is_called(const ps_scan *scan, uint32_t behind_name)
{
        uint32_t i = ps_index_skip_blanks(scan, behind_name);
        if (scan->language == PS_SCAN_CPP && ps_index_char(scan, i) == '<')
                i = ps_index_skip_blanks(scan, skip_template(scan, i));
        return ps_index_char(scan, i) == '(';
}

void ps_index_close_block(ps_scan *scan, uint32_t *open, uint32_t end)
{
        uint32_t around = scan->block[*open].end;
        scan->block[*open].end = end;
        *open = around;
}

static bool index_c(ps_scan *scan)
{
        uint32_t open = UINT32_MAX, head = 0;
        for (uint32_t i = 0, end; i < scan->len; i = end) {
                char c = scan->text[i];
                end = ps_index_is_word(c) ? ps_index_word_end(scan, i) : i + 1;
                if (ps_index_is_word(c) && !isdigit((unsigned char)c) && is_called(scan, end) &&
                    !add_token(scan, i, end, 0))
                        return false;
                if (c == '{') {
                        if (!ps_index_add_block(scan, (ps_block){.head = head, .begin = i, .end = open}))
                                return false;
                        open = scan->n_blocks - 1;
                } else if (c == '}' && open != UINT32_MAX) {
                        ps_index_close_block(scan, &open, end);
                }
                if (c == '{' || c == '}' || c == ';')
                        head = end;
        }
        while (open != UINT32_MAX)
                ps_index_close_block(scan, &open, scan->len);
        return true;
}

/* `call obj%method(x)` calls the last name. */
static bool index_fortran_names(ps_scan *scan)
{
        int call = 0;
        for (uint32_t i = 0, end; i < scan->len; i = end) {
                end = ps_index_is_word(scan->text[i]) ? ps_index_word_end(scan, i) : i + 1;
                if (!ps_index_is_word(scan->text[i]) || isdigit((unsigned char)scan->text[i]))
                        continue;
                char name[PS_SCAN_LONGEST_NAME], next = ps_index_char(scan, ps_index_skip_blanks(scan, end));
                ps_index_name(scan, i, end, name);
                if (strcmp(name, "call") == 0 && ps_index_is_word(next)) {
                        call = 1;
                } else if (next != '%') {
                        if ((call || next == '(') && !add_token(scan, i, end, !call))
                                return false;
                        call = 0;
                }
        }
        return true;
}

int ps_index_by_name(const void *a, const void *b)
{
        const ps_token *x = a, *y = b;
        PS_ORDER_BY(x->hash, y->hash);
        if (x->weak != y->weak)
                return x->weak ? 1 : -1;
        return PS_ORDER(x->offset, y->offset);
}

static bool index_lines(ps_scan *scan)
{
        uint32_t n = 1;
        for (uint32_t i = 0; i < scan->len; i++)
                n += scan->text[i] == '\n';
        scan->line = malloc(((size_t)n + 1) * sizeof(*scan->line));
        if (!scan->line)
                return false;
        scan->line[scan->n_lines++] = 0;
        for (uint32_t i = 0; i < scan->len; i++)
                if (scan->text[i] == '\n')
                        scan->line[scan->n_lines++] = i + 1;
        scan->line[scan->n_lines] = scan->len;
        return true;
}

bool ps_index_text(ps_scan *scan)
{
        if (!index_lines(scan))
                return false;
        if (!scan->fortran)
                return index_c(scan);
        return index_fortran_names(scan) && ps_index_fortran_blocks(scan);
}
