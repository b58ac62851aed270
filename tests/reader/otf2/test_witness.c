/* test_witness.c - the OTF2 reader next to the OTF2 library: archives that the library wrote, and
 * recorded ones, compared event by event with what the library reads. Those that were recorded are *.tar.xz
 * in a folder `corpus` beside the checkout, or where PATSCAN_CORPUS points. */
#include <stdint.h>

#include "tests/reader/otf2/lab.h"
#include "tests/reader/otf2/library.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <glob.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint32_t dense(const lib_trace *lib, enum lib_table table, uint64_t id)
{
        if (id == LIB_NONE)
                return PS_NONE;
        return table == LIB_RAW ? (uint32_t)id : lib_find(lib, table, id);
}

/* Equal definitions of a region are one for us: each of the library's regions is always the same one of ours.
 */
static uint32_t *ours; /* by the library's; region + 1 */

static void compare_region(uint32_t region, uint32_t lib_region)
{
        if (lib_region == UINT32_MAX) {
                assert_int_equal(region, PS_NONE);
                return;
        }
        assert_true(region < otf2_lab.defs.regions.n);
        if (!ours[lib_region])
                ours[lib_region] = region + 1;
        assert_int_equal(ours[lib_region], region + 1);
}

static ps_time expected_time(const lib_trace *lib, uint64_t zero, uint64_t ticks)
{
        __extension__ typedef unsigned __int128 wide;
        uint64_t distance = ticks - zero;
        int before = distance >> 63 != 0;
        wide ps = (wide)(before ? 0 - distance : distance) * UINT64_C(1000000000000) / lib->resolution;
        return before ? -(ps_time)ps : (ps_time)ps;
}

static void compare_event(const lib_trace *lib, const lib_event *want, const ps_event *got)
{
        const ps_defs *d = &otf2_lab.defs;
        assert_string_equal(ps_defs_str(d, d->codes.row[got->code]), want->name);
        if (want->ref_table == LIB_CONTEXT) {
                for (uint32_t i = 0; i < lib->n[LIB_CONTEXT]; i++)
                        if (lib->context_id[i] == want->ref)
                                compare_region(d->contexts.row[got->ref].region,
                                               lib_find(lib, LIB_REGION, lib->context_region[i]));
        } else if (want->ref_table == LIB_REGION) {
                compare_region(got->ref, dense(lib, LIB_REGION, want->ref));
        } else {
                assert_int_equal(got->ref, dense(lib, want->ref_table, want->ref));
        }
        assert_int_equal(got->comm, dense(lib, want->comm_table, want->comm));
        assert_int_equal(got->peer, want->peer == LIB_NONE ? PS_NONE : want->peer);
        assert_int_equal(got->tag, want->tag == LIB_NONE ? 0 : want->tag);
        assert_int_equal(got->received, want->received == LIB_NONE ? 0 : want->received);
        assert_int_equal(got->request, want->request == LIB_NONE ? 0 : want->request);
        if (got->kind != PS_EV_FLUSH)
                assert_int_equal(got->bytes, want->bytes == LIB_NONE ? 0 : want->bytes);
}

/* Batch by batch, so that traces of any size are compared whole. */
static void compare_location(const lib_trace *lib, ps_loc location, uint64_t zero)
{
        static ps_batch batch;
        ps_stream *stream;
        size_t at = 0;
        ps_time last = INT64_MIN;
        assert_int_equal(ps_otf2_reader.stream_open(&stream, otf2_lab.reader, location, NULL), PS_OK);
        do {
                assert_int_equal(ps_otf2_reader.stream_next(stream, &batch, &otf2_lab.issues, NULL), PS_OK);
                for (uint32_t i = 0; i < batch.n; i++, at++) {
                        assert_true(at < lib->n_events[location]);
                        const lib_event *want = &lib->events[location][at];
                        compare_event(lib, want, &batch.event[i]);
                        ps_time time = expected_time(lib, zero, want->ticks);
                        time = time < last ? last : time;
                        assert_true(llabs((long long)(batch.event[i].time - time)) <= 1);
                        last = batch.event[i].time;
                }
        } while (batch.n > 0);
        ps_otf2_reader.stream_close(stream);
        assert_int_equal(at, lib->n_events[location]);
}

/* Times count from the archive's zero, or from the earliest first event when it gives none. */
static uint64_t zero_of(const lib_trace *lib)
{
        uint64_t zero = UINT64_MAX;
        for (uint32_t i = 0; i < lib->n[LIB_LOCATION] && lib->zero == 0; i++)
                if (lib->n_events[i] > 0 && lib->events[i][0].ticks < zero)
                        zero = lib->events[i][0].ticks;
        return lib->zero ? lib->zero : zero;
}

