/* microhttpd_library.c - see microhttpd_library.h. */
#include "core/base/error.h"

#ifdef PS_HAS_MICROHTTPD

#include "serve/microhttpd_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
        const char *name;
        size_t member;
} functions[] = {
#define PS_MEMBER(name) {"MHD_" #name, offsetof(ps_microhttpd, name)},
        PS_MICROHTTPD_FUNCTIONS(PS_MEMBER)
#undef PS_MEMBER
};

ps_status ps_microhttpd_load(ps_microhttpd *out, ps_error *err)
{
        void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!library) {
                const char *reason = dlerror();
                return PS_FAIL(
                        err, PS_E_USAGE,
                        "pages are served by libmicrohttpd, which cannot be loaded (install libmicrohttpd12, "
                        "or libmicrohttpd), or write the page to a file: --report html:FILE; "
                        "reason=\"%.90s\"",
                        reason ? reason : "unknown");
        }
        for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
                void *found = dlsym(library, functions[i].name);
                if (!found)
                        return PS_FAIL(err, PS_E_USAGE, "this libmicrohttpd is too old: it has no %s",
                                       functions[i].name);
                memcpy((char *)out + functions[i].member, &found, sizeof(found));
        }
        return PS_OK;
}

#endif
