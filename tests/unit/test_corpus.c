/* test_corpus.c - traces that real recorders wrote. They are no part of this tree: the test finds them in a
 * folder beside it that holds corpus/manifest.json, or where PATSCAN_CORPUS points (the folder `corpus`
 * itself), and is skipped without them. The manifest was counted by another program. */
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include <cjson/cJSON.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef char path[1024];

static struct {
        path corpus, oracle;
        char *unpacked;
        cJSON *manifest;
} at;

static void join(path out, const char *format, const char *a, const char *b)
{
        path text;
        snprintf(text, sizeof(text), format, a, b);
        memcpy(out, text, sizeof(path));
}

static cJSON *read_json(const char *name)
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

static int find_corpus(void)
{
        const char *given = getenv("PATSCAN_CORPUS");
        glob_t found = {0};
        if (given)
                join(at.corpus, "%s%s", given, "");
        else if (!glob("../*/corpus", 0, NULL, &found))
                for (size_t i = 0; i < found.gl_pathc && !at.corpus[0]; i++) {
                        path name;
                        join(name, "%s/%s", found.gl_pathv[i], "manifest.json");
                        if (!access(name, R_OK))
                                join(at.corpus, "%s%s", found.gl_pathv[i], "");
                }
        globfree(&found);
        path name;
        join(name, "%s/%s", at.corpus, "manifest.json");
        at.manifest = at.corpus[0] ? read_json(name) : NULL;
        join(at.oracle, "%s/%s", at.corpus, "../oracle");
        return at.manifest != NULL;
}

static const char *text_of(const cJSON *entry, const char *key)
{
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, key));
        return text ? text : "";
}

static uint64_t number_of(const cJSON *entry, const char *key)
{
        const cJSON *number = cJSON_GetObjectItemCaseSensitive(entry, key);
        return cJSON_IsNumber(number) ? (uint64_t)number->valuedouble : 0;
}

static void unpack(const char *file)
{
        static const char quiet[] = "tar -xJf '%s/%s' -C '%s'";
        char command[4096];
        snprintf(command, sizeof(command), quiet, at.corpus, file, at.unpacked);
        if (system(command)) /* NOLINT: no other reader of .tar.xz is at hand */
                ps_test_die("cannot unpack: %s", command);
}

/* -- what the manifest says -- */

static void check_types(const cJSON *entry, const ps_trace *t)
{
        const cJSON *types = cJSON_GetObjectItemCaseSensitive(entry, "event_types"), *type;
        cJSON_ArrayForEach(type, types)
        {
                uint64_t n = 0;
                for (uint32_t code = 0; code < t->defs.codes.n; code++)
                        for (ps_loc l = 0;
                             !strcmp(ps_defs_str(&t->defs, t->defs.codes.row[code]), type->string) &&
                             l < t->n_locs;
                             l++)
                                n += t->info[l].events_by_code ? t->info[l].events_by_code[code] : 0;
                if (n != (uint64_t)type->valuedouble)
                        fail_msg("%s: %llu of %s, expected %.0f", text_of(entry, "name"),
                                 (unsigned long long)n, type->string, type->valuedouble);
        }
}

static void expect_count(const cJSON *entry, const ps_trace *t, ps_issue_kind kind, uint64_t expected)
{
        if (t->issues.row[kind].count != expected)
                fail_msg("%s: %s: %llu, expected %llu", text_of(entry, "name"), ps_issue_infos[kind].name,
                         (unsigned long long)t->issues.row[kind].count, (unsigned long long)expected);
}

static void check_defects(const cJSON *entry, const ps_trace *t)
{
        const cJSON *defects = cJSON_GetObjectItemCaseSensitive(entry, "defects");
        expect_count(entry, t, PS_I_NEST_LEAVE, number_of(defects, "bad_nesting"));
        expect_count(entry, t, PS_I_EVENT_AFTER_END, number_of(defects, "events_after_end"));
        expect_count(entry, t, PS_I_CLOCK_MESSAGE, number_of(defects, "recv_before_send"));
        expect_count(entry, t, PS_I_SEND_UNMATCHED, number_of(defects, "sends_unmatched"));
        expect_count(entry, t, PS_I_REQUEST_OPEN,
                     number_of(defects, "isend_req_open") + number_of(defects, "irecv_req_open"));
        if (number_of(defects, "coll_overlap_violation") > t->issues.row[PS_I_CLOCK_COLLECTIVE].count)
                fail_msg("%s: too few collectives violated: %llu", text_of(entry, "name"),
                         (unsigned long long)t->issues.row[PS_I_CLOCK_COLLECTIVE].count);
        if (!cJSON_GetArraySize(defects) && ps_issues_total(&t->issues))
                loaded_expect_issues(text_of(entry, "name"), 0, t, "");
}

/* -- clocks -- */

static ps_time truth_of(const cJSON *clocks, ps_proc process, const char *key)
{
        char name[16];
        snprintf(name, sizeof(name), "%u", process);
        const cJSON *clock = cJSON_GetObjectItemCaseSensitive(clocks, name);
        assert_non_null(clock);
        return (ps_time)cJSON_GetObjectItemCaseSensitive(clock, key)->valuedouble * PS_PS_PER_NS;
}