static size_t compare(const char *anchor)
{
        lib_trace lib;
        size_t n = 0;
        assert_int_equal(lib_read(&lib, anchor), 0);
        otf2_lab_open(anchor);
        assert_int_equal(otf2_lab.defs.locations.n, lib.n[LIB_LOCATION]);
        assert_true(otf2_lab.defs.regions.n <= lib.n[LIB_REGION]);
        ours = calloc(lib.n[LIB_REGION] + 1, sizeof(*ours));
        assert_non_null(ours);
        assert_int_equal(otf2_lab.defs.comms.n, lib.n[LIB_COMM]);
        for (ps_loc i = 0; i < otf2_lab.defs.locations.n; i++) {
                compare_location(&lib, i, zero_of(&lib));
                n += lib.n_events[i];
        }
        free(ours);
        lib_free(&lib);
        otf2_lab_close();
        return n;
}

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef loc, void *caller,
                                   bool final)
{
        (void)user, (void)type, (void)loc, (void)caller, (void) final;
        return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef loc)
{
        (void)user, (void)type, (void)loc;
        return 5000000;
}

/* One to seven values, of which few are short and many long; the third metric is not defined. */
static void write_metric(OTF2_EvtWriter *w, uint64_t time, uint32_t i)
{
        OTF2_Type types[7];
        OTF2_MetricValue values[7];
        for (uint32_t k = 0; k < 7; k++) {
                types[k] = k % 2 ? OTF2_TYPE_DOUBLE : OTF2_TYPE_UINT64;
                values[k] = (OTF2_MetricValue){.unsigned_int = U(i) << (i + 9 * k) % 50};
        }
        OTF2_EvtWriter_Metric(w, NULL, time, i % 3, (uint8_t)(1 + i % 7), types, values);
}

static void write_events(OTF2_Archive *archive, uint64_t location)
{
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, location);
        OTF2_AttributeList *list = OTF2_AttributeList_New();
        uint64_t t = 1000 + location * 10;
        for (uint32_t i = 0; i < 60000; i++) {
                t += 4 + i % 7;
                OTF2_AttributeList_AddUint32(list, 0, i);
                OTF2_EvtWriter_Enter(w, i % 100 ? NULL : list, t, i % 5);
                OTF2_AttributeList_RemoveAllAttributes(list);
                OTF2_EvtWriter_MpiIsend(w, NULL, t + 1, i % 3, i % 2, i, U(i) << (i % 33),
                                        ~U(0) >> (1 + i % 63));
                OTF2_EvtWriter_MpiIrecvRequest(w, NULL, t + 1, U(i) << 20);
                OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, t + 2, (OTF2_CollectiveOp)(i % 23), 0,
                                                i % 4 ? i % 4 : OTF2_UNDEFINED_UINT32, i, U(i) << 8);
                OTF2_EvtWriter_MpiRecv(w, NULL, t + 2, 2, 1, 0, 0);
                OTF2_EvtWriter_ThreadAcquireLock(w, NULL, t + 2, OTF2_PARADIGM_OPENMP, 3, i);
                OTF2_EvtWriter_RmaPut(w, NULL, t + 2, 0, 1, i, i);
                write_metric(w, t + 2, i);
                OTF2_EvtWriter_Leave(w, NULL, t + 3, i % 5);
        }
        OTF2_AttributeList_Delete(list);
        OTF2_Archive_CloseEvtWriter(archive, w);
}

static void write_local(OTF2_Archive *archive, uint64_t location)
{
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(archive, location);
        OTF2_IdMap *sparse = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, 4);
        OTF2_IdMap *comms = OTF2_IdMap_CreateFromUint32Array(2, (uint32_t[]){1, 0}, false);
        OTF2_IdMap_AddIdPair(sparse, 3, 1);
        OTF2_IdMap_AddIdPair(sparse, 1, 4);
        if (location)
                OTF2_DefWriter_WriteMappingTable(w, OTF2_MAPPING_REGION, sparse);
        OTF2_DefWriter_WriteMappingTable(w, OTF2_MAPPING_COMM, comms);
        for (unsigned i = 0; i < 4; i++)
                OTF2_DefWriter_WriteClockOffset(w, 2000 + i * 40000, (int64_t)(location * 77 * i) - 333, 0.5);
        OTF2_IdMap_Free(sparse);
        OTF2_IdMap_Free(comms);
        OTF2_Archive_CloseDefWriter(archive, w);
}

