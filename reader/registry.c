/* registry.c - the formats that are read, which of them a path is, and loading it whatever it is. */
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/load/load.h"
#include "reader/dvm/dvm.h"
#include "reader/gasp/gasp.h"
#include "reader/mistaken.h"
#include "reader/otf2/otf2.h"
#include "reader/picl/picl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const ps_reader_class *const ps_reader_classes[] = {&ps_otf2_reader, &ps_picl_reader, &ps_dvm_reader,
                                                    &ps_gasp_reader};
const unsigned ps_reader_n_classes = sizeof(ps_reader_classes) / sizeof(ps_reader_classes[0]);

enum { HEAD_BYTES = 4096 };

/* The first bytes of a regular file, for the formats to look at. */
static ps_status read_head(const char *path, uint8_t *head, size_t *len, ps_error *err)
{
        struct stat st;
        *len = 0;
        if (stat(path, &st) != 0)
                return PS_FAIL(err, PS_E_INPUT, "cannot open the trace: path=\"%s\", reason=\"%s\"", path,
                               strerror(errno));
        if (S_ISDIR(st.st_mode))
                return PS_OK;
        FILE *file = S_ISREG(st.st_mode) ? ps_file_open(path) : NULL;
        if (!file)
                return S_ISREG(st.st_mode) ? ps_file_unopened("trace", path, err)
                                           : PS_FAIL(err, PS_E_INPUT,
                                                     "cannot open the trace: path=\"%s\", reason=\"it is not "
                                                     "a regular file\"",
                                                     path);
        *len = fread(head, 1, HEAD_BYTES, file);
        fclose(file);
        return PS_OK;
}

/* What it is instead is told behind. */
static ps_status none_found(const char *path, const uint8_t *head, size_t len, ps_error *err)
{
        char tried[128];
        struct stat st;
        bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        size_t at = 0;
        tried[0] = '\0';
        for (unsigned i = 0; i < ps_reader_n_classes && at < sizeof(tried); i++)
                at += (size_t)snprintf(tried + at, sizeof(tried) - at, "%s%s", i ? ", " : "",
                                       ps_reader_classes[i]->name);
        const char *text = is_folder ? "this folder holds no trace of a known format"
                                     : "this is not a trace of a known format";
        return ps_mistaken_explain(path, head, len, err) == PS_OK
                       ? PS_FAIL(err, PS_E_INPUT, "%s: path=\"%s\", tried=\"%s\"", text, path, tried)
                       : PS_CAUSE(err, PS_E_INPUT, "%s: path=\"%s\"", text, path);
}

/* Who could not look into a folder cannot tell whether it is one of its traces. */
static ps_status lacked(const char *path, ps_error *err)
{
        if (errno != EMFILE && errno != ENFILE)
                errno = ENOMEM;
        return ps_file_unopened("trace", path, err);
}

ps_status ps_reader_find(const ps_reader_class **out, const char *path, ps_error *err)
{
        uint8_t head[HEAD_BYTES];
        size_t len;
        int best = 0;
        PS_TRY(read_head(path, head, &len, err));
        *out = NULL;
        for (unsigned i = 0; i < ps_reader_n_classes; i++) {
                unsigned lacks = ps_memory_lacks();
                int sure = ps_reader_classes[i]->probe(path, head, len);
                if (!sure && ps_memory_lacks() != lacks)
                        return lacked(path, err);
                if (sure > best) {
                        best = sure;
                        *out = ps_reader_classes[i];
                }
        }
        return *out ? PS_OK : none_found(path, head, len, err);
}

const ps_reader_class *ps_reader_named(const char *name)
{
        for (unsigned i = 0; i < ps_reader_n_classes; i++)
                if (strcmp(ps_reader_classes[i]->name, name) == 0)
                        return ps_reader_classes[i];
        return NULL;
}

ps_status ps_trace_load(ps_trace **out, const char *path, const ps_load_options *options, ps_error *err)
{
        const ps_reader_class *format;
        *out = NULL;
        PS_TRY(ps_reader_find(&format, path, err));
        return ps_load(out, format, path, options, err);
}