/* The clocks drift by a microsecond or so; offsets that differ by less agree. */
static void check_truth(const char *name, const cJSON *clocks, const ps_trace *t)
{
        const ps_clock_info *clock = &t->clock;
        assert_true(clock->repaired);
        for (ps_proc p = 1; p < t->defs.processes.n; p++) {
                ps_time low = PS_TIME_MAX, high = -PS_TIME_MAX;
                static const char *const keys[] = {"off1", "off2"};
                for (int k = 0; k < 2; k++) {
                        ps_time true_one = truth_of(clocks, p, keys[k]) - truth_of(clocks, 0, keys[k]);
                        low = true_one < low ? true_one : low;
                        high = true_one > high ? true_one : high;
                }
                ps_time found = clock->offset[p] - clock->offset[0], width = clock->width[p];
                if (width != PS_TIME_MAX && (found + width / 2 + 1 < low || found - width / 2 - 1 > high))
                        fail_msg("%s: process %u: offset %lld, width %lld, truth %lld..%lld", name, p,
                                 (long long)found, (long long)width, (long long)low, (long long)high);
        }
        if (clock->left)
                fail_msg("%s: %llu violations left", name, (unsigned long long)clock->left);
}

static void check_clock(const cJSON *entry, const char *anchor)
{
        path folder, name;
        join(folder, "%s/%s", at.unpacked, text_of(entry, "anchor"));
        *strchr(folder + strlen(at.unpacked) + 1, '/') = 0;
        join(name, "%s/%s", folder, "clock_truth.json");
        cJSON *clocks = read_json(name);
        if (!clocks)
                return;
        ps_trace *t = loaded_by(anchor, 1, PS_CLOCK_REPAIR);
        check_truth(text_of(entry, "name"), clocks, t);
        loaded_check(t);
        ps_trace_close(t);
        cJSON_Delete(clocks);
}

static void check_threads(const char *anchor, const ps_trace *one, ps_clock_mode clock)
{
        ps_trace *two = loaded_by(anchor, 2, clock);
        const char *difference = loaded_difference(one, two, 1);
        if (difference)
                fail_msg("%s: 1 and 2 threads differ: %s", anchor, difference);
        ps_trace_close(two);
}

static void test_manifest(void **state)
{
        (void)state;
        const cJSON *entry;
        if (!at.manifest)
                skip();
        cJSON_ArrayForEach(entry, at.manifest)
        {
                path anchor;
                unpack(text_of(entry, "file"));
                join(anchor, "%s/%s", at.unpacked, text_of(entry, "anchor"));
                ps_trace *t = loaded_by(anchor, 1, PS_CLOCK_AS_IS);
                assert_int_equal(t->n_events, number_of(entry, "events"));
                assert_int_equal(t->n_locs, number_of(entry, "locations"));
                assert_int_equal(t->defs.processes.n, number_of(entry, "ranks"));
                check_types(entry, t);
                check_defects(entry, t);
                loaded_check(t);
                check_threads(anchor, t, PS_CLOCK_AS_IS);
                ps_trace_close(t);
                check_clock(entry, anchor);
        }
}

/* -- traces that another analyzer has analysed -- */

static void check_oracle(const char *anchor)
{
        ps_trace *t = loaded_by(anchor, 1, PS_CLOCK_AUTO);
        uint64_t n = 0;
        for (ps_loc l = 0; l < t->n_locs; l++)
                for (ps_op i = 0; i < t->ops[l].n; i++) {
                        ps_class cls = ps_kinds[t->ops[l].kind[i]].cls;
                        n += cls == PS_C_SEND && t->ops[l].comm[i] != PS_NONE; /* else to MPI_PROC_NULL */
                        if ((cls == PS_C_SEND || cls == PS_C_RECV || cls == PS_C_COLL) &&
                            t->ops[l].comm[i] != PS_NONE && !(t->ops[l].flags[i] & PS_OP_MATCHED))
                                fail_msg("%s: not matched: location %u, operation %u", anchor, l, i);
                }
        assert_int_equal(t->n_messages, n);
        if (ps_issues_total(&t->issues))
                loaded_expect_issues(anchor, 0, t, "");
        loaded_check(t);
        check_threads(anchor, t, PS_CLOCK_AUTO);
        ps_trace_close(t);
}

static void test_oracle(void **state)
{
        (void)state;
        static const char *const patterns[] = {"%s/*/trace/*.otf2%s", "%s/synthetic/*/*.otf2%s"};
        size_t n = 0;
        for (int k = 0; k < 2 && at.manifest; k++) {
                path pattern;
                glob_t found = {0};
                join(pattern, patterns[k], at.oracle, "");
                if (!glob(pattern, 0, NULL, &found))
                        for (size_t i = 0; i < found.gl_pathc; i++, n++)
                                check_oracle(found.gl_pathv[i]);
                globfree(&found);
        }
        if (!n)
                skip();
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_manifest), cmocka_unit_test(test_oracle)};
        if (!find_corpus())
                print_message("skipped: no recorded traces are beside this tree\n");
        at.unpacked = ps_dir_new();
        int status = cmocka_run_group_tests(tests, NULL, NULL);
        ps_dir_remove(at.unpacked);
        free(at.unpacked);
        cJSON_Delete(at.manifest);
        return status;
}
