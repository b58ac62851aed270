/* samples.c - the text of DVM traces, in the words of Lib-DVM. */
#include "tests/simulator/dvm/samples.h"

#include "tests/support/damage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

void dvm_put(dvm_text *t, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        int n = vsnprintf(NULL, 0, format, args);
        va_end(args);
        if (n < 0)
                ps_test_die("cannot format: format=\"%s\"", format);
        if (t->n + (size_t)n + 1 > t->cap) {
                t->cap = 2 * (t->n + (size_t)n + 1);
                t->text = realloc(t->text, t->cap);
        }
        if (!t->text)
                ps_test_die("out of memory: bytes=%zu", t->cap);
        va_start(args, format);
        vsnprintf(t->text + t->n, t->cap - t->n, format, args);
        va_end(args);
        t->n += (size_t)n;
}

void dvm_begin(dvm_text *t)
{
        dvm_put(t, "RTS VERSION = 2884\n"
                   "ProcCount=1;      PSRank=2;      PSSize= 1 1;\n"
                   "VProcCount=0;\n"
                   "ret_dvm_Init               TIME=0.00000000 LINE=1      FILE=t.cdv\n\n");
}

void dvm_end(dvm_text *t)
{
        dvm_put(t, "Event_dvm_exit             TIME=0.00000100 LINE=99     FILE=t.cdv\nrc=0;\n");
}

void dvm_call(dvm_text *t, const char *name, double before, double in, int line, const char *params,
              const char *results)
{
        dvm_put(t, "call_%-22sTIME=%.8f LINE=%-6d FILE=t.cdv\n%s", name, before, line, params);
        dvm_put(t, "ret_%-23sTIME=%.8f LINE=%-6d FILE=t.cdv\n%s\n", name, in, line, results);
}

static void put(dvm_text *t, const char *name, int line, const char *params, const char *results)
{
        dvm_call(t, name, 0, 0, line, params, results);
}

static void setup_array(dvm_text *t, char letter, int n1, int n2, int element_bytes)
{
        char params[512], results[64];
        snprintf(params, sizeof(params),
                 "ArrayHeader=%c1; ExtHdrSign=0; BasePtr=0; Rank=2; TypeSize=%d; StaticSign=0; "
                 "ReDistrSign=3;\n"
                 "SizeArray[0]=%d; SizeArray[1]=%d;  \n"
                 "LowShdWidthArray[0]=1; LowShdWidthArray[1]=1;  \n"
                 " HiShdWidthArray[0]=1;  HiShdWidthArray[1]=1;  \n \n",
                 letter, element_bytes, n1, n2);
        snprintf(results, sizeof(results), "ArrayHandlePtr=%c10;\n", letter);
        put(t, "crtda_", 10, params, results);
        snprintf(params, sizeof(params),
                 "ArrayHeader=%c1; ArrayHandlePtr=%c10; PatternRefPtr=2; PatternRef=bb (AMView);\n"
                 " AxisArray[0]=1;  AxisArray[1]=2;  \n"
                 "CoeffArray[0]=1; CoeffArray[1]=1;  \n"
                 "ConstArray[0]=0; ConstArray[1]=0;  \n",
                 letter, letter);
        put(t, "align_", 10, params, "IsLocal=1\n");
}

void dvm_setup(dvm_text *t, int n1, int n2, int n_axes, int n_arrays, int element_bytes)
{
        char params[256];
        put(t, "getam_", 10, "", "AMRef=aa;\n");
        snprintf(params, sizeof(params),
                 "AMRefPtr=1; AMRef=aa; Rank=2; StaticSign=0;\nSizeArray[0]=%d; SizeArray[1]=%d;  \n", n1,
                 n2);
        put(t, "crtamv_", 10, params, "AMViewRef=bb;\n");
        put(t, "distr_", 10,
            n_axes == 1 ? "AMViewRefPtr=2; AMViewRef=bb; PSRefPtr=NULL; PSRef=0; ParamCount=1;\n"
                          "      AxisArray[0]=1;  \nDistrParamArray[0]=0;  \n"
                        : "AMViewRefPtr=2; AMViewRef=bb; PSRefPtr=NULL; PSRef=0; ParamCount=2;\n"
                          "      AxisArray[0]=1;       AxisArray[1]=2;  \n"
                          "DistrParamArray[0]=0; DistrParamArray[1]=0;  \n",
            "IsLocal=1;\n");
        for (int i = 0; i < n_arrays; i++)
                setup_array(t, (char)('a' + i), n1, n2, element_bytes);
}

