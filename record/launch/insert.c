/* insert.c - the command line of a launcher: where in it the programs begin. */
#include "record/launch/launch.h"

#include "core/base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *path, const char *const *names, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (strcmp(ps_file_name(path), names[i]) == 0)
                        return true;
        return false;
}

/* The launcher's name, also behind one such as "timeout 60"; NULL: there is none. */
static char *const *find_launcher(char *const *command)
{
        static const char *const launchers[] = {
#define LAUNCHER(name) name,
#define BEFORE(name)
#define WITH(option, n)
#include "record/launch/launchers.def"
#undef LAUNCHER
#undef BEFORE
        };
        static const char *const others[] = {
#define LAUNCHER(name)
#define BEFORE(name) name,
#include "record/launch/launchers.def"
#undef LAUNCHER
#undef BEFORE
#undef WITH
        };
        char *const *at = command;
        assert(command && *command);
        if (is_one_of(*at, others, sizeof(others) / sizeof(others[0])))
                while (*at && !is_one_of(*at, launchers, sizeof(launchers) / sizeof(launchers[0])))
                        at++;
        return *at && is_one_of(*at, launchers, sizeof(launchers) / sizeof(launchers[0])) ? at : NULL;
}

bool ps_launch_is_launcher(char *const *command)
{
        return find_launcher(command) != NULL;
}

/* How many words behind an option are its values; one or two hyphens are the same. */
static unsigned values_of(const char *option)
{
        static const struct {
                const char *option;
                unsigned n;
        } known[] = {
#define LAUNCHER(name)
#define BEFORE(name)
#define WITH(option, n) {option, n},
#include "record/launch/launchers.def"
#undef LAUNCHER
#undef BEFORE
#undef WITH
        };
        if (strncmp(option, "--", 2) == 0)
                option++;
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
                if (strcmp(option, known[i].option) == 0)
                        return known[i].n;
        return 0;
}

/* The place of the next program, from `at` on; NULL: there is none. */
static char *const *find_program(char *const *at)
{
        while (*at && (*at)[0] == '-') {
                unsigned n = values_of(*at++);
                while (n-- > 0 && *at)
                        at++;
        }
        return *at ? at : NULL;
}

const char *ps_launch_program(char *const *command)
{
        assert(command && *command);
        char *const *launcher = find_launcher(command), *const *program = launcher
                                                                                  ? find_program(launcher + 1)
                                                                                  : command;
        return ps_file_name(program ? *program : *command);
}

static size_t count_words(const void *words)
{
        size_t n = 0;
        for (char *const *word = words; word[n];)
                n++;
        return n;
}

/* `out` has room for `words` before every word of the command. */
static bool insert_words(char **out, char *const *command, const char *const *words)
{
        size_t n = 0, found = 0;
        assert(command && *command);
        char *const *launcher = find_launcher(command), *const *at = command;
        char *const *program = find_program((launcher ? launcher : command) + 1);
        for (; *at; at++) {
                if (at == program) {
                        found++;
                        for (const char *const *word = words; *word; word++)
                                memcpy(&out[n++], word,
                                       sizeof(*word)); /* exec wants them as if it changed them */
                }
                out[n++] = *at;
                /* Several programs are separated by colons, each with options of its own. */
                if (program && at > program && strcmp(*at, ":") == 0)
                        program = find_program(at + 1);
        }
        out[n] = NULL;
        return found > 0;
}

ps_status ps_launch_insert(char ***out, char *const *command, const char *const *words, ps_error *err)
{
        size_t n = count_words(command), more = count_words(words);
        *out = calloc(n * (more + 1) + 1, sizeof(char *));
        if (!*out)
                return PS_NOMEM(err, "command", n);
        if (insert_words(*out, command, words))
                return PS_OK;
        free((void *)*out);
        *out = NULL;
        return PS_FAIL(err, PS_E_USAGE,
                       "cannot tell which program \"%s\" is to start: write %s ... patscan record -- PROGRAM",
                       command[0], command[0]);
}
