/* index.h - what a scan keeps of a text: shared by the files that build it and the one that asks.
 *
 * In C a block is a pair of braces, and a function is the block whose head holds its name. In Fortran a block
 * is what a procedure executes itself: from its first statement to its END, to the CONTAINS in front of the
 * procedures inside it, or to the next procedure. */
#ifndef PS_PATTERNS_SOURCE_INDEX_H
#define PS_PATTERNS_SOURCE_INDEX_H

#include "patterns/source/scan.h"

#include <ctype.h>
#include <string.h>

/* A name with '(' behind it or, in Fortran, CALL before it. */
typedef struct ps_token {
        uint64_t hash;
        uint32_t offset;
        uint8_t length, weak; /* weak: may as well be an element of an array */
} ps_token;

typedef struct ps_block {
        uint32_t head, begin, end;
        uint32_t name; /* of a procedure in Fortran */
        bool is_program;
} ps_block;

struct ps_scan {
        const char *text;
        uint32_t len;
        ps_scan_language language;
        bool fortran;
        uint32_t *line; /* where each begins */
        uint32_t n_lines;
        ps_token *token; /* by hash, the strong ones first, then by offset */
        uint32_t n_tokens, cap_tokens;
        ps_block *block; /* by begin */
        uint32_t n_blocks, cap_blocks;
        bool too_many;
};

static inline bool ps_index_is_word(char c)
{
        return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static inline char ps_index_char(const ps_scan *scan, uint32_t i)
{
        return i < scan->len ? scan->text[i] : '\0';
}

static inline uint32_t ps_index_word_end(const ps_scan *scan, uint32_t i)
{
        while (i < scan->len && ps_index_is_word(scan->text[i]))
                i++;
        return i;
}

/* Behind blanks, line ends and, in Fortran, the marks of lines that go on. */
static inline uint32_t ps_index_skip_blanks(const ps_scan *scan, uint32_t i)
{
        while (i < scan->len && (strchr(" \t\n", scan->text[i]) || (scan->fortran && scan->text[i] == '&')))
                i++;
        return i;
}

/* The name in [from, to) as it is compared: without PMPI's P, in Fortran in lower case and without trailing
 * underscores. Gives its length; 0 when it is too long to be one. */
size_t ps_index_name(const ps_scan *scan, uint32_t from, uint32_t to, char out[PS_SCAN_LONGEST_NAME]);

/* Fills the tables of a scan that has its blanked text and nothing else. 0 when there is no memory, or when
 * `too_many` is set. */
bool ps_index_text(ps_scan *scan);
bool ps_index_fortran_blocks(ps_scan *scan);

/* While a block is open, its `end` holds the index of the open one around it. */
bool ps_index_add_block(ps_scan *scan, ps_block row);
void ps_index_close_block(ps_scan *scan, uint32_t *open, uint32_t end);

/* The order of tokens, for qsort. */
int ps_index_by_name(const void *a, const void *b);

#endif
