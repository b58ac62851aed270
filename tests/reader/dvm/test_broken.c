/* test_broken.c - DVM traces that are wrong, damaged or made to harm: what is refused, with which words,
 * and what is kept of the rest. */
#include "tests/reader/dvm/check.h"
#include "tests/reader/dvm/lab.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define T        "TIME=0.5 LINE=1 FILE=t.c\n"

static const char preamble[] = "RTS VERSION = 2889\n ProcCount=1;  PSRank=1;  PSSize= 1;\nret_dvm_Init " T;
static const char leaving[] = "Event_dvm_exit " T;

/* -- what is refused -- */

static void expect_failure(const char *calls, const char *message)
{
        dvm_text t = {0};
        dvm_put(&t, "%s%s%s", preamble, calls, leaving);
        char *found = dvm_read_failure(t.text);
        assert_string_equal(found, message);
        free(found);
        free(t.text);
}

#define CALL(name, params, results) "call_" name " " T params "ret_" name " " T results
#define ARRAY                                                                                                \
        "ArrayHeader=a1; Rank=1; TypeSize=8;\nSizeArray[0]=9; LowShdWidthArray[0]=0; "                       \
        "HiShdWidthArray[0]=0;\n"

static const struct {
        const char *calls, *message;
} wrong_calls[] = {
        {CALL("crtpl_", "", "LoopRef=1;\n"),
         "a parameter is missing: line=4, function=crtpl_, parameter=Rank"},
        {CALL("crtpl_", "Rank=two;\n", "LoopRef=1;\n"),
         "a parameter is not a number, or too large a one: line=4, function=crtpl_, parameter=Rank"},
        {CALL("crtpl_", "Rank=0;\n", "LoopRef=1;\n"),
         "a parameter is out of range: line=4, function=crtpl_, parameter=Rank, value=0"},
        {CALL("crtpl_", "Rank=17;\n", "LoopRef=1;\n"),
         "a parameter is out of range: line=4, function=crtpl_, parameter=Rank, value=17"},
        {CALL("crtpl_", "Rank=1;\n", ""),
         "a parameter is missing: line=6, function=crtpl_, parameter=LoopRef"},
        {CALL("crtpl_", "Rank=1;\n", "LoopRef=NULL;\n"),
         "an id is 0: line=6, function=crtpl_, parameter=LoopRef"},
        {CALL("getlen_", "", "") CALL("endpl_", "LoopRef=ab;\n", ""),
         "no such object lives: line=6, function=endpl_, parameter=LoopRef, value=ab"},
        {CALL("crtda_", "ArrayHeader=1; Rank=2; TypeSize=8;\nSizeArray[0]=9;\n", ""),
         "an array has too few elements: line=4, function=crtda_, parameter=SizeArray, value=1"},
        {CALL("crtda_", "ArrayHeader=1; Rank=1; TypeSize=0;\n", ""),
         "a parameter is out of range: line=4, function=crtda_, parameter=TypeSize, value=0"},
        {CALL("crtda_", "ArrayHeader=1; Rank=1; TypeSize=8;\nSizeArray[0]=0;\n", ""),
         "a parameter is out of range: line=4, function=crtda_, parameter=SizeArray, value=0"},
        {CALL("crtda_",
              "ArrayHeader=1; Rank=2; TypeSize=8;\nSizeArray[0]=1000000000; "
              "SizeArray[1]=1000000000;\n"
              "LowShdWidthArray[0]=0; LowShdWidthArray[1]=0; HiShdWidthArray[0]=0; "
              "HiShdWidthArray[1]=0;\n",
              ""),
         "sizes are too large: line=4, function=crtda_, parameter=SizeArray, value=1000000000"},
        {CALL("crtda_", ARRAY, "")
                 CALL("align_", "ArrayHeader=a1; PatternRefPtr=2; PatternRef=bb (AMView);\n", ""),
         "no such object lives: line=8, function=align_, parameter=PatternRef, value=bb"},
        {CALL("crtda_", ARRAY, "") CALL("align_", "ArrayHeader=a1; PatternRefPtr=2; PatternRef=bb;\n", ""),
         "a pattern is neither (AMView) nor (DisArray): line=8, function=align_, "
         "parameter=PatternRef"},
        {CALL("crtda_", ARRAY, "")
                 CALL("align_", "ArrayHeader=a1; PatternRefPtr=a1; PatternRef=a10 (DisArray);\n", ""),
         "an array is not aligned with anything: line=8, function=align_, parameter=PatternRefPtr, "
         "value=a1"},
        {CALL("crtda_", ARRAY, "") CALL("redis_", "ArrayHeader=a1; PSRef=0; ParamCount=0; NewSign=0;\n", ""),
         "an array is not aligned with anything: line=8, function=redis_, parameter=ArrayHeader, "
         "value=a1"},
        {CALL("crtamv_", "Rank=1;\nSizeArray[0]=4;\n", "AMViewRef=bb;\n")
                 CALL("distr_",
                      "AMViewRef=bb; ParamCount=2;\nAxisArray[0]=1; AxisArray[1]=1; "
                      "DistrParamArray[0]=0; DistrParamArray[1]=0;\n",
                      ""),
         "an axis is distributed twice: line=9, function=distr_, parameter=AxisArray, value=1"},
        {CALL("crtamv_", "Rank=1;\nSizeArray[0]=4;\n", "AMViewRef=bb;\n")
                 CALL("distr_", "AMViewRef=bb; ParamCount=1;\nAxisArray[0]=2;\n", ""),
         "a parameter is out of range: line=9, function=distr_, parameter=AxisArray, value=2"},
        {CALL("crtpl_", "Rank=1;\n", "LoopRef=cc;\n")
                 CALL("mappl_",
                      "LoopRef=cc;\nInInitIndexArray[0]=0; InLastIndexArray[0]=5; InStepArray[0]=0;\n", ""),
         "a parameter is out of range: line=8, function=mappl_, parameter=InStepArray, value=0"},
        {CALL("crtpl_", "Rank=2;\n", "LoopRef=cc;\n")
                 CALL("mappl_",
                      "LoopRef=cc;\nInInitIndexArray[0]=0; InLastIndexArray[0]=1099511627776; "
                      "InStepArray[0]=1; InInitIndexArray[1]=0; InLastIndexArray[1]=1099511627776; "
                      "InStepArray[1]=1;\n",
                      ""),
         "a loop has too many iterations: line=8, function=mappl_, parameter=InLastIndexArray, "
         "value=1099511627776"},
        {CALL("crtpl_", "Rank=1;\n", "LoopRef=cc;\n") CALL("dopl_", "LoopRef=cc;\n", "DoPL=2;\n"),
         "a parameter is out of range: line=10, function=dopl_, parameter=DoPL, value=2"},
        {CALL("setelw_", "AddrNumber=1;\nWeightNumber[0]=2; LoadWeight[0]=1; LoadWeight[1]=-1;\n", ""),
         "weights are negative, or all zero: line=4, function=setelw_, parameter=LoadWeight"},
        {CALL("waitcp_", "CopyFlagPtr=7;\n", ""),
         "no such object lives: line=4, function=waitcp_, parameter=CopyFlagPtr, value=7"},
        {"ret_dopl_ " T, "a call is left that is not the last one entered: line=4, function=dopl_"},
        {"call_getlen_ " T "ret_endpl_ " T,
         "a call is left that is not the last one entered: line=5, function=endpl_"},
        {"call_getlen_ " T, "the program ends in a call: line=5, function=getlen_"},
        {"call_getlen_ TIME=x LINE=1 FILE=t.c\n",
         "a field is missing or is not a number: line=4, function=getlen_, field=TIME"},
        {"call_getlen_ TIME=1 LINE=x FILE=t.c\n",
         "a field is missing or is not a number: line=4, function=getlen_, field=LINE"},
        {"call_getlen_ TIME=1 LINE=1\n",
         "a field is missing or is not a number: line=4, function=getlen_, field=FILE"},
};

