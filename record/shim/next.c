/* next.c - the functions that ours stand before. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

ps_shim_function *ps_shim_next(const char *name)
{
        ps_shim_function *next = NULL;
        void *found = dlsym(RTLD_NEXT, name);
        memcpy(&next, &found, sizeof(next));
        if (!next) {
                fprintf(stderr,
                        "patscan record: the program calls %s, which no library behind the recorder has\n",
                        name);
                abort();
        }
        return next;
}