void dvm_map_loop(dvm_text *t, char letter, int line, const int first[2], const int last[2])
{
        char params[512];
        put(t, "crtpl_", line, "Rank=2;\n", "LoopRef=cc;\n");
        snprintf(params, sizeof(params),
                 "LoopRefPtr=3; LoopRef=cc; PatternRefPtr=%c1; PatternRef=%c10 (DisArray);\n"
                 "       AxisArray[0]=1;        AxisArray[1]=2;  \n"
                 "      CoeffArray[0]=1;       CoeffArray[1]=1;  \n"
                 "      ConstArray[0]=0;       ConstArray[1]=0;  \n"
                 "LoopVarAddrArray[0]=0; LoopVarAddrArray[1]=0;  \n"
                 "LoopVarTypeArray[0]=1; LoopVarTypeArray[1]=1;  \n"
                 "InInitIndexArray[0]=%d; InInitIndexArray[1]=%d;  \n"
                 "InLastIndexArray[0]=%d; InLastIndexArray[1]=%d;  \n"
                 "     InStepArray[0]=1;      InStepArray[1]=1;  \n \n",
                 letter, letter, first[0], first[1], last[0], last[1]);
        put(t, "mappl_", line, params, "IsLocal=1;\n");
}

static void run_loop(dvm_text *t, int line, double seconds)
{
        put(t, "dopl_", line, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        dvm_call(t, "dopl_", seconds, 0, line, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
}

static void end_loop(dvm_text *t, int line)
{
        put(t, "endpl_", line, "LoopRefPtr=3; LoopRef=cc;\n", " \n");
}

static void gauss_step(dvm_text *t, int i)
{
        char params[512];
        const int first[2] = {i + 1, i + 1}, last[2] = {9, 10};
        dvm_map_loop(t, 'a', 20, first, last);
        snprintf(params, sizeof(params),
                 "RemArrayHeader=a1; RemArrayHandlePtr=a10; BufferHeader=b9; BasePtr=0; StaticSign=0; "
                 "LoopRefPtr=3; LoopRef=cc;\n"
                 " AxisArray[0]=0;  AxisArray[1]=-1;  \n"
                 "CoeffArray[0]=0; CoeffArray[1]=0;  \n"
                 "ConstArray[0]=%d; ConstArray[1]=0;  \n",
                 i);
        put(t, "crtrbl_", 20, params, "BufferHandlePtr=b90; IsLocal=1\n");
        put(t, "loadrb_", 20, "BufferHeader=b9; BufferHandlePtr=b90; RenewSign=1;\n", "");
        put(t, "waitrb_", 20, "BufferHeader=b9; BufferHandlePtr=b90;\n", "");
        run_loop(t, 20, 0.009 * (9 - i) * (10 - i) / 90);
        end_loop(t, 20);
}

char *dvm_sample_gauss(void)
{
        dvm_text t = {0};
        dvm_begin(&t);
        dvm_setup(&t, 10, 11, 1, 1, 4);
        for (int i = 0; i < 3; i++)
                gauss_step(&t, i);
        dvm_end(&t);
        return t.text;
}

static void jacobi_reduce(dvm_text *t)
{
        const int first[2] = {1, 1}, last[2] = {6, 6};
        dvm_map_loop(t, 'a', 25, first, last);
        put(t, "crtrg_", 25, "StaticSign=1; DelRedSign=1;\n", "RedGroupRef=ee;\n");
        put(t, "crtred_", 25,
            "RedFuncNumb=3; RedArrayPtr=5; RedArrayType=4; RedArrayLength=1; LocArrayPtr=6; LocElmLength=0; "
            "StaticSign=1;\n",
            "RedRef=ff;\n");
        put(t, "insred_", 25,
            "RedGroupRefPtr=7; RedGroupRef=ee; RedRefPtr=8; RedRef=ff; LoopRefPtr=3; LoopRef=cc; "
            "RenewSign=1;\n",
            "");
        run_loop(t, 25, 0.0036);
        put(t, "strtrd_", 25, "RedGroupRefPtr=7; RedGroupRef=ee;\n*** MPI_Allreduce ***\nMPI_Group:    0\n",
            "");
        dvm_call(t, "getlen_", 0.0001, 0.00002, 25, "ArrayHeader=a1; ArrayHandlePtr=a10;\n", "Res=8;\n");
        put(t, "waitrd_", 25, "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
        put(t, "delrg_", 25, "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
        end_loop(t, 25);
}

static void jacobi_exchange(dvm_text *t)
{
        const int first[2] = {1, 1}, last[2] = {6, 6};
        dvm_map_loop(t, 'b', 29, first, last);
        put(t, "crtshg_", 29, "StaticSign=0;\n", "ShadowGroupRef=dd;\n");
        put(t, "inssh_", 29,
            "ShadowGroupRefPtr=4; ShadowGroupRef=dd; ArrayHeader=a1; ArrayHandlePtr=a10; FullShdSign=0;\n"
            "LowShdWidthArray[0]=1; LowShdWidthArray[1]=1;  \n"
            " HiShdWidthArray[0]=1;  HiShdWidthArray[1]=1;  \n",
            "");
        put(t, "strtsh_", 29, "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        put(t, "waitsh_", 29, "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        put(t, "delshg_", 29, "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        run_loop(t, 29, 0.0072);
        end_loop(t, 29);
}

char *dvm_sample_jacobi(void)
{
        dvm_text t = {0};
        dvm_begin(&t);
        dvm_setup(&t, 8, 8, 2, 2, 8);
        for (int i = 0; i < 2; i++) {
                put(&t, "binter_", 20, "nfrag=4; index=1 UserInter=0;\n", "");
                jacobi_reduce(&t);
                jacobi_exchange(&t);
                put(&t, "einter_", 33, "nfrag=4; nline=33\n", "");
        }
        dvm_end(&t);
        return t.text;
}

static void realign_loop(dvm_text *t, char letter, int line)
{
        const int first[2] = {0, 0}, last[2] = {15, 7};
        dvm_map_loop(t, letter, line, first, last);
        run_loop(t, line, 0.004);
        end_loop(t, line);
}

char *dvm_sample_realign(void)
{
        dvm_text t = {0};
        dvm_begin(&t);
        dvm_setup(&t, 16, 16, 1, 2, 8);
        realign_loop(&t, 'a', 20);
        put(&t, "realn_", 24,
            "ArrayHeader=b1; ArrayHandlePtr=b10; PatternRefPtr=a1; PatternRef=a10 (DisArray); NewSign=0;\n"
            " AxisArray[0]=2;  AxisArray[1]=1;  \n"
            "CoeffArray[0]=1; CoeffArray[1]=1;  \n"
            "ConstArray[0]=0; ConstArray[1]=0;  \n",
            "IsLocal=1\n");
        realign_loop(&t, 'b', 28);
        dvm_end(&t);
        return t.text;
}

void dvm_write(const char *path, const char *text, size_t n)
{
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(text, 1, n, file) != n || fclose(file))
                ps_test_die("cannot write: path=\"%s\"", path);
}

void dvm_write_gzip(const char *path, const char *text, size_t n)
{
        gzFile file = gzopen(path, "wb6");
        if (!file || gzwrite(file, text, (unsigned)n) != (int)n || gzclose(file) != Z_OK)
                ps_test_die("cannot write: path=\"%s\"", path);
}
