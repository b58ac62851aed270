/* crew_load.c - see crew.h. */
#include "core/load/share.h"
#include "reader/reader.h"
#include "tests/support/crew/crew.h"

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
