/* folder.c - see folder.h. */
#define _GNU_SOURCE /* nftw */ // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "core/base/folder.h"

#include <ftw.h>
#include <stdio.h>

enum { OPEN_FOLDERS = 16 };

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
        (void)info, (void)type, (void)where;
        return remove(path);
}

void ps_folder_remove(const char *path)
{
        (void)nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
