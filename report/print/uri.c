/* uri.c - see uri.h. */
#include "report/print/uri.h"

#include "core/base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_unreserved(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               (c && strchr("-._~/", c));
}

char *ps_uri_encode(const char *scheme, const char *path)
{
        size_t n = strlen(scheme);
        char *uri = ps_memory_new(n + 3 * strlen(path) + 1);

        if (!uri)
                return NULL;
        memcpy(uri, scheme, n);
        for (; *path; path++) {
                if (is_unreserved(*path))
                        uri[n++] = *path;
                else
                        n += (size_t)snprintf(uri + n, 4, "%%%02X", (unsigned char)*path);
        }
        uri[n] = '\0';
        return uri;
}

static int digit_of(char c)
{
        static const char digits[] = "0123456789abcdef";
        const char *found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

        return found ? (int)(found - digits) : -1;
}

char *ps_uri_path(const char *uri)
{
        static const char scheme[] = "file://";
        const char *at = uri + sizeof(scheme) - 1;
        char *path, *to;

        if (strncmp(uri, scheme, sizeof(scheme) - 1) != 0)
                return NULL;
        if (strncmp(at, "localhost/", 10) == 0)
                at += 9;
        path = to = *at == '/' ? malloc(strlen(at) + 1) : NULL;
        if (!path)
                return NULL;
        while (*at) {
                int high = *at == '%' ? digit_of(at[1]) : -1, low = high >= 0 ? digit_of(at[2]) : -1;
                bool is_code = low >= 0 && (high || low);
                *to++ = is_code ? (char)(16 * high + low) : *at;
                at += is_code ? 3 : 1;
        }
        *to = '\0';
        return path;
}

char *ps_path_working_folder(void)
{
        char *folder = ps_memory_new(PATH_MAX + 2);

        if (folder && getcwd(folder, PATH_MAX)) {
                stpcpy(folder + strlen(folder), strcmp(folder, "/") == 0 ? "" : "/");
                return folder;
        }
        free(folder);
        return NULL;
}

char *ps_path_join(const char *folder, const char *path)
{
        char *whole = ps_memory_new(strlen(folder) + strlen(path) + 2), *end = whole;

        if (!whole)
                return NULL;
        stpcpy(stpcpy(whole, folder), path);
        for (const char *at = whole; *at;) { /* what is kept is never longer than what was read */
                size_t n = strcspn(at, "/");
                bool climbs = n == 2 && at[0] == '.' && at[1] == '.';
                if (climbs) {
                        while (end > whole && *--end != '/')
                                ;
                } else if (n && !(n == 1 && *at == '.')) {
                        *end++ = '/';
                        memmove(end, at, n);
                        end += n;
                }
                at += n + (at[n] == '/');
        }
        *end = '\0';
        return whole;
}

const char *ps_path_below(const char *folder, const char *path)
{
        size_t n = folder ? strlen(folder) : 0;

        if (n && strncmp(path, folder, n) == 0 && path[n])
                path += n;
        while (path[0] == '.' && path[1] == '/' && path[2] && path[2] != '/')
                path += 2;
        return path;
}
