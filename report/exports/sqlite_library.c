/* sqlite_library.c - see sqlite_library.h. */
#include "report/exports/sqlite_library.h"
#include "report/print/later.h"

#include <dlfcn.h>

static const ps_later_function functions[] = {{"sqlite3_open", offsetof(ps_sqlite, open)},
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

ps_status ps_sqlite_load(ps_sqlite *out, ps_error *err)
{
        static const ps_later library = {
                .file = "libsqlite3.so.0",
                .name = "SQLite",
                .lacks = "a database is written by the library of SQLite, which cannot be loaded "
                         "(install libsqlite3-0, or sqlite-libs)",
                .functions = functions,
                .n_functions = sizeof(functions) / sizeof(*functions),
                .status = PS_E_OUTPUT,
        };
        return ps_later_load(&out->library, out, &library, err);
}

void ps_sqlite_unload(ps_sqlite *sqlite)
{
        dlclose(sqlite->library);
}
