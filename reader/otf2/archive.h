/* archive.h - finding an OTF2 archive, and what its anchor says. */
#ifndef PS_READER_OTF2_ARCHIVE_H
#define PS_READER_OTF2_ARCHIVE_H

#include "core/base/error.h"
#include "core/model/issue.h"

typedef struct ps_otf2_archive {
        char *anchor;     /* path of the anchor file */
        char *stem;       /* the same without ".otf2": the folder with the locations' files */
        const char *name; /* the last part of stem */
        char *creator;    /* what wrote the archive, in its own words; often empty */
        char *ends; /* how processes ended, in the words of patscan's recorder; NULL: somebody else's archive
                     */
        uint64_t event_chunk, def_chunk; /* bytes */
        ps_issue_kind damage; /* what is wrong with the end of the anchor file; PS_I_COUNT: nothing */
} ps_otf2_archive;

/* `path` is the anchor, the folder that holds exactly one, or the global definitions next to it. */
ps_status ps_otf2_archive_open(ps_otf2_archive *out, const char *path, ps_error *err);
void ps_otf2_archive_close(ps_otf2_archive *archive);

/* How sure it is that `path` is such an archive, 0 to 100. */
int ps_otf2_archive_probe(const char *path, const uint8_t *head, size_t head_len);

/* A file of a location ("evt", "def"); `full` gives its path, otherwise its name relative to the anchor's
 * folder. malloc'ed; NULL without memory. */
char *ps_otf2_archive_file(const ps_otf2_archive *archive, uint64_t location, const char *suffix, int full);

/* ps_reader_class.parts: the anchor, the global definitions, and the folder of the locations. */
unsigned ps_otf2_archive_parts(char *out[], const char *path);

#endif
