/* test_limit.c - reports do not depend on where blocks lie: with a limit of a byte all large ones are in the
 * file. */
#include "core/base/blocks.h"
#include "patscan/patscan.h"
#include "tests/support/corpus.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct result {
        int status, n_causes;
        uint64_t n, sum;
} result;

static int add_bytes(void *ctx, const char *bytes, size_t n)
{
        result *r = ctx;
        for (size_t i = 0; i < n; i++)
                r->sum = (r->sum ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
        r->n += n;
        return 0;
}

static result report_on(const char *path)
{
        const patscan_open_options how = {.size = sizeof(how), .threads = 3};
        patscan_trace *trace = NULL;
        patscan_analysis *analysis = NULL;
        patscan_error err = {0};
        result r = {0};
        r.status = (int)patscan_open(&trace, path, &how, &err);
        r.status = r.status ? r.status : (int)patscan_analyze(&analysis, trace, NULL, &err);
        r.status = r.status ? r.status : (int)patscan_report(analysis, "json", NULL, add_bytes, &r, &err);
        r.n_causes = (int)err.n_causes;
        patscan_analysis_free(analysis);
        patscan_close(trace);
        return r;
}

static result report_apart(const char *path, uint64_t limit)
{
        result r = {.status = -1};
        int pipes[2], how;
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                if (limit)
                        ps_blocks_limit(limit);
                r = report_on(path);
                _exit(write(pipes[1], &r, sizeof(r)) != (ssize_t)sizeof(r));
        }
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
        assert_int_equal(read(pipes[0], &r, sizeof(r)), sizeof(r));
        close(pipes[0]);
        close(pipes[1]);
        return r;
}

static void compare(const char *path)
{
        result plain = report_apart(path, 0), limited = report_apart(path, 1);
        if (memcmp(&plain, &limited, sizeof(plain)) != 0)
                ps_test_die("another report: path=\"%s\", status=%d, before=%d", path, limited.status,
                            plain.status);
}

TEST(reports_are_the_same_when_all_large_blocks_lie_in_a_file)
{
        const cJSON *entry;
        compare("traces/demo");
        if (corpus_open())
                cJSON_ArrayForEach(entry, corpus.manifest)
                {
                        corpus_path anchor;
                        corpus_unpack(corpus_text(entry, "file"));
                        corpus_join(anchor, "%s/%s", corpus.unpacked, corpus_text(entry, "anchor"));
                        compare(anchor);
                }
        corpus_close();
}