TEST(wrong_calls_are_refused)
{
        for (size_t i = 0; i < N(wrong_calls); i++)
                expect_failure(wrong_calls[i].calls, wrong_calls[i].message);
}

TEST(nesting_has_a_limit)
{
        dvm_text t = {0};
        for (int i = 0; i < 65; i++)
                dvm_put(&t, "call_getlen_ " T);
        expect_failure(t.text, "calls are nested too deep: line=68, function=getlen_");
        free(t.text);
        t = (dvm_text){0};
        for (int i = 0; i < 1001; i++)
                dvm_put(&t, CALL("bploop_", "", ""));
        char *found;
        dvm_text whole = {0};
        dvm_put(&whole, "%s%s%s", preamble, t.text, leaving);
        found = dvm_read_failure(whole.text);
        assert_string_equal(found,
                            "intervals are nested too deep: line=2004, function=bploop_, parameter=index, "
                            "value=1000");
        free(found);
        free(whole.text);
        free(t.text);
}

TEST(what_is_no_trace_is_refused)
{
        char *found = dvm_read_failure("RTS VERSION = 1\nsomething\n");
        assert_string_equal(found, "the trace has no call of dvm_Init that can be used: lines=2");
        free(found);
        ps_dvm *d;
        ps_error err = {.status = PS_OK};
        assert_int_equal(ps_dvm_read(&d, "/nonexistent/t.ptr", &err), PS_E_INPUT);
        assert_null(d);
        assert_string_equal(
                err.cause[0].text,
                "cannot open the trace: path=\"/nonexistent/t.ptr\", reason=\"No such file or directory\"");
        assert_string_equal(err.cause[1].text, "cannot read the DVM trace: path=\"/nonexistent/t.ptr\"");
        assert_int_equal(ps_dvm_read(&d, "/tmp", &err), PS_E_INPUT);
}

