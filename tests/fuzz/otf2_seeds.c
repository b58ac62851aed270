/* otf2_seeds.c - writes the seed corpus of otf2_fuzzer: archives with a definition and an event of every
 * type, in both byte orders, and one of several chunks; and those of micro-traces, which have something to be
 * found. Usage: otf2_seeds FOLDER [traces/patterns/X.trace ...] */
#include "reader/otf2/records.h"
#include "tests/reader/otf2/build.h"
#include "tests/support/micro/micro.h"

#include <stdio.h>
#include <string.h>

enum { ANCHOR, DEFS, LOCALS, EVENTS };

#define U(x)  ((uint64_t)(x))
#define NO_ID UINT64_MAX

static void pack_bytes(FILE *out, int what, unsigned location, const uint8_t *data, size_t n)
{
        uint8_t head[6] = {(uint8_t)what,     (uint8_t)location,  (uint8_t)n,
                           (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
        fwrite(head, 1, sizeof(head), out);
        fwrite(data, 1, n, out);
}

static void pack(FILE *out, int what, unsigned location, const build *b)
{
        pack_bytes(out, what, location, b->data, b->n);
}

static void build_defs(build *b)
{
        static const char *const text[] = {"",     "main",          "MPI_Send",      "world",
                                           "node", "CALLSITE_FILE", "CALLSITE_LINE", "EZTrace finalize"};
        build_header(b);
        build_record(b, 5, "nnn", U(2596176175), U(1000), U(500));
        build_record(b, 6, "unu", U(4), U(3), U(0));
        for (unsigned i = 0; i < 8; i++)
                build_record(b, 10, "ns", U(i), text[i]);
        build_record(b, 11, "nnu", U(0), U(5), U(11));
        build_record(b, 11, "nnu", U(1), U(6), U(3));
        build_record(b, 12, "nnnn", U(0), U(4), U(4), NO_ID);
        for (unsigned i = 0; i < 3; i++) {
                build_record(b, 13, "nnunn", U(i), U(3), U(i == 2 ? 2 : 1), U(0), i == 2 ? U(0) : NO_ID);
                build_record(b, 14, "nnunn", U(i), U(3), U(i == 2 ? 3 : 1), U(4), U(i));
        }
        build_record(b, 15, "nnnunnnnuun", U(0), U(1), U(0), U(1), U(3), U(10), U(20), U(1), U(1), U(2),
                     U(0));
        build_record(b, 15, "nnnunnn", U(1), U(2), U(0), U(22), U(3), U(0), U(0));
        build_record(b, 18, "nnunnnuun", U(0), U(0), U(6), U(2), U(0), U(1), U(4), U(4), U(0));
        build_record(b, 18, "nnunnnuun", U(1), U(0), U(4), U(2), U(1), U(0), U(5), U(4), U(1));
        build_record(b, 18, "nnunuun", U(2), U(0), U(5), U(0), U(6), U(4), U(0));
        build_record(b, 18, "nnunn", U(3), U(0), U(1), U(1), U(2));
        build_record(b, 19, "nn", U(0), U(3));
        build_record(b, 20, "nun", U(0), U(1), U(0));
        build_record(b, 21, "nn", U(1), U(0));
        build_record(b, 22, "nnnn", U(0), U(3), U(1), NO_ID);
        build_record(b, 22, "nnnn", U(1), U(3), U(2), U(0));
        build_record(b, 43, "nnnnnn", U(2), U(3), U(1), U(3), U(0), U(0));
        build_record(b, 23, "nnu", U(0), U(3), U(0));
        build_record(b, 24, "nnn", U(0), U(3), U(0));
        build_record(b, 33, "nnn", U(0), U(3), U(12));
        build_record(b, 34, "nnnn", U(0), U(1), U(0), U(1));
        build_record(b, 34, "nnnn", U(1), U(0), U(0), NO_ID);
        build_u8(b, 2);
}

static void build_locals(build *b)
{
        build_header(b);
        build_record(b, 5, "ununn", U(3), U(2), U(0), U(1), U(0));
        build_record(b, 5, "ununnnn", U(6), U(2), U(1), U(0), U(1), U(1), U(0));
        build_record(b, 6, "8n8", U(1000), U(100), U(0));
        build_record(b, 6, "8n8", U(2000), U(300), U(0));
        build_u8(b, 2);
}

/* A record of every type, its fields as the table tells; `value` fills them. */
static void build_one(build *b, unsigned type, uint64_t value)
{
        const char *f = ps_otf2_records[type].fields;
        build_u8(b, type + PS_OTF2_FIRST_TYPE);
        if (*f == '!') {
                build_number(b, value);
                return;
        }
        size_t length_at = b->n;
        build_u8(b, 0);
        for (; *f; f++) {
                if (strchr("kKonv.", *f))
                        build_u8(b, (unsigned)value);
                else if (*f == 'F')
                        build_full(b, value, 8);
                else
                        build_number(b, value);
        }
        b->data[length_at] = (uint8_t)(b->n - length_at - 1);
}

static void build_events(build *b, size_t chunk)
{
        build_header(b);
        size_t chunk_end = chunk;
        for (unsigned i = 0; i < ps_otf2_n_records * 2; i++) {
                if (b->n + 80 > chunk_end) {
                        while (b->n < chunk_end)
                                build_u8(b, 0);
                        build_header(b);
                        chunk_end += chunk;
                }
                build_time(b, 1500 + i * 3);
                if (i % 8 == 0)
                        build_record(b, 6, "nnunnun", U(2), U(0), U(11), U(1), U(1), U(3), U(77));
                build_one(b, i % ps_otf2_n_records, i % 2);
        }
        build_u8(b, 2);
}

static int write_seed(const char *folder, const char *name, int big, size_t chunk)
{
        char path[512];
        build anchor = {.big = big}, defs = {.big = big}, locals = {.big = big}, events = {.big = big};
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        FILE *out = fopen(path, "wb");
        if (!out)
                return -1;
        build_anchor(&anchor, 1, 1, chunk, big ? "" : "seed");
        build_defs(&defs);
        build_locals(&locals);
        build_events(&events, chunk);
        pack(out, ANCHOR, 0, &anchor);
        pack(out, DEFS, 0, &defs);
        for (unsigned i = 0; i < 2; i++) {
                pack(out, LOCALS, i, &locals);
                pack(out, EVENTS, i, &events);
        }
        return fclose(out);
}

/* -- micro-traces -- */

static void pack_file(FILE *out, int what, unsigned location, const char *path)
{
        static uint8_t data[1 << 16];
        FILE *in = fopen(path, "rb");
        if (!in)
                return;
        size_t n = fread(data, 1, sizeof(data), in);
        fclose(in);
        pack_bytes(out, what, location, data, n);
}

/* The archive is "F/traces.otf2", "F/traces.def" and "F/traces/LOCATION.def" and ".evt". */
static void pack_archive(FILE *out, const char *anchor, uint32_t n_locs)
{
        static const char *const ending[] = {"otf2", "def"};
        char path[512];
        int stem = (int)(strrchr(anchor, '.') - anchor);
        for (int what = ANCHOR; what <= DEFS; what++) {
                snprintf(path, sizeof(path), "%.*s.%s", stem, anchor, ending[what]);
                pack_file(out, what, 0, path);
        }
        for (uint32_t i = 0; i < 2 * n_locs; i++) {
                snprintf(path, sizeof(path), "%.*s/%u.%s", stem, anchor, i / 2, i % 2 ? "evt" : "def");
                pack_file(out, i % 2 ? EVENTS : LOCALS, i / 2, path);
        }
}

static int write_micro(const char *folder, const char *name)
{
        const char *slash = strrchr(name, '/');
        micro *m = micro_open(name, 0);
        const micro_case *c;
        int status = m ? 0 : -1;
        while (m && !status && (c = micro_next(m))) {
                char path[512];
                snprintf(path, sizeof(path), "%s/%s-%u", folder, slash ? slash + 1 : name, c->line);
                FILE *out = fopen(path, "wb");
                if (!out)
                        break;
                pack_archive(out, c->anchor, c->trace->n_locs);
                status = fclose(out);
        }
        micro_close(m);
        return status;
}

int main(int argc, char **argv)
{
        const char *folder = argc > 1 ? argv[1] : ".";
        int status = write_seed(folder, "little", 0, 1 << 20) || write_seed(folder, "big", 1, 1 << 20) ||
                     write_seed(folder, "chunks", 0, 1024);
        for (int i = 2; i < argc && !status; i++)
                status = write_micro(folder, argv[i]);
        return status;
}
