/* kinds.c - from names to kinds. Recorders disagree on how a Fortran call is spelled, so names are compared
 * without case, profiling prefix, trailing underscores, the marks of the Fortran 2008 binding and what TAU
 * ends them with, "()". */
#include "core/model/kinds.h"
#include "core/base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const ps_kind_info ps_kinds[PS_K_COUNT] = {
#define PS_KIND(id, name, cls, traits) {name, PS_C_##cls, traits},
#include "core/model/kinds.def"
#undef PS_KIND
};

static const struct {
        const char *name;
        uint8_t kind, nonblocking;
} names[] = {
#define PS_NAME(name, kind, nonblocking) {name, PS_K_##kind, nonblocking},
#include "core/model/names.def"
#undef PS_NAME
};

enum { LONGEST_NAME = 64 };

const char *ps_name_called(const char *name)
{
        const char *inner;
        while ((inner = strstr(name, "=>")) != NULL)
                name = inner + 2;
        return name + strspn(name, " \t");
}

/* What stands behind "mpi_" in lower case and without ornaments; false when it is no call of MPI. */
static bool bare_name(char out[LONGEST_NAME], const char *name)
{
        name = ps_name_called(name);
        if (strnlen(name, LONGEST_NAME) == LONGEST_NAME)
                return false;
        name += *name == 'p' || *name == 'P';
        if (strncasecmp(name, "mpi_", 4) != 0 || !isalpha((unsigned char)name[4]))
                return false;
        size_t len = 0;
        for (const char *c = name + 4; *c; c++)
                out[len++] = (char)tolower((unsigned char)*c);
        out[len] = '\0';
        ps_text_drop_ending(out, &len, "()");
        while (len && out[len - 1] == '_')
                len--;
        out[len] = '\0';
        ps_text_drop_ending(out, &len, "_f08ts");
        ps_text_drop_ending(out, &len, "_f08");
        return true;
}

const char *ps_name_of_kind(char room[PS_CALL_NAME_ROOM], ps_kind kind, int nonblocking)
{
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (names[i].kind == kind && kind != PS_K_COLLECTIVE &&
                    names[i].nonblocking == !!nonblocking) {
                        snprintf(room, PS_CALL_NAME_ROOM, "MPI_%c%s",
                                 toupper((unsigned char)names[i].name[0]), names[i].name + 1);
                        return room;
                }
        return NULL;
}

ps_name_info ps_kind_of_name(const char *name)
{
        ps_name_info info = {.kind = PS_K_NONE};
        char bare[LONGEST_NAME];
        if (!bare_name(bare, name))
                return ps_kind_of_pgas_name(name, PS_NAMES_OTHER);
        info.family = PS_NAMES_MPI;
        info.is_of_files = strncmp(bare, "file_", strlen("file_")) == 0;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (strcmp(names[i].name, bare) == 0) {
                        info.kind = (ps_kind)names[i].kind;
                        info.nonblocking = names[i].nonblocking;
                        break;
                }
        return info;
}
