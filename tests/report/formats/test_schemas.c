/* test_schemas.c - the schemas in docs/ are those that the tables of records give. With UPDATE_SCHEMAS set
 * they are written instead. */
#include "core/base/file.h"
#include "report/comparison/comparison.h"
#include "report/facts/report.h"
#include "report/print/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
        const ps_record *document;
        const char *path;
} schemas[] = {{&ps_record_report, "docs/report.schema.json"},
               {&ps_record_comparison, "docs/compare.schema.json"}};

static void check(const char *path, const ps_record *document)
{
        ps_output *out;
        char *text;
        size_t n;
        ps_error err;

        assert_int_equal(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, NULL), PS_OK);
        ps_schema_write(out, document);
        assert_int_equal(ps_file_read(&text, &n, fopen(path, "rb"), 1 << 20, "schema", path, &err), PS_OK);
        if (strcmp(text, ps_output_text(out)) != 0)
                fail_msg("%s is not what the tables say: UPDATE_SCHEMAS=1 ctest -R schemas writes it", path);
        free(text);
        ps_output_discard(out);
}

static void update(const char *path, const ps_record *document)
{
        ps_output *out;

        assert_int_equal(ps_output_open(&out, path, PS_COLOR_NEVER, NULL), PS_OK);
        ps_schema_write(out, document);
        assert_int_equal(ps_output_commit(out, NULL), PS_OK);
}

static void test_schemas_are_what_the_tables_say(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++)
                (getenv("UPDATE_SCHEMAS") ? update : check)(schemas[i].path, schemas[i].document);
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_schemas_are_what_the_tables_say)};

        return cmocka_run_group_tests(tests, NULL, NULL);
}
