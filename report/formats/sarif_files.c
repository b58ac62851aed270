/* sarif_files.c - the files that results point at: names as URIs, and lines as fingerprints. */
#include "report/causes/causes.h"
#include "report/formats/sarif.h"
#include "report/print/uri.h"

#include "core/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 16 << 20 };

static int compare_names(const void *a, const void *b)
{
        return strcmp(((const ps_sarif_file *)a)->name, ((const ps_sarif_file *)b)->name);
}

uint32_t ps_sarif_find_file(const ps_sarif *sarif, const char *name)
{
        const ps_sarif_file key = {.name = name};
        const ps_sarif_file *found =
                bsearch(&key, sarif->file, sarif->n_files, sizeof(*sarif->file), compare_names);

        return found ? (uint32_t)(found - sarif->file) : PS_NONE;
}

/* -- URIs -- */

/* Such a URI must not lead out of the folder that it is relative to. */
static ps_status name_file(ps_sarif_file *file, const char *root, ps_error *err)
{
        char *whole = file->name[0] != '/' && root && strstr(file->name, "..")
                              ? ps_path_join(root, file->name)
                              : NULL;
        const char *path = ps_path_below(root, whole ? whole : file->name);

        file->is_relative = path[0] != '/';
        file->uri = file->is_relative ? ps_uri_encode("", path) : ps_uri_encode("file://", path);
        free(whole);
        return file->uri ? PS_OK : PS_NOMEM(err, "URI", strlen(file->name));
}

/* -- lines -- */

/* A file that cannot be read has no lines: that is no error. */
static ps_status read_lines(ps_sarif_file *file, ps_error *err)
{
        char *text;
        size_t n;
        ps_status status = ps_file_read(&text, &n, ps_file_open(file->name), FILE_BYTES_MAX, "source file",
                                        file->name, err);

        if (status == PS_OK)
                status = ps_line_hash_all(&file->line, &file->n_lines, text, n, err);
        else if (status == PS_E_INPUT)
                status = PS_OK;
        free(text);
        return status;
}

/* -- the list -- */

static void add_artifact(ps_sarif *sarif, const ps_source_place *place)
{
        const char *found;

        if (!place || !place->file || !*place->file)
                return;
        found = ps_sources_file_on_disk(sarif->report->sources, place->file);
        sarif->file[sarif->n_files++] =
                (ps_sarif_file){.name = found ? found : place->file, .is_here = found != NULL};
}

static void drop_doubles(ps_sarif *sarif)
{
        uint32_t n = 0;

        qsort(sarif->file, sarif->n_files, sizeof(*sarif->file), compare_names);
        for (uint32_t i = 0; i < sarif->n_files; i++)
                if (!n || strcmp(sarif->file[n - 1].name, sarif->file[i].name) != 0)
                        sarif->file[n++] = sarif->file[i];
        sarif->n_files = n;
}

ps_status ps_sarif_collect_files(ps_sarif *sarif, ps_error *err)
{
        const ps_report *report = sarif->report;
        uint32_t n_causes = report->blame ? report->blame->causes->n : 0;
        size_t most = 2 * (size_t)sarif->n_results + PS_CAUSES_TOLD + 1;

        sarif->root = ps_path_working_folder();
        sarif->file = calloc(most, sizeof(*sarif->file));
        if (!sarif->file)
                return PS_NOMEM(err, "files", most);
        for (uint32_t i = 0; i < sarif->n_results; i++) {
                add_artifact(sarif, sarif->sites->row[i].largest->place);
                add_artifact(sarif, sarif->sites->row[i].largest->partner_place);
        }
        for (uint32_t i = 0; i < n_causes && i < PS_CAUSES_TOLD; i++)
                add_artifact(sarif, &(ps_source_place){.file = report->blame->told[i].at.file});
        sarif->file[sarif->n_files++].name = report->settings.trace_path;
        drop_doubles(sarif);
        sarif->trace_file = ps_sarif_find_file(sarif, report->settings.trace_path);
        for (uint32_t i = 0; i < sarif->n_files; i++) {
                ps_sarif_file *file = &sarif->file[i];
                PS_TRY(name_file(file, sarif->root, err));
                if (file->is_here)
                        PS_TRY(read_lines(file, err));
        }
        return PS_OK;
}

void ps_sarif_free_files(ps_sarif *sarif)
{
        for (uint32_t i = 0; i < sarif->n_files; i++) {
                free(sarif->file[i].uri);
                free(sarif->file[i].line);
        }
        free(sarif->file);
        free(sarif->root);
}