TEST(a_tolerant_reader_keeps_times)
{
        dvm_text t = {0};
        dvm_put(&t, "%s%s%s", preamble,
                CALL("crtpl_", "Rank=0;\n", "LoopRef=1;\n") CALL("endpl_", "LoopRef=1;\n", ""), leaving);
        ps_dvm *d = dvm_read_bytes(t.text, t.n, 0, 1);
        assert_int_equal(d->calls.n, 2);
        assert_int_equal(d->issues.row[PS_I_CALL_INVALID].count, 2);
        assert_int_equal(d->issues.row[PS_I_CALL_INVALID].offset, 4);
        for (int i = 0; i < 2; i++) {
                assert_int_equal(d->calls.row[i].cls, PS_DVM_C_ORDINARY);
                assert_int_equal(d->calls.row[i].form, PS_DVM_F_NONE);
                assert_int_equal(d->calls.row[i].ret_time, PS_PS_PER_S / 2);
        }
        ps_dvm_free(d);
        free(t.text);
}

/* -- damage -- */

/* The first calls of the whole trace, and no other. */
static void expect_beginning(const ps_dvm *part, const ps_dvm *whole)
{
        assert_true(part->calls.n <= whole->calls.n);
        for (uint32_t i = 0; i < part->calls.n; i++) {
                const ps_dvm_call *a = &part->calls.row[i], *b = &whole->calls.row[i];
                assert_true(a->at == b->at && a->ret_time == b->ret_time && a->object == b->object &&
                            a->value == b->value && a->form == b->form);
        }
}

static ps_dvm *read_beginning(const char *path, uint64_t size)
{
        ps_dvm *d;
        ps_error err = {.status = PS_OK};
        ps_file_truncate(path, size);
        if (ps_dvm_read(&d, path, &err) < 0)
                ps_test_die("cannot read: %s", err.cause[0].text);
        dvm_check(d);
        return d;
}

