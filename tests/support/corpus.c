/* corpus.c - see corpus.h. */
#include "tests/support/corpus.h"
#include "tests/support/damage.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct corpus corpus;

void corpus_join(corpus_path out, const char *format, const char *a, const char *b)
{
        corpus_path text;
        if (snprintf(text, sizeof(text), format, a, b) >= (int)sizeof(text))
                ps_test_die("path is too long: path=\"%s\"", text);
        memcpy(out, text, sizeof(corpus_path));
}

cJSON *json_of_file(const char *name)
{
        FILE *file = fopen(name, "rb");
        if (!file)
                return NULL;
        size_t size = (size_t)ps_file_size(name);
        char *text = calloc(size + 1, 1);
        if (!text || fread(text, 1, size, file) != size)
                ps_test_die("cannot read: path=\"%s\"", name);
        fclose(file);
        cJSON *json = cJSON_Parse(text);
        free(text);
        return json;
}

int corpus_open(void)
{
        const char *given = getenv("PATSCAN_CORPUS");
        glob_t found = {0};
        if (given)
                corpus_join(corpus.folder, "%s%s", given, "");
        else if (!glob("../*/corpus", 0, NULL, &found))
                for (size_t i = 0; i < found.gl_pathc && !corpus.folder[0]; i++) {
                        corpus_path name;
                        corpus_join(name, "%s/%s", found.gl_pathv[i], "manifest.json");
                        if (!access(name, R_OK))
                                corpus_join(corpus.folder, "%s%s", found.gl_pathv[i], "");
                }
        globfree(&found);
        corpus_path name;
        corpus_join(name, "%s/%s", corpus.folder, "manifest.json");
        corpus.manifest = corpus.folder[0] ? json_of_file(name) : NULL;
        corpus_join(corpus.oracle, "%s/%s", corpus.folder, "../oracle");
        corpus.unpacked = ps_dir_new();
        return corpus.manifest != NULL;
}

void corpus_close(void)
{
        ps_dir_remove(corpus.unpacked);
        free(corpus.unpacked);
        cJSON_Delete(corpus.manifest);
}

const char *corpus_text(const cJSON *entry, const char *key)
{
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, key));
        return text ? text : "";
}

uint64_t corpus_number(const cJSON *entry, const char *key)
{
        const cJSON *number = cJSON_GetObjectItemCaseSensitive(entry, key);
        return cJSON_IsNumber(number) ? (uint64_t)number->valuedouble : 0;
}

void corpus_unpack(const char *file)
{
        static const char quiet[] = "tar -xJf '%s/%s' -C '%s'";
        char command[4096];
        snprintf(command, sizeof(command), quiet, corpus.folder, file, corpus.unpacked);
        if (system(command)) /* NOLINT: no other reader of .tar.xz is at hand */
                ps_test_die("cannot unpack: %s", command);
}

const char *corpus_pattern(const char *name)
{
        static const char *const names[][2] = {
                {"late_sender", "late-sender"},
                {"late_receiver", "late-receiver"},
                {"wait_at_barrier", "barrier-wait"},
                {"wait_at_nxn", "nxn-wait"},
                {"wrong_order_same_source", "late-sender-wrong-order-same-source"},
                {"wait_at_nonblocking_collective", "nonblocking-collective-wait"},
                {"omp_imbalance", "omp-barrier-wait"},
                {"wait_at_fence", "fence-wait"},
        };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (!strcmp(names[i][0], name))
                        return names[i][1];
        return NULL;
}

void corpus_sync(corpus_path anchor)
{
        static const char ending[] = ".sync";
        char *slash = strchr(anchor + strlen(corpus.unpacked) + 1, '/');
        size_t n = strlen(slash) + 1;
        if (slash + n + sizeof(ending) > anchor + sizeof(corpus_path))
                ps_test_die("path is too long: \"%s\"", anchor);
        memmove(slash + sizeof(ending) - 1, slash, n);
        memcpy(slash, ending, sizeof(ending) - 1);
}
