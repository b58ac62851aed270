/* schema_file.c - see schema_file.h. */
#include "tests/support/schema_file.h"
#include "core/base/file.h"
#include "report/print/output.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static void compare_with_file(const char *path, const char *text)
{
        char *kept;
        size_t n;
        ps_error err;

        assert_int_equal(ps_file_read(&kept, &n, fopen(path, "rb"), 1 << 20, "schema", path, &err), PS_OK);
        if (strcmp(kept, text) != 0)
                fail_msg("%s is not what the tables say: UPDATE_SCHEMAS=1 ctest -R schema writes it", path);
        free(kept);
}

static void write_file(const char *path, const char *text)
{
        ps_output *out;

        assert_int_equal(ps_output_open(&out, path, PS_COLOR_NEVER, NULL), PS_OK);
        ps_output_puts(out, text);
        assert_int_equal(ps_output_commit(out, NULL), PS_OK);
}

void schema_file_check(const char *path, const char *text)
{
        (getenv("UPDATE_SCHEMAS") ? write_file : compare_with_file)(path, text);
}
