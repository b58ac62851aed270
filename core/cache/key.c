/* key.c - what has to be the same for a load to give the same: a text, a line for each fact. */
#include "core/cache/cache.h"
#include "core/cache/columns.h"
#include "core/cache/store.h"

#include "core/base/hash.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Folders in folders may lead round in a circle. */
enum { DEPTH_MOST = 8, FILES_MOST = 1 << 20 };

typedef struct listing {
        FILE *out;
        unsigned n_files;
        ps_error *err;
} listing;

static ps_status list_file(listing *l, const char *path, unsigned depth);

static ps_status list_folder(listing *l, const char *path, unsigned depth)
{
        struct dirent **entry = NULL;
        int n = depth < DEPTH_MOST ? scandir(path, &entry, NULL, alphasort) : -1;
        ps_status status =
                n >= 0 ? PS_OK
                       : PS_FAIL(l->err, PS_E_INPUT,
                                 "cannot list a folder of the trace: path=\"%s\", depth=%u", path, depth);
        for (int i = 0; i < n; i++) {
                char name[PATH_MAX];
                const bool is_itself =
                                   strcmp(entry[i]->d_name, ".") == 0 || strcmp(entry[i]->d_name, "..") == 0,
                           is_kept_here = strstr(entry[i]->d_name, PS_CACHE_SUFFIX) != NULL;
                int len = snprintf(name, sizeof(name), "%s/%s", path, entry[i]->d_name);
                if (len >= (int)sizeof(name))
                        PS_THEN(status,
                                PS_FAIL(l->err, PS_E_INPUT, "a path is too long: folder=\"%s\"", path));
                else if (!is_itself && !is_kept_here)
                        PS_THEN(status, list_file(l, name, depth + 1));
                free(entry[i]);
        }
        free(entry);
        return status;
}

/* The times tell of a file that was written again with the same size. A folder's are not told: what is added
 * to it is a file of its own. */
static ps_status list_file(listing *l, const char *path, unsigned depth)
{
        struct stat st;
        if (l->n_files++ == FILES_MOST)
                return PS_FAIL(l->err, PS_E_INPUT, "the trace lies in too many files: most=%d", FILES_MOST);
        if (stat(path, &st) != 0) {
                fprintf(l->out, "none %s\n", path);
                return PS_OK;
        }
        if (S_ISDIR(st.st_mode))
                return list_folder(l, path, depth);
        fprintf(l->out, "%jd %jd.%09ld %jd.%09ld %s\n", (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
                st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec, path);
        return PS_OK;
}

static void put_text(FILE *out, const char *name, const char *text)
{
        fprintf(out, "%s=%zu:%s\n", name, text ? strlen(text) + 1 : 0, text ? text : "");
}

static void put_options(FILE *out, const ps_load_options *options)
{
        static const ps_focus_wish nothing = {.how = PS_FOCUS_HOWS};
        const ps_focus_wish *focus = options->focus ? options->focus : &nothing;
        fprintf(out, "version=" PS_VERSION " layout=%016" PRIx64 "\n", ps_cache_columns_layout());
        fprintf(out, "clock=%d strict=%d upc_flags=%d call_stacks=%d pieces=%" PRIu32 "\n",
                (int)options->clock, options->strict != 0, (int)options->upc_flags, options->call_stacks != 0,
                options->pieces ? options->pieces->most : 0);
        fprintf(out, "focus=%d from=%" PRId64 " to=%" PRId64 "\n", (int)focus->how, focus->from, focus->to);
        put_text(out, "region", focus->region);
        put_text(out, "ranks", focus->ranks);
}

static char *usual_folder(void)
{
        const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
        bool is_told = base && base[0] == '/'; /* others mean nothing, by its specification */
        char *folder = NULL;
        if (!is_told && (!home || *home != '/')) /* an empty one would be the root of the machine */
                return NULL;
        size_t n = strlen(is_told ? base : home) + sizeof("/.cache/patscan");
        if ((folder = malloc(n)))
                snprintf(folder, n, "%s%s/patscan", is_told ? base : home, is_told ? "" : "/.cache");
        return folder;
}

char *ps_cache_folder(const char *asked)
{
        return *asked ? strdup(asked) : usual_folder();
}

/* Options and path name the file, so that a trace that has changed takes the place of what it was. */
static ps_status name_file(ps_cache_key *key, size_t n, ps_error *err)
{
        size_t size = strlen(key->folder) + 64;
        key->file = malloc(size);
        if (!key->file)
                return PS_NOMEM(err, "path of a cache", size);
        snprintf(key->file, size, "%s/%016" PRIx64 PS_CACHE_SUFFIX, key->folder, ps_hash_bytes(key->text, n));
        return PS_OK;
}

static ps_status write_key(ps_cache_key *key, FILE *out, const char *path, const ps_load_options *options,
                           char *const *parts, unsigned n, ps_error *err)
{
        char real[PATH_MAX];
        listing l = {out, 0, err};
        struct stat st;
        if (!realpath(path, real) || stat(real, &st) != 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
                return PS_FAIL(err, PS_E_INPUT, "only files and folders can be cached: path=\"%s\"", path);
        put_options(out, options);
        put_text(out, "path", real);
        if (fflush(out) != 0)
                return PS_NOMEM(err, "key of a cache", 1);
        PS_TRY(name_file(key, key->n, err));
        /* By their real paths, too: the trace may be named in several ways. */
        for (unsigned i = 0; i < n; i++)
                PS_TRY(list_file(&l, realpath(parts[i], real) ? real : parts[i], 0));
        return PS_OK;
}

ps_status ps_cache_key_make(ps_cache_key *out, const char *folder, const char *path,
                            const ps_load_options *options, char *const *parts, unsigned n, ps_error *err)
{
        *out = (ps_cache_key){.folder = ps_cache_folder(folder)};
        if (!out->folder)
                return PS_FAIL(err, PS_E_INPUT,
                               "there is no folder for caches: neither XDG_CACHE_HOME nor "
                               "HOME is set");
        FILE *text = open_memstream(&out->text, &out->n);
        if (!text)
                return PS_NOMEM(err, "key of a cache", 1);
        ps_status status = write_key(out, text, path, options, parts, n, err);
        if (fclose(text) != 0 && status == PS_OK)
                status = PS_NOMEM(err, "key of a cache", 1);
        return status;
}

void ps_cache_key_clear(ps_cache_key *key)
{
        free(key->folder);
        free(key->file);
        free(key->text);
        *key = (ps_cache_key){0};
}

bool ps_cache_key_is_same(const ps_cache_key *a, const ps_cache_key *b)
{
        return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}
