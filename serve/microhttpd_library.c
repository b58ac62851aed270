/* microhttpd_library.c - see microhttpd_library.h. */
#include "core/base/error.h"

#ifdef PS_HAS_MICROHTTPD

#include "report/print/later.h"
#include "serve/microhttpd_library.h"

static const ps_later_function functions[] = {
#define PS_MEMBER(name) {"MHD_" #name, offsetof(ps_microhttpd, name)},
        PS_MICROHTTPD_FUNCTIONS(PS_MEMBER)
#undef PS_MEMBER
};

ps_status ps_microhttpd_load(ps_microhttpd *out, ps_error *err)
{
        static const ps_later microhttpd = {
                .file = "libmicrohttpd.so.12",
                .name = "libmicrohttpd",
                .lacks =
                        "pages are served by libmicrohttpd, which cannot be loaded (install libmicrohttpd12, "
                        "or libmicrohttpd), or write the page to a file (--report html:FILE)",
                .functions = functions,
                .n_functions = sizeof(functions) / sizeof(*functions),
                .status = PS_E_USAGE,
                .stays = true,
        };
        void *library;
        return ps_later_load(&library, out, &microhttpd, err);
}

#endif