static void write_global(OTF2_Archive *archive)
{
        OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(archive);
        uint64_t ranks[] = {0, 1, 2};
        OTF2_GlobalDefWriter_WriteClockProperties(g, 2596176175, 900, 100000, OTF2_UNDEFINED_TIMESTAMP);
        OTF2_GlobalDefWriter_WriteString(g, 0, "name");
        for (uint32_t i = 0; i < 5; i++)
                OTF2_GlobalDefWriter_WriteRegion(g, i, 0, 0, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                                 OTF2_REGION_FLAG_NONE, 0, i, i);
        OTF2_GlobalDefWriter_WriteAttribute(g, 0, 0, 0, OTF2_TYPE_UINT32);
        OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        for (uint32_t i = 0; i < 3; i++) {
                OTF2_GlobalDefWriter_WriteLocationGroup(g, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                        OTF2_UNDEFINED_LOCATION_GROUP);
                OTF2_GlobalDefWriter_WriteLocation(g, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 480000, i);
        }
        OTF2_GlobalDefWriter_WriteGroup(g, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, 3, ranks);
        OTF2_GlobalDefWriter_WriteGroup(g, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, 3, ranks);
        for (uint32_t i = 0; i < 2; i++)
                OTF2_GlobalDefWriter_WriteComm(g, i, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteMetricMember(g, 0, 0, 0, OTF2_METRIC_TYPE_OTHER,
                                               OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
                                               OTF2_BASE_DECIMAL, 0, 0);
        for (uint32_t i = 0; i < 2; i++)
                OTF2_GlobalDefWriter_WriteMetricClass(g, i, 1, &(OTF2_MetricMemberRef){0},
                                                      OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
        OTF2_GlobalDefWriter_WriteRmaWin(g, 0, 0, 0, OTF2_RMA_WIN_FLAG_NONE);
        OTF2_Archive_CloseGlobalDefWriter(archive, g);
}

TEST_BETWEEN(written_by_the_library, otf2_lab_make, otf2_lab_drop)
{
        static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
        char path[128];
        OTF2_Archive *a = OTF2_Archive_Open(otf2_lab.folder, "w", OTF2_FILEMODE_WRITE, 256 * 1024,
                                            4 * 1024 * 1024, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
        OTF2_Archive_SetSerialCollectiveCallbacks(a);
        OTF2_Archive_OpenEvtFiles(a);
        for (uint64_t i = 0; i < 3; i++)
                write_events(a, i);
        OTF2_Archive_CloseEvtFiles(a);
        OTF2_Archive_OpenDefFiles(a);
        for (uint64_t i = 0; i < 3; i++)
                write_local(a, i);
        OTF2_Archive_CloseDefFiles(a);
        write_global(a);
        OTF2_Archive_Close(a);
        snprintf(path, sizeof(path), "%s/w.otf2", otf2_lab.folder);
        assert_int_equal(compare(path), 3 * 60000 * 9);
}

/* Calls compare() for each anchor below a folder. */
static unsigned compare_below(const char *path)
{
        unsigned n = 0;
        DIR *dir = opendir(path);
        for (struct dirent *e; dir && (e = readdir(dir));) {
                char name[1024];
                size_t len = strlen(e->d_name);
                if (e->d_name[0] == '.')
                        continue;
                snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
                if (len > 5 && strcmp(e->d_name + len - 5, ".otf2") == 0) {
                        compare(name);
                        n++;
                } else {
                        n += compare_below(name);
                }
        }
        if (dir)
                closedir(dir);
        return n;
}

TEST_BETWEEN(real_traces, otf2_lab_make, otf2_lab_drop)
{
        const char *corpus = getenv("PATSCAN_CORPUS");
        char command[1024];
        glob_t found = {0};
        if (!corpus && glob("../*/corpus", 0, NULL, &found) == 0)
                corpus = found.gl_pathv[0];
        if (!corpus) {
                print_message("skipped: no recorded traces\n");
                skip();
        }
        snprintf(command, sizeof(command),
                 "for f in '%s'/*.tar.xz; do tar -C '%s' -xf \"$f\" || exit 1; done", corpus,
                 otf2_lab.folder);
        globfree(&found);
        assert_int_equal(system(command), 0);
        assert_true(compare_below(otf2_lab.folder) > 0);
}
