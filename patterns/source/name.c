/* name.c - from what a trace calls a region to what its calls look like in the source. */
#include "core/base/text.h"
#include "patterns/source/scan.h"

#include <ctype.h>
#include <string.h>

typedef struct piece {
        const char *begin, *end;
} piece;

static const struct {
        const char *ending;
        ps_scan_language language;
} endings[] = {
        {"c", PS_SCAN_C},
        {"h", PS_SCAN_CPP},
        {"upc", PS_SCAN_C},
        {"C", PS_SCAN_CPP},
        {"H", PS_SCAN_CPP},
        {"cc", PS_SCAN_CPP},
        {"cpp", PS_SCAN_CPP},
        {"cxx", PS_SCAN_CPP},
        {"c++", PS_SCAN_CPP},
        {"hh", PS_SCAN_CPP},
        {"hpp", PS_SCAN_CPP},
        {"hxx", PS_SCAN_CPP},
        {"h++", PS_SCAN_CPP},
        {"inl", PS_SCAN_CPP},
        {"ipp", PS_SCAN_CPP},
        {"tcc", PS_SCAN_CPP},
        {"cu", PS_SCAN_CPP},
        {"cuh", PS_SCAN_CPP},
        {"f", PS_SCAN_FORTRAN_FIXED},
        {"F", PS_SCAN_FORTRAN_FIXED},
        {"for", PS_SCAN_FORTRAN_FIXED},
        {"FOR", PS_SCAN_FORTRAN_FIXED},
        {"ftn", PS_SCAN_FORTRAN_FIXED},
        {"FTN", PS_SCAN_FORTRAN_FIXED},
        {"f77", PS_SCAN_FORTRAN_FIXED},
        {"F77", PS_SCAN_FORTRAN_FIXED},
        {"f90", PS_SCAN_FORTRAN},
        {"F90", PS_SCAN_FORTRAN},
        {"f95", PS_SCAN_FORTRAN},
        {"F95", PS_SCAN_FORTRAN},
        {"f03", PS_SCAN_FORTRAN},
        {"F03", PS_SCAN_FORTRAN},
        {"f08", PS_SCAN_FORTRAN},
        {"F08", PS_SCAN_FORTRAN},
};

ps_scan_language ps_scan_language_of(const char *file)
{
        const char *dot = strrchr(file, '.');
        for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
                if (strcmp(dot + 1, endings[i].ending) == 0)
                        return endings[i].language;
        return PS_SCAN_NONE;
}

bool ps_scan_is_word(char c)
{
        return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* What compilers append to the names of copies and outlined parts of a function. */
static void drop_clone(piece *p)
{
        static const char *const marks[] = {" [clone", ".constprop.", ".isra.",        ".part.",
                                            ".cold",   "._omp_fn",    ".omp_outlined", ".lto_priv."};
        for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
                const char *mark = strstr(p->begin, marks[i]);
                if (mark && mark < p->end)
                        p->end = mark;
        }
}

/* Cuts "open ... close" off the end, with what is nested in it. */
static void drop_group(piece *p, char open, char close)
{
        unsigned depth = 0;
        for (const char *c = p->end; c > p->begin; c--) {
                depth += c[-1] == close;
                if (c[-1] == open && --depth == 0) {
                        p->end = c - 1;
                        return;
                }
                if (!depth)
                        return;
        }
}

/* Parameters, with the qualifiers behind them; then template arguments. */
static void drop_parameters(piece *p)
{
        const char *last = p->end;
        while (last > p->begin && last[-1] != ')')
                last--;
        if (last > p->begin && strncmp(last, "::", 2) != 0) {
                p->end = last;
                drop_group(p, '(', ')');
        }
        if (p->end > p->begin && p->end[-1] == '>')
                drop_group(p, '<', '>');
}

/* `C::C` constructs: its calls bear the names of variables. */
static bool is_constructor(const piece *whole, const piece *last)
{
        size_t n = (size_t)(last->end - last->begin);
        const char *scope = last->begin - 2;
        return last->begin - whole->begin >= (ptrdiff_t)n + 2 && memcmp(scope, "::", 2) == 0 &&
               memcmp(scope - n, last->begin, n) == 0 &&
               (scope - n == whole->begin || !ps_scan_is_word(scope[-(ptrdiff_t)n - 1]));
}

static piece last_word(const piece *whole)
{
        piece word = {whole->end, whole->end};
        while (word.begin > whole->begin && ps_scan_is_word(word.begin[-1]))
                word.begin--;
        char before = word.begin > whole->begin ? word.begin[-1] : '\0';
        size_t n = (size_t)(word.begin - whole->begin);
        bool is_operator = n >= 9 && memcmp(word.begin - 9, "operator ", 9) == 0;
        if (before == '~' || is_operator || is_constructor(whole, &word))
                word.begin = word.end;
        return word;
}

/* Lower case, without the linker's underscores and the compiler's module prefix. */
static size_t fortran_name(char *text, size_t len)
{
        const char *module = strstr(text, "_MOD_");
        if (module && module[5]) {
                len -= (size_t)(module + 5 - text);
                memmove(text, module + 5, len + 1);
        }
        for (size_t i = 0; i < len; i++)
                text[i] = (char)tolower((unsigned char)text[i]);
        while (len && text[len - 1] == '_')
                text[--len] = '\0';
        if (strncmp(text, "mpi_", 4) == 0 || strncmp(text, "pmpi_", 5) == 0) {
                ps_text_drop_ending(text, &len, "_f08ts");
                ps_text_drop_ending(text, &len, "_f08");
        }
        return len;
}

size_t ps_scan_name(char out[PS_SCAN_LONGEST_NAME], const char *region, ps_scan_language language)
{
        int fortran = language == PS_SCAN_FORTRAN || language == PS_SCAN_FORTRAN_FIXED;
        piece whole = {region, region + strlen(region)};
        out[0] = '\0';
        drop_clone(&whole);
        drop_parameters(&whole);
        piece word = last_word(&whole);
        size_t len = (size_t)(word.end - word.begin);
        if (!len || len >= PS_SCAN_LONGEST_NAME || isdigit((unsigned char)*word.begin))
                return 0;
        memcpy(out, word.begin, len);
        out[len] = '\0';
        if (fortran)
                len = fortran_name(out, len);
        size_t profiling = strncmp(out, "PMPI_", 5) == 0 || (fortran && strncmp(out, "pmpi_", 5) == 0);
        memmove(out, out + profiling, len - profiling + 1);
        return len - profiling;
}
