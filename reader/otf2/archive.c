/* archive.c - see archive.h.
 *
 * The anchor: a header of two bytes (no chunk: no event numbers), the text "OTF2", and numbers and strings in
 * a fixed order. Later versions only append, so that what is read here stands where it always stood. */
#include "reader/otf2/archive.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "reader/otf2/bytes.h"

#include <dirent.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_MIN = 64 };

static bool has_suffix(const char *text, const char *suffix)
{
        size_t n = strlen(text), k = strlen(suffix);
        return n > k && strcmp(text + n - k, suffix) == 0;
}

static bool is_folder(const char *path)
{
        struct stat st;
        return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static char *join_path(const char *a, const char *between, const char *b)
{
        size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
        char *text = malloc(n);
        if (text)
                snprintf(text, n, "%s%s%s", a, between, b);
        return text;
}

/* The anchors in a folder: how many there are, -1 if that cannot be told for lack of memory or files; *first
 * is the first of them by name. */
static int list_anchors(const char *path, char **first)
{
        int n = 0;
        unsigned lacks = ps_memory_lacks();
        DIR *dir = ps_folder_open(path);
        *first = NULL;
        if (!dir && ps_memory_lacks() != lacks)
                return -1;
        for (struct dirent *e; dir && (e = readdir(dir));) {
                if (!has_suffix(e->d_name, ".otf2"))
                        continue;
                n++;
                if (*first && strcmp(*first, e->d_name) <= 0)
                        continue;
                free(*first);
                *first = strdup(e->d_name);
        }
        if (dir)
                closedir(dir);
        return n;
}

static ps_status find_in_folder(char **out, const char *path, ps_error *err)
{
        char *name;
        ps_status status = PS_OK;
        int n = list_anchors(path, &name);
        if (n == 0)
                status = PS_FAIL(err, PS_E_INPUT, "this folder has no OTF2 archive (*.otf2): path=\"%s\"",
                                 path);
        else if (n > 1)
                status = PS_FAIL(err, PS_E_INPUT,
                                 "this folder has several OTF2 archives, name one of them: path=\"%s\", "
                                 "first=\"%s\", count=%d",
                                 path, name ? name : "", n);
        else if (n < 0 || !name || !(*out = join_path(path, has_suffix(path, "/") ? "" : "/", name)))
                status = PS_NOMEM(err, "path", strlen(path));
        free(name);
        return status;
}

static ps_status find_anchor(char **out, const char *path, ps_error *err)
{
        *out = NULL;
        if (is_folder(path))
                return find_in_folder(out, path, err);
        if (has_suffix(path, ".def")) {
                char *stem = strdup(path);
                if (stem)
                        stem[strlen(path) - 4] = '\0';
                *out = stem ? join_path(stem, "", ".otf2") : NULL;
                free(stem);
        } else if (has_suffix(path, ".otf2")) {
                *out = strdup(path);
        } else if (access(path, F_OK) != 0) {
                PS_TRY(ps_file_unopened("trace", path, err));
        } else {
                return PS_FAIL(
                        err, PS_E_INPUT,
                        "the name of an OTF2 anchor file ends in .otf2, and this one does not: path=\"%s\"",
                        path);
        }
        return *out ? PS_OK : PS_NOMEM(err, "path", strlen(path));
}

static ps_status check_storage(uint8_t substrate, uint8_t compression, const char *path, ps_error *err)
{
        static const char *const substrates[] = {"UNDEFINED", "POSIX", "SION", "NONE"};
        static const char *const compressions[] = {"UNDEFINED", "NONE", "ZLIB"};
        if (substrate != OTF2_SUBSTRATE_POSIX)
                return PS_FAIL(err, PS_E_INPUT,
                               "the OTF2 archive is stored in a form that patscan cannot read: "
                               "substrate=\"%s\" (%u), path=\"%s\"",
                               substrate < 4 ? substrates[substrate] : "?", substrate, path);
        if (compression != OTF2_COMPRESSION_NONE)
                return PS_FAIL(err, PS_E_INPUT,
                               "the OTF2 archive is compressed in a form that patscan cannot read: "
                               "compression=\"%s\" (%u), path=\"%s\"",
                               compression < 3 ? compressions[compression] : "?", compression, path);
        return PS_OK;
}

/* Behind the creator: a description, properties, an id, in newer formats two numbers, and the mark of the
 * end, which two bytes follow. Of it only matters what patscan's recorder says: that something is missing,
 * and how the processes ended.
 */
static ps_issue_kind check_end(ps_otf2_archive *archive, ps_otf2_bytes b)
{
        size_t len;
        uint32_t n = 0;
        bool is_partial = 0;
        ps_otf2_text(&b, &len);
        for (int i = 0; i < 4; i++)
                n |= (uint32_t)ps_otf2_u8(&b) << 8 * (b.big ? 3 - i : i);
        for (; n && !b.bad; n--) {
                const char *name = ps_otf2_text(&b, &len), *value = ps_otf2_text(&b, &len);
                is_partial = is_partial || strcmp(name, "PATSCAN::INCOMPLETE") == 0;
                if (strcmp(name, "PATSCAN::ENDS") == 0 && !b.bad && !archive->ends)
                        archive->ends = strdup(value); /* without memory it is not told */
        }
        ps_otf2_skip(&b, sizeof(uint64_t));
        if (ps_otf2_left(&b) != PS_OTF2_MARK_BYTES)
                ps_otf2_skip(&b, 2 * sizeof(uint32_t));
        if (ps_otf2_u8(&b) != PS_OTF2_END_OF_FILE || b.bad || ps_otf2_left(&b) < PS_OTF2_MARK_BYTES - 1)
                return PS_I_ANCHOR_TRUNCATED;
        if (ps_otf2_left(&b) > PS_OTF2_MARK_BYTES - 1)
                return PS_I_FILE_TRAILING;
        return is_partial ? PS_I_RECORDING_PARTIAL : PS_I_COUNT;
}

static ps_status read_anchor(ps_otf2_archive *archive, const ps_otf2_file *file, ps_error *err)
{
        ps_otf2_bytes b = {file->data, file->data + file->len, 0, 0};
        size_t len;
        int header = ps_otf2_u8(&b), endian = ps_otf2_u8(&b);
        const char *magic = ps_otf2_text(&b, &len);
        b.big = endian == PS_OTF2_BIG_ENDIAN;
        if (header != PS_OTF2_CHUNK_HEADER || (!b.big && endian != PS_OTF2_LITTLE_ENDIAN) ||
            strcmp(magic, "OTF2") != 0)
                return PS_FAIL(err, PS_E_INPUT, "this is not an OTF2 anchor file: path=\"%s\"",
                               archive->anchor);
        int anchor_format = ps_otf2_u8(&b);
        ps_otf2_skip(&b, 4); /* trace format, and version of the library in three parts */
        archive->event_chunk = ps_otf2_full64(&b);
        archive->def_chunk = ps_otf2_full64(&b);
        uint8_t substrate = ps_otf2_u8(&b), compression = ps_otf2_u8(&b);
        ps_otf2_skip(&b, 16);   /* how many locations and global definitions: found out by reading them */
        ps_otf2_text(&b, &len); /* machine */
        const char *creator = ps_otf2_text(&b, &len);
        if (b.bad || anchor_format == 0 || archive->event_chunk < CHUNK_MIN ||
            archive->def_chunk < CHUNK_MIN || (archive->event_chunk | archive->def_chunk) >> 48)
                return PS_FAIL(err, PS_E_INPUT, "the OTF2 anchor file is damaged: path=\"%s\", offset=%zu",
                               archive->anchor, (size_t)(b.p - file->data));
        archive->creator = strdup(creator);
        if (!archive->creator)
                return PS_NOMEM(err, "creator", len);
        archive->damage = check_end(archive, b);
        return check_storage(substrate, compression, archive->anchor, err);
}

static ps_status set_stem(ps_otf2_archive *archive, ps_error *err)
{
        archive->stem = strdup(archive->anchor);
        if (!archive->stem)
                return PS_NOMEM(err, "path", strlen(archive->anchor));
        archive->stem[strlen(archive->stem) - strlen(".otf2")] = '\0';
        const char *slash = strrchr(archive->stem, '/');
        archive->name = slash ? slash + 1 : archive->stem;
        return PS_OK;
}

ps_status ps_otf2_archive_open(ps_otf2_archive *out, const char *path, ps_error *err)
{
        ps_otf2_file file = {0};
        *out = (ps_otf2_archive){0};
        ps_status status = find_anchor(&out->anchor, path, err);
        PS_THEN(status, set_stem(out, err));
        PS_THEN(status, ps_otf2_load(&file, out->anchor, err));
        if (status == PS_OK && !file.found)
                status = PS_FAIL(err, PS_E_INPUT, "the OTF2 anchor file does not exist: path=\"%s\"",
                                 out->anchor);
        PS_THEN(status, read_anchor(out, &file, err));
        free(file.data);
        if (status != PS_OK)
                ps_otf2_archive_close(out);
        return status;
}

void ps_otf2_archive_close(ps_otf2_archive *archive)
{
        free(archive->anchor);
        free(archive->stem);
        free(archive->creator);
        free(archive->ends);
        *archive = (ps_otf2_archive){0};
}

/* Those of a location have none beside them. */
static bool has_anchor(const char *defs)
{
        char *anchor;
        if (find_anchor(&anchor, defs, NULL) != PS_OK)
                return false;
        bool is_there = access(anchor, F_OK) == 0;
        free(anchor);
        return is_there;
}

int ps_otf2_archive_probe(const char *path, const uint8_t *head, size_t head_len)
{
        bool is_anchor = head_len >= 7 && head[0] == PS_OTF2_CHUNK_HEADER && memcmp(head + 2, "OTF2", 5) == 0;
        bool is_chunk = head_len >= 2 && head[0] == PS_OTF2_CHUNK_HEADER &&
                        (head[1] == PS_OTF2_BIG_ENDIAN || head[1] == PS_OTF2_LITTLE_ENDIAN);
        if (is_anchor)
                return 100;
        if (has_suffix(path, ".otf2"))
                return 70;
        if (is_folder(path)) {
                char *name;
                int n = list_anchors(path, &name);
                free(name);
                return n > 0 ? 90 : 0;
        }
        return has_suffix(path, ".def") && is_chunk && has_anchor(path) ? 80 : 0;
}

char *ps_otf2_archive_file(const ps_otf2_archive *archive, uint64_t location, const char *suffix, int full)
{
        const char *stem = full ? archive->stem : archive->name;
        size_t n = strlen(stem) + strlen(suffix) + 24;
        char *text = malloc(n);
        if (text)
                snprintf(text, n, "%s/%llu.%s", stem, (unsigned long long)location, suffix);
        return text;
}

unsigned ps_otf2_archive_parts(char *out[], const char *path)
{
        ps_otf2_archive archive = {0};
        ps_status status = find_anchor(&archive.anchor, path, NULL);
        PS_THEN(status, set_stem(&archive, NULL));
        size_t size = status == PS_OK ? strlen(archive.stem) + sizeof(".def") : 0;
        char *defs = size ? malloc(size) : NULL;
        unsigned n = 0;
        if (defs) {
                snprintf(defs, size, "%s.def", archive.stem);
                out[n++] = defs;
                out[n++] = archive.anchor;
                out[n++] = archive.stem;
                archive.anchor = archive.stem = NULL;
        }
        ps_otf2_archive_close(&archive);
        return n;
}
