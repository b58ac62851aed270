/* corpus.h - traces that real recorders wrote. They are no part of this tree: they are looked for in a folder
 * beside it that holds corpus/manifest.json, or where PATSCAN_CORPUS points (the folder `corpus` itself). */
#ifndef PS_TESTS_CORPUS_H
#define PS_TESTS_CORPUS_H

#include <cjson/cJSON.h>
#include <stdint.h>

typedef char corpus_path[1024];

extern struct corpus {
        corpus_path folder, oracle; /* the latter beside the former: traces that another analyzer analysed */
        char *unpacked;             /* where corpus_unpack puts archives */
        cJSON *manifest;            /* counted by another program; NULL: there is no corpus */
} corpus;

/* Is there one? To be closed in any case. */
int corpus_open(void);
void corpus_close(void);

void corpus_unpack(const char *file);
/* `format` has room for two strings. */
void corpus_join(corpus_path out, const char *format, const char *a, const char *b);

/* Of an entry of the manifest: "" and 0 for what it does not have. */
const char *corpus_text(const cJSON *entry, const char *key);
uint64_t corpus_number(const cJSON *entry, const char *key);

/* What the manifest calls a pattern, as its id; NULL: there is none. */
const char *corpus_pattern(const char *name);
/* "folder/trace.otf2" becomes "folder.sync/trace.otf2": the same run on clocks that were compared. */
void corpus_sync(corpus_path anchor);

/* The caller's to delete; NULL when there is no such file, or no JSON in it. */
cJSON *json_of_file(const char *path);

#endif
