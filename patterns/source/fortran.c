/* fortran.c - where the procedures of a Fortran text begin and end.
 *
 * Statements are told by their first words, a line at a time. Procedures are not nested here: the place of a
 * call is asked for in one procedure, and what it contains are others. */
#include "patterns/source/index.h"

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (strcmp(name, list[i]) == 0)
                        return 1;
        return 0;
}

#define IS_ONE_OF(name, list) is_one_of((name), (list), sizeof(list) / sizeof((list)[0]))

static const char *const units[] = {"subroutine", "function", "program", "procedure", "module", "submodule"};

/* The word behind blanks, in lower case; its end. An empty one when something else stands there. */
static uint32_t read_word(const ps_scan *scan, uint32_t i, char out[PS_SCAN_LONGEST_NAME])
{
        while (ps_index_char(scan, i) == ' ' || ps_index_char(scan, i) == '\t')
                i++;
        uint32_t end = ps_index_word_end(scan, i);
        if (!ps_index_name(scan, i, end, out))
                out[0] = '\0';
        return end;
}

/* `integer*8`, `character(len=*)` */
static uint32_t skip_kind(const ps_scan *scan, uint32_t i)
{
        unsigned depth = 0;
        for (; i < scan->len && scan->text[i] != '\n'; i++) {
                char c = scan->text[i];
                depth += c == '(';
                if (!depth && !strchr(" \t*", c) && !isdigit((unsigned char)c))
                        break;
                depth -= c == ')';
        }
        return i;
}

/* Whether the statement at `i` begins a procedure. */
static bool reads_head(const ps_scan *scan, uint32_t i, ps_block *out)
{
        static const char *const prefixes[] = {
                "recursive", "non_recursive", "impure",  "pure",    "elemental", "module", "integer", "real",
                "double",    "precision",     "complex", "logical", "character", "type",   "class",
        };
        char word[PS_SCAN_LONGEST_NAME], name[PS_SCAN_LONGEST_NAME];
        uint32_t end = read_word(scan, i, word);
        out->is_program = strcmp(word, "program") == 0;
        for (; IS_ONE_OF(word, prefixes); end = read_word(scan, end, word))
                end = skip_kind(scan, end);
        if (!IS_ONE_OF(word, units) || !read_word(scan, end, name) || !name[0])
                return false;
        while (ps_index_char(scan, end) == ' ' || ps_index_char(scan, end) == '\t')
                end++;
        out->name = end;
        return true;
}

enum statement { PLAIN, HEAD, END_UNIT, CONTAINS, INTERFACE, END_INTERFACE };

static enum statement statement_at(const ps_scan *scan, uint32_t i, ps_block *out)
{
        char word[PS_SCAN_LONGEST_NAME], next[PS_SCAN_LONGEST_NAME];
        uint32_t end = read_word(scan, i, word), behind = read_word(scan, end, next);
        int alone = !next[0] && (ps_index_char(scan, behind) == '\n' || ps_index_char(scan, behind) == ';' ||
                                 behind >= scan->len);
        if (strncmp(word, "end", 3) == 0) {
                const char *what = word[3] ? word + 3 : next;
                if (strcmp(what, "interface") == 0)
                        return END_INTERFACE;
                return (!*what && alone) || IS_ONE_OF(what, units) ? END_UNIT : PLAIN;
        }
        if (strcmp(word, "contains") == 0 && alone)
                return CONTAINS;
        if (strcmp(word, "interface") == 0 ||
            (strcmp(word, "abstract") == 0 && strcmp(next, "interface") == 0))
                return ps_index_char(scan, behind) == '=' ? PLAIN : INTERFACE;
        return reads_head(scan, i, out) ? HEAD : PLAIN;
}

/* Where the statement of a line begins, behind its label; the line's end when it has none of its own. */
static uint32_t statement_start(const ps_scan *scan, uint32_t line, uint32_t end, int *goes_on)
{
        uint32_t i = line, last = end;
        while (i < end && (strchr(" \t", scan->text[i]) || isdigit((unsigned char)scan->text[i])))
                i++;
        while (last > i && strchr(" \t\n", scan->text[last - 1]))
                last--;
        if (last == i)
                return end;
        bool is_rest = *goes_on || scan->text[i] == '&';
        *goes_on = scan->text[last - 1] == '&';
        return is_rest ? end : i;
}

bool ps_index_fortran_blocks(ps_scan *scan)
{
        int goes_on = 0, in_interface = 0;
        uint32_t open = UINT32_MAX;
        for (uint32_t l = 0; l < scan->n_lines; l++) {
                uint32_t line = scan->line[l], end = scan->line[l + 1];
                uint32_t i = statement_start(scan, line, end, &goes_on);
                ps_block row = {.head = line, .begin = end, .end = UINT32_MAX};
                enum statement what = i < end ? statement_at(scan, i, &row) : PLAIN;
                if (what == INTERFACE || what == END_INTERFACE)
                        in_interface = what == INTERFACE;
                if (in_interface || what == PLAIN || what == END_INTERFACE)
                        continue;
                if (open != UINT32_MAX)
                        ps_index_close_block(scan, &open, line);
                if (what != HEAD)
                        continue;
                if (!ps_index_add_block(scan, row))
                        return false;
                open = scan->n_blocks - 1;
        }
        if (open != UINT32_MAX)
                ps_index_close_block(scan, &open, scan->len);
        return true;
}
