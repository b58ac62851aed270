/* sqlite_library.h - the library of SQLite as far as a database is written with it. It is looked for when one
 * is, so that nobody else needs it, neither here nor to build patscan: what it has is declared below, and has
 * been stable since 2004. */
#ifndef PS_REPORT_EXPORTS_SQLITE_LIBRARY_H
#define PS_REPORT_EXPORTS_SQLITE_LIBRARY_H

#include "core/base/error.h"

enum { PS_SQLITE_OK = 0, PS_SQLITE_NOMEM = 7, PS_SQLITE_DONE = 101 };

struct sqlite3;
struct sqlite3_stmt;

typedef struct ps_sqlite {
        void *library; /* of the dynamic loader */
        int (*open)(const char *path, struct sqlite3 **db);
        int (*close)(struct sqlite3 *db);
        int (*exec)(struct sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *ctx,
                    char **message);
        int (*errcode)(struct sqlite3 *db);
        const char *(*errstr)(int status);
        int (*prepare)(struct sqlite3 *db, const char *sql, int bytes, struct sqlite3_stmt **out,
                       const char **rest);
        int (*finalize)(struct sqlite3_stmt *statement);
        int (*step)(struct sqlite3_stmt *statement);
        int (*reset)(struct sqlite3_stmt *statement);
        int (*clear_bindings)(struct sqlite3_stmt *statement);
        int (*bind_int64)(struct sqlite3_stmt *statement, int column, long long value);
        int (*bind_double)(struct sqlite3_stmt *statement, int column, double value);
        int (*bind_text)(struct sqlite3_stmt *statement, int column, const char *text, int bytes,
                         void (*release)(void *)); /* NULL: the text stays until the next one is bound */
} ps_sqlite;

/* To be closed if it succeeds. */
ps_status ps_sqlite_load(ps_sqlite *out, ps_error *err);
void ps_sqlite_unload(ps_sqlite *sqlite);

#endif