TEST(a_trace_may_break_off_anywhere)
{
        char path[1024], *dir = ps_dir_new(), *text = dvm_sample_realign();
        size_t first = (size_t)(strstr(text, "ret_dvm_Init") - text);
        size_t end = (size_t)(strstr(text, "Event_dvm_exit") - text);
        first += strcspn(text + first, "\n") + 1;
        snprintf(path, sizeof(path), "%s/t.ptr", dir);
        dvm_write(path, text, strlen(text));
        ps_dvm *whole = dvm_read_text(text);
        uint32_t last = whole->calls.n;
        for (size_t n = strlen(text); n-- > first;) {
                ps_dvm *part = read_beginning(path, n);
                expect_beginning(part, whole);
                assert_true(part->calls.n + 1 >= last && part->calls.n <= last);
                last = part->calls.n;
                if (n <= end)
                        assert_int_equal(part->truncated, 1);
                ps_dvm_free(part);
        }
        assert_int_equal(last, 0);
        ps_dvm_free(whole);
        ps_dir_remove(dir);
        free(dir);
        free(text);
}

TEST(a_cut_packed_trace_is_read_up_to_there)
{
        char path[1024], *dir = ps_dir_new(), *text = dvm_sample_jacobi();
        snprintf(path, sizeof(path), "%s/t.ptr", dir);
        dvm_write_gzip(path, text, strlen(text));
        ps_dvm *whole = dvm_read_text(text), *part;
        uint64_t size = ps_file_size(path);
        while (size-- > 0) {
                ps_error err = {.status = PS_OK};
                ps_file_truncate(path, size);
                if (ps_dvm_read(&part, path, &err) == PS_OK) {
                        dvm_check(part);
                        expect_beginning(part, whole);
                        ps_dvm_free(part);
                } else {
                        assert_int_equal(err.status, PS_E_INPUT);
                        assert_non_null(strstr(err.cause[0].text,
                                               "the trace has no call of dvm_Init that can be used"));
                }
        }
        ps_dvm_free(whole);
        ps_dir_remove(dir);
        free(dir);
        free(text);
}

TEST(flipped_bits_do_no_harm)
{
        char path[1024], *dir = ps_dir_new(), *text = dvm_sample_realign();
        size_t size = strlen(text);
        snprintf(path, sizeof(path), "%s/t.ptr", dir);
        for (size_t bit = 0; bit < 8 * size; bit += 9) { /* one of each byte */
                ps_error err = {.status = PS_OK};
                ps_dvm *d;
                text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
                dvm_write(path, text, size);
                if (ps_dvm_read(&d, path, &err) == PS_OK)
                        dvm_check(d);
                else
                        assert_true(err.status == PS_E_INPUT && err.n_causes == 2);
                ps_dvm_free(d);
                text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        }
        ps_dir_remove(dir);
        free(dir);
        free(text);
}

/* 80 MiB of long lines in 80 kB. */
TEST(a_bomb_is_refused)
{
        enum { BLOCK = 1 << 20, N_BLOCKS = 80 };
        char path[1024], *dir = ps_dir_new(), *line = malloc(BLOCK);
        snprintf(path, sizeof(path), "%s/t.ptr", dir);
        memset(line, 'x', BLOCK);
        line[BLOCK - 1] = '\n';
        gzFile file = gzopen(path, "wb6");
        gzputs(file, preamble);
        for (int i = 0; i < N_BLOCKS; i++)
                gzwrite(file, line, BLOCK);
        gzclose(file);
        ps_dvm *d;
        ps_error err = {.status = PS_OK};
        assert_int_equal(ps_dvm_read(&d, path, &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "the trace unpacks to far more than its size"));
        ps_dir_remove(dir);
        free(dir);
        free(line);
}
