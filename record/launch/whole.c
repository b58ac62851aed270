/* whole.c - is all of a run recorded? */
#include "record/launch/launch.h"

#include "core/base/file.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MOST = 1 << 20, DEPTH_MOST = 64, PATH_ROOM = 64 };

bool ps_launch_is_part(char *const *command)
{
        bool is_recorded = false, some_are = false, others_are_not = false;
        for (char *const *at = command; *at; at++) {
                is_recorded |= strcmp(ps_file_name(*at), "patscan") == 0;
                if (at[1] && strcmp(*at, ":") != 0)
                        continue;
                some_are |= is_recorded;
                others_are_not |= !is_recorded;
                is_recorded = false;
        }
        return some_are && others_are_not;
}

/* Its parent; 0: there is none, or it cannot be told. */
static long parent_of(long process)
{
        char path[PATH_ROOM], line[256];
        long parent = 0;
        snprintf(path, sizeof(path), "/proc/%ld/status", process);
        FILE *file = fopen(path, "re");
        while (file && fgets(line, sizeof(line), file))
                if (sscanf(line, "PPid: %ld", &parent) == 1)
                        break;
        if (file)
                fclose(file);
        return parent;
}

/* Words that each end with a zero, and behind the last one a zero more. */
static bool is_part_of(char *words, size_t n)
{
        size_t n_words = 0;
        for (size_t i = 0; i < n; i++)
                n_words += !words[i];
        char **command = calloc(n_words + 1, sizeof(*command));
        char *at = words;
        for (size_t i = 0; command && i < n_words; i++, at += strlen(at) + 1)
                command[i] = at;
        bool is = command && n_words && ps_launch_is_launcher(command) && ps_launch_is_part(command);
        free((void *)command);
        return is;
}

/* The launcher is one of our ancestors, on the node where it was called. */
bool ps_launch_is_whole(void)
{
        bool is_part = false;
        long process = (long)getpid();
        for (int depth = 0; depth < DEPTH_MOST && !is_part && (process = parent_of(process)) > 1; depth++) {
                char path[PATH_ROOM], *words = NULL;
                size_t n = 0;
                snprintf(path, sizeof(path), "/proc/%ld/cmdline", process);
                ps_status status =
                        ps_file_read(&words, &n, fopen(path, "re"), LINE_MOST, "command line", path, NULL);
                is_part = status == PS_OK && is_part_of(words, n);
                free(words);
        }
        return !is_part;
}
