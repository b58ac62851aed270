/* archive.c - makes an OTF2 archive by docs/UPC_IN_OTF2.md of what record.c has noted: `pgas_archive FROM
 * TO`.
 *
 * FROM is the folder with the files of all processes, TO the archive's. */
#include "core/base/memory.h"
#include "core/load/recording.h"
#include "core/model/kinds.h"
#include "reader/otf2_writer/otf2_writer.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 4096, FIELDS = 12, HEAD_FIELDS = 4, MOST_RANKS = 4096, MOST_REGIONS = 256 };

enum { NAME, FILE_NAME, LINE, IN, OUT, ROOT, TARGET, LOCK, BYTES, ENTER, LEAVE, FAILED };

typedef struct archive {
        ps_recording *recording;
        ps_defs *defs;
        ps_error err;
        uint64_t zero; /* the earliest time, ns */
        uint64_t id;   /* of the last transfer */
        uint32_t n_ranks;
        int is_shmem;
        struct {
                ps_region region;
                ps_name_info info;
        } known[MOST_REGIONS];
} archive;

static void die(const char *what, const char *detail)
{
        fprintf(stderr, "pgas_archive: %s: \"%s\"\n", what, detail);
        exit(1);
}

static void check(const archive *a, ps_status status)
{
        if (status < 0)
                die("cannot make the archive", a->err.n_causes ? a->err.cause[0].text : "no reason");
}

/* 0 at the end of the file. */
static int next_line(FILE *file, char line[LINE_ROOM], char *field[], int n)
{
        if (!fgets(line, LINE_ROOM, file))
                return 0;
        for (int i = 0; i < n; i++) {
                field[i] = line;
                line += strcspn(line, "\t\n");
                if (!*line)
                        die("bad line", field[0]);
                *line++ = '\0';
        }
        return 1;
}

static FILE *open_rank(const char *folder, uint32_t rank)
{
        char path[LINE_ROOM];
        snprintf(path, sizeof(path), "%s/%" PRIu32 ".calls", folder, rank);
        FILE *file = fopen(path, "r");
        if (!file)
                die("cannot open", path);
        return file;
}

static ps_str string(archive *a, const char *text)
{
        return strcmp(text, "-") == 0 ? 0 : ps_strings_addz(a->defs->strings, text);
}

/* -- definitions -- */

static void add_process(archive *a, uint32_t rank, const char *host)
{
        char name[32];
        snprintf(name, sizeof(name), "%s %" PRIu32, a->is_shmem ? "PE" : "UPC thread", rank);
        ps_process_def process = {.name = string(a, name), .node = string(a, host)};
        ps_location_def location = {
                .name = process.name, .process = rank, .native = rank, .n_events = UINT64_MAX};
        check(a, ps_defs_add_process(a->defs, &process, NULL, &a->err));
        check(a, ps_defs_add_location(a->defs, &location, NULL, &a->err));
}

static uint32_t region_of(archive *a, const char *name)
{
        for (uint32_t i = 0; i < a->defs->regions.n; i++)
                if (strcmp(ps_defs_str(a->defs, a->defs->regions.row[i].name), name) == 0)
                        return i;
        uint32_t i = a->defs->regions.n;
        if (i == MOST_REGIONS)
                die("too many functions", name);
        ps_name_info info = ps_kind_of_name(name);
        a->known[i].info = info;
        ps_role role = info.kind == PS_K_BARRIER || info.kind == PS_K_WAIT              ? PS_ROLE_BARRIER
                       : info.kind != PS_K_NONE && ps_kinds[info.kind].cls == PS_C_COLL ? PS_ROLE_COLLECTIVE
                                                                                        : PS_ROLE_RMA;
        ps_region_def def = {.name = string(a, name),
                             .role = (uint8_t)role,
                             .paradigm = a->is_shmem ? PS_PARADIGM_SHMEM : PS_PARADIGM_PGAS};
        check(a, ps_defs_add_region(a->defs, &def, NULL, &a->err));
        return i;
}

