/* sqlite_library.c - see sqlite_library.h. */
#include "report/exports/sqlite_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
        const char *name;
        size_t member;
} functions[] = {{"sqlite3_open", offsetof(ps_sqlite, open)},
                 {"sqlite3_close", offsetof(ps_sqlite, close)},
                 {"sqlite3_exec", offsetof(ps_sqlite, exec)},
                 {"sqlite3_errcode", offsetof(ps_sqlite, errcode)},
                 {"sqlite3_errstr", offsetof(ps_sqlite, errstr)},
                 {"sqlite3_prepare_v2", offsetof(ps_sqlite, prepare)},
                 {"sqlite3_finalize", offsetof(ps_sqlite, finalize)},
                 {"sqlite3_step", offsetof(ps_sqlite, step)},
                 {"sqlite3_reset", offsetof(ps_sqlite, reset)},
                 {"sqlite3_clear_bindings", offsetof(ps_sqlite, clear_bindings)},
                 {"sqlite3_bind_int64", offsetof(ps_sqlite, bind_int64)},
                 {"sqlite3_bind_double", offsetof(ps_sqlite, bind_double)},
                 {"sqlite3_bind_text", offsetof(ps_sqlite, bind_text)}};

static ps_status find_functions(ps_sqlite *out, ps_error *err)
{
        for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
                void *found = dlsym(out->library, functions[i].name);
                if (!found)
                        return PS_FAIL(err, PS_E_OUTPUT, "this library of SQLite is too old: it has no %s",
                                       functions[i].name);
                memcpy((char *)out + functions[i].member, &found, sizeof(found));
        }
        return PS_OK;
}

ps_status ps_sqlite_load(ps_sqlite *out, ps_error *err)
{
        *out = (ps_sqlite){.library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL)};
        if (!out->library) {
                const char *reason = dlerror();
                return PS_FAIL(err, PS_E_OUTPUT,
                               "a database is written by the library of SQLite, which cannot be loaded "
                               "(install libsqlite3-0, or sqlite-libs): reason=\"%.90s\"",
                               reason ? reason : "unknown");
        }
        ps_status status = find_functions(out, err);
        if (status != PS_OK)
                ps_sqlite_unload(out);
        return status;
}

void ps_sqlite_unload(ps_sqlite *sqlite)
{
        dlclose(sqlite->library);
}
