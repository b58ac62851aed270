/* later.c - see later.h. */
#include "report/print/later.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static ps_status find_functions(void *out, void *library, const ps_later *later, ps_error *err)
{
        for (size_t i = 0; i < later->n_functions; i++) {
                const ps_later_function *function = &later->functions[i];
                void *found = dlsym(library, function->name);
                if (!found)
                        return PS_FAIL(err, later->status, "the %s that is here is too old: it has no %s",
                                       later->name, function->name);
                memcpy((char *)out + function->member, &found, sizeof(found));
        }
        return PS_OK;
}

ps_status ps_later_load(void **library, void *functions, const ps_later *later, ps_error *err)
{
        errno = 0; /* all that dlerror() has is a text, and that does not always tell a lack of memory */
        *library = dlopen(later->file, RTLD_NOW | RTLD_LOCAL | (later->stays ? RTLD_NODELETE : 0));
        if (!*library) {
                int why = errno;
                const char *reason = dlerror();
                if (why == ENOMEM)
                        return PS_NOMEM(err, later->file, 1);
                return PS_FAIL(err, later->status, "%s: reason=\"%.90s\"", later->lacks,
                               reason ? reason : "unknown");
        }
        ps_status status = find_functions(functions, *library, later, err);
        if (status != PS_OK) {
                dlclose(*library);
                *library = NULL;
        }
        return status;
}
