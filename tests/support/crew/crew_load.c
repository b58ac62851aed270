/* crew_load.c - see crew.h. */
#include "core/load/share.h"
#include "reader/reader.h"
#include "tests/support/crew/crew.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

struct wanted {
        const char *path;
        const ps_load_options *options;
        ps_trace **out;
        ps_status status;
        ps_error *err;
};

static void load_or_serve(ps_exchange *x, void *ctx)
{
        struct wanted *w = ctx;
        ps_load_options options = *w->options;
        options.exchange = x;
        if (x->rank) {
                ps_share_serve(x, ps_reader_named, NULL);
                return;
        }
        w->status = ps_trace_load(w->out, w->path, &options, w->err);
        ps_share_dismiss(x);
        if (w->status == PS_OK)
                (*w->out)->spread = NULL; /* they are gone */
}

ps_status crew_load(ps_trace **out, const char *path, const ps_load_options *options, uint32_t n,
                    ps_error *err)
{
        struct wanted wanted = {.path = path, .options = options, .out = out, .err = err};
        crew_run(n, load_or_serve, &wanted);
        return wanted.status;
}

void crew_expect_same(const char *path, const ps_load_options *options)
{
        static const uint32_t sizes[] = {1, 2, 3, 4, 7};
        ps_error err = {0}, other = {0};
        ps_trace *one = NULL;
        ps_status status = ps_trace_load(&one, path, options, &err);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                ps_trace *many = NULL;
                assert_int_equal(crew_load(&many, path, options, sizes[i], &other), status);
                const char *difference = status == PS_OK ? loaded_difference(one, many, 1) : NULL;
                if (difference)
                        fail_msg("%u processes: %s differ", sizes[i], difference);
                if (status != PS_OK)
                        assert_string_equal(other.cause[0].text, err.cause[0].text);
                ps_trace_close(many);
        }
        ps_trace_close(one);
}