/* Regions and names must be there before the first event. */
static void define_rank(archive *a, const char *folder, uint32_t rank)
{
        char line[LINE_ROOM], *field[FIELDS];
        FILE *file = open_rank(folder, rank);
        if (!next_line(file, line, field, HEAD_FIELDS))
                die("no head", folder);
        a->n_ranks = (uint32_t)strtoul(field[2], NULL, 10);
        if (!a->n_ranks || a->n_ranks > MOST_RANKS)
                die("bad number of ranks", field[2]);
        a->defs->creator = string(a, field[0]);
        a->is_shmem = strstr(field[0], "SHMEM") != NULL;
        add_process(a, rank, field[3]);
        while (next_line(file, line, field, FIELDS)) {
                uint64_t enter = strtoull(field[ENTER], NULL, 10);
                region_of(a, field[NAME]);
                string(a, field[FILE_NAME]);
                a->zero = enter < a->zero ? enter : a->zero;
        }
        fclose(file);
}

static void define(archive *a, const char *folder)
{
        a->zero = UINT64_MAX;
        a->n_ranks = 1;
        for (uint32_t rank = 0; rank < a->n_ranks; rank++)
                define_rank(a, folder, rank);
        uint32_t *members = PS_ARENA_NEW(a->defs->arena, uint32_t, a->n_ranks);
        ps_comm_def comm = {.name = string(a, a->is_shmem ? "SHMEM_TEAM_WORLD" : "UPC_TEAM_ALL"),
                            .parent = PS_NONE,
                            .n_members = a->n_ranks,
                            .members = members,
                            .pgas = 1};
        ps_window_def window = {.name = string(a, a->is_shmem ? "symmetric heap" : "UPC shared heap")};
        for (uint32_t i = 0; members && i < a->n_ranks; i++)
                members[i] = i;
        check(a, ps_defs_add_comm(a->defs, &comm, &window.comm, &a->err));
        check(a, ps_defs_add_window(a->defs, &window, NULL, &a->err));
        check(a, ps_defs_add_code(a->defs, "call", NULL, &a->err));
        a->defs->resolution_hz = 1000000000;
}

/* -- events -- */

/* `name` is "ALL", "MY" or "NO". */
static ps_sync mode_of(const char *name)
{
        return *name == 'A' ? PS_SYNC_ALL : *name == 'M' ? PS_SYNC_MY : *name == 'N' ? PS_SYNC_NO : 0;
}

static uint32_t rank_of(const char *field)
{
        return *field == '-' ? PS_NONE : (uint32_t)strtoul(field, NULL, 10);
}

static void add(archive *a, uint32_t rank, ps_time time, ps_event e)
{
        e.time = time;
        check(a, ps_recording_add(a->recording, rank, &e, &a->err));
}

/* Of a collective the level tells the mode at its end. */
static uint32_t level_of(ps_kind kind, ps_sync out)
{
        return ps_kinds[kind].traits & PS_T_BARRIER || out == PS_SYNC_ALL ? 3 : out == PS_SYNC_MY ? 2 : 0;
}

