/* calls.c - see calls.h. */
#include "tests/reader/dvm/calls.h"
#include "tests/support/test.h"

#include <stdlib.h>

static dvm_text text;

int dvm_calls_begin(void **state)
{
        (void)state;
        text = (dvm_text){0};
        dvm_begin(&text);
        dvm_setup(&text, 4, 6, 1, 2, 8);
        return 0;
}

int dvm_calls_end(void **state)
{
        (void)state;
        free(text.text);
        return 0;
}

void dvm_calls_add(const char *name, const char *params, const char *results)
{
        dvm_call(&text, name, 0.25, 0.5, 7, params, results);
}

void dvm_calls_add_at(int line, const char *name, const char *params, const char *results)
{
        dvm_call(&text, name, 0, 0, line, params, results);
}

ps_dvm *dvm_calls_read(void)
{
        dvm_end(&text);
        return dvm_read_text(text.text);
}

void dvm_calls_expect(const int64_t *array, uint32_t n, ...)
{
        va_list args;
        va_start(args, n);
        for (uint32_t i = 0; i < n; i++)
                assert_int_equal(array[i], va_arg(args, int));
        va_end(args);
}
