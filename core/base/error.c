/* error.c - filling the chain of causes. */
#include "core/base/error.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"

#include <stdarg.h>
#include <stdio.h>

static void put_cause(ps_error *err, int row, const char *file, int line, const char *fmt, va_list args)
{
        err->cause[row].file = file;
        err->cause[row].line = line;
        vsnprintf(err->cause[row].text, sizeof(err->cause[row].text), fmt, args);
}

void ps_error_set(ps_error *err, ps_status status, const char *file, int line, const char *fmt, ...)
{
        if (status == PS_E_NOMEM)
                ps_memory_lack();
        if (!err)
                return;
        const char *trouble = status == PS_E_NOMEM ? ps_blocks_trouble() : "";
        err->n_causes = 0;
        if (*trouble)
                ps_error_add(err, status, file, line, "%s", trouble);
        va_list args;
        va_start(args, fmt);
        err->status = status;
        put_cause(err, err->n_causes++, file, line, fmt, args);
        va_end(args);
}

void ps_error_add(ps_error *err, ps_status status, const char *file, int line, const char *fmt, ...)
{
        if (!err)
                return;
        va_list args;
        va_start(args, fmt);
        err->status = status;
        if (err->n_causes < PS_ERROR_CAUSES)
                err->n_causes++;
        put_cause(err, err->n_causes - 1, file, line, fmt, args);
        va_end(args);
}