static void add_records(archive *a, uint32_t rank, char *const field[], ps_kind kind, ps_time enter,
                        ps_time leave)
{
        ps_event e = {.peer = rank_of(field[TARGET]),
                      .comm = PS_NONE,
                      .bytes = strtoull(field[BYTES], NULL, 10),
                      .request = a->id++};
        ps_event lock = {.comm = PS_NONE, .request = strtoull(field[LOCK], NULL, 10)};
        int is_transfer = kind == PS_K_PUT || kind == PS_K_GET || kind == PS_K_ATOMIC;
        if (is_transfer) {
                e.kind = kind == PS_K_PUT   ? PS_EV_RMA_PUT
                         : kind == PS_K_GET ? PS_EV_RMA_GET
                                            : PS_EV_RMA_ATOMIC;
                e.op = kind == PS_K_ATOMIC ? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD : 0;
                add(a, rank, enter, e);
                e.kind = PS_EV_RMA_DONE_LOCAL;
                add(a, rank, leave, e);
        } else if (kind == PS_K_WIN_LOCK && *field[LOCK] != '-') {
                lock.kind = *field[FAILED] == '1' ? PS_EV_RMA_LOCK_TRY : PS_EV_RMA_LOCK_REQUEST;
                add(a, rank, enter, lock);
                lock.kind = PS_EV_RMA_LOCK_ACQUIRE;
                if (*field[FAILED] != '1')
                        add(a, rank, leave, lock);
        } else if (kind == PS_K_WIN_UNLOCK && *field[LOCK] != '-') {
                lock.kind = PS_EV_RMA_LOCK_RELEASE;
                add(a, rank, enter, lock);
        } else if (ps_kinds[kind].cls == PS_C_COLL) {
                add(a, rank, enter, (ps_event){.kind = PS_EV_RMA_COLL_BEGIN, .peer = PS_NONE});
                e.kind = PS_EV_RMA_COLL_END;
                e.op = (uint8_t)kind;
                e.peer = rank_of(field[ROOT]);
                e.received = e.bytes;
                e.tag = level_of(kind, mode_of(field[OUT]));
                add(a, rank, leave, e);
        } else if (kind == PS_K_WIN_FLUSH) {
                add(a, rank, leave, (ps_event){.kind = PS_EV_RMA_SYNC, .op = OTF2_RMA_SYNC_TYPE_MEMORY});
        }
}

static void add_call(archive *a, uint32_t rank, char *const field[])
{
        ps_time enter = (ps_time)(strtoull(field[ENTER], NULL, 10) - a->zero) * PS_PS_PER_NS;
        ps_time leave = (ps_time)(strtoull(field[LEAVE], NULL, 10) - a->zero) * PS_PS_PER_NS;
        uint32_t region = region_of(a, field[NAME]);
        ps_name_info info = a->known[region].info;
        ps_event e = {.kind = PS_EV_ENTER,
                      .ref = region,
                      .comm = PS_NONE,
                      .peer = rank_of(field[ROOT]),
                      .tag = PS_SYNC_MODES(mode_of(field[IN]), mode_of(field[OUT])),
                      .op = *field[LOCK] != '-',
                      .site_file = string(a, field[FILE_NAME]),
                      .site_line = (uint32_t)strtoul(field[LINE], NULL, 10)};
        e.request = e.op ? strtoull(field[LOCK], NULL, 10) : 0;
        add(a, rank, enter, e);
        if (info.kind != PS_K_NONE && !info.nonblocking)
                add_records(a, rank, field, info.kind, enter, leave);
        add(a, rank, leave, (ps_event){.kind = PS_EV_LEAVE, .ref = region, .peer = PS_NONE});
}

static void add_rank(archive *a, const char *folder, uint32_t rank)
{
        char line[LINE_ROOM], *field[FIELDS];
        FILE *file = open_rank(folder, rank);
        next_line(file, line, field, HEAD_FIELDS);
        while (next_line(file, line, field, FIELDS))
                add_call(a, rank, field);
        fclose(file);
}

int main(int argc, char **argv)
{
        archive a = {0};
        ps_otf2_written written;
        if (argc != 3)
                die("not two folders", argv[0]);
        check(&a, ps_recording_new(&a.recording, "pgas", &a.err));
        a.defs = ps_recording_defs(a.recording);
        define(&a, argv[1]);
        for (uint32_t rank = 0; rank < a.n_ranks; rank++)
                add_rank(&a, argv[1], rank);
        check(&a, ps_defs_freeze(a.defs, &a.err));
        check(&a, ps_otf2_write(&written, argv[2], a.defs, ps_recording_source(a.recording), &a.err));
        ps_recording_free(a.recording);
        return written.n_lossy != 0;
}
