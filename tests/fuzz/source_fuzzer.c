/* source_fuzzer.c - a source text, in whichever language the first byte says; its first line is the name of
 * the call that is looked for in each of its functions. */
#include "patterns/source/scan.h"
#include "report/print/line_hash.h"
#include "tests/support/fuzz_lab.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 40 };

static void look(const ps_scan *scan, const char *name, ps_scan_span span, size_t size)
{
        ps_scan_calls calls;
        fuzz_must(span.begin <= span.end && span.end <= size);
        ps_scan_calls_of(scan, name, span, &calls);
        fuzz_must(calls.n_lines <= PS_SCAN_MOST_LINES && (!calls.unique || calls.n_lines == 1));
        fuzz_must(calls.unique ? calls.column > 0 && calls.column < calls.column_end : calls.column == 0);
        for (uint32_t i = 1; i < calls.n_lines; i++)
                fuzz_must(calls.line[i - 1] < calls.line[i]);
}

static void scan(char *text, size_t size, ps_scan_language language)
{
        char name[PS_SCAN_LONGEST_NAME];
        ps_scan *scan;
        fuzz_must(ps_scan_name(name, text, language) < PS_SCAN_LONGEST_NAME);
        fuzz_must(ps_scan_new(&scan, text, size, language, NULL) == PS_OK);
        for (uint32_t line = 0; scan && line < LINES_MAX; line++) {
                look(scan, name, ps_scan_function(scan, "", line, 0), size);
                look(scan, name, ps_scan_function(scan, name, line, line + 2), size);
                look(scan, name, ps_scan_lines(scan, line, line + line % 3), size);
        }
        ps_scan_free(scan);
}

static void hash_lines(const char *text, size_t size)
{
        ps_line_hash *rows;
        uint32_t n, lines = 1;
        for (const char *p = text; (p = memchr(p, '\n', size - (size_t)(p - text))); p++)
                lines++;
        fuzz_must(ps_line_hash_all(&rows, &n, text, size, NULL) == PS_OK && n >= lines);
        for (uint32_t i = 0; i < n; i++)
                fuzz_must(rows[i].occurrence > 0 && rows[i].occurrence <= i + 1 && rows[i].columns <= size);
        free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        if (!size)
                return 0;
        char *text = fuzz_text(data + 1, size - 1);
        hash_lines(text, size - 1);
        text[strcspn(text, "\n")] = '\0';
        scan(text, size - 1, (ps_scan_language)(PS_SCAN_C + data[0] % PS_SCAN_FORTRAN_FIXED));
        free(text);
        return 0;
}
