/* cached.c - see cached.h. */
#include "library/run/cached.h"
#include "library/run/message.h"
#include "reader/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell_of_cache(const ps_options *options, const char *what, const ps_error *why)
{
        ps_message_warn(&options->terminal, "%s: %s", what, why->n_causes ? why->cause[0].text : "");
}

static ps_status make_key(ps_cache_key *out, const char *folder, const char *path, const ps_load_options *how,
                          ps_error *err)
{
        const ps_reader_class *format;
        char *parts[PS_TRACE_PARTS] = {NULL};
        unsigned n;

        *out = (ps_cache_key){0};
        PS_TRY(ps_reader_find(&format, path, err));
        if (format->parts)
                n = format->parts(parts, path);
        else
                n = (parts[0] = strdup(path)) != NULL;
        ps_status status = n ? ps_cache_key_make(out, folder, path, how, parts, n, err)
                             : PS_NOMEM(err, "path", strlen(path));
        while (n)
                free(parts[--n]);
        return status;
}

/* Unless it has changed while it was read. False: it could not be kept, and that is told. */
static bool keep_trace(const ps_options *options, const char *path, const ps_load_options *how,
                       const ps_cache_key *before, ps_trace *trace)
{
        ps_cache_key after;
        ps_error why = {0};
        ps_status status = make_key(&after, options->load.cache, path, how, &why);

        if (status == PS_OK && ps_cache_key_is_same(before, &after))
                status = ps_cache_keep(&after, trace, how->n_threads, &why);
        if (status != PS_OK)
                tell_of_cache(options, "the trace is not kept for the next time", &why);
        ps_cache_key_clear(&after);
        return status == PS_OK;
}

static ps_status load_or_take(ps_trace **out, const ps_options *options, const char *path,
                              const ps_load_options *how, ps_error *err)
{
        ps_cache_key key;
        ps_error why = {0};
        ps_status status = make_key(&key, options->load.cache, path, how, &why);
        bool has_key = status == PS_OK, is_told = false;

        *out = NULL;
        PS_THEN(status, ps_cache_open(out, &key, how->n_threads, &why));
        bool is_useless = status != PS_OK && has_key;
        if (*out)
                ps_message_note(&options->terminal, "taken from the cache: path=\"%s\"", key.file);
        status = *out ? PS_OK : ps_trace_load(out, path, how, err);
        if (status == PS_OK && has_key && !(*out)->mapped)
                is_told = !keep_trace(options, path, how, &key, *out);
        else if (status == PS_OK && !has_key)
                tell_of_cache(options, "the trace is not kept for the next time", &why);
        if (is_useless && !is_told) /* mostly for the same reason */
                tell_of_cache(options, "what was kept of the trace cannot be used", &why);
        ps_cache_key_clear(&key);
        return status;
}

ps_status ps_cached_state(ps_cache_key *out, const char *path, ps_error *err)
{
        static const ps_load_options any = {0};
        return make_key(out, ".", path, &any, err);
}

static bool is_to_clear(const ps_options *options)
{
        return options->load.cache && strcmp(options->load.cache, "clear") == 0;
}

ps_status ps_cached_load(ps_trace **out, const ps_options *options, const char *path,
                         const ps_load_options *how, ps_error *err)
{
        ps_error why = {0};
        unsigned n;

        if (!options->load.cache)
                return ps_trace_load(out, path, how, err);
        if (!is_to_clear(options))
                return load_or_take(out, options, path, how, err);
        if (ps_cache_clear("", &n, &why) != PS_OK)
                tell_of_cache(options, "the cache is not empty", &why);
        ps_message_note(&options->terminal, "removed from the cache: files=%u", n);
        return ps_trace_load(out, path, how, err);
}

bool ps_cached_only_clears(const ps_options *options)
{
        return options->n_arguments == 0 && is_to_clear(options);
}

ps_status ps_cached_clear(const ps_options *options, ps_error *err)
{
        unsigned n;

        PS_TRY(ps_cache_clear("", &n, err));
        if (!options->terminal.quiet)
                fprintf(stderr, "patscan: removed from the cache: files=%u\n", n);
        return PS_OK;
}
