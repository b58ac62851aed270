/* random.c - see random.h. */
#include "tests/simulator/dvm/random.h"

#include "tests/simulator/dvm/samples.h"

#include <stdio.h>
#include <string.h>

enum { RANK_MAX = 3, ARRAYS = 4, ROOM = 2048 };

struct array {
        int rank, size[RANK_MAX];
};

struct maker {
        const random_dvm *program;
        uint64_t state;
        dvm_text t;
        int rank, size[RANK_MAX]; /* of the template */
        struct array array[ARRAYS];
        int n_arrays, n_open; /* intervals */
        int line, n_subtasks;
        double cpu_s, system_s;
};

uint64_t random_below(uint64_t *state, uint64_t n)
{
        uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        return (z ^ z >> 31) % n;
}

static int below(struct maker *m, int n)
{
        return (int)random_below(&m->state, (uint64_t)n);
}

/* A call with times of up to 1 ms and 0.1 ms, in whole 0.01 us. */
static void call(struct maker *m, const char *name, const char *params, const char *results)
{
        double before = below(m, 3) ? 0 : below(m, 100000) * 1e-8,
               in = below(m, 3) ? 0 : below(m, 10000) * 1e-8;
        dvm_call(&m->t, name, before, in, m->line, params, results);
        m->cpu_s += before;
        m->system_s += in;
}

static int put_list(char *text, int at, const char *key, int n, const int *values)
{
        for (int i = 0; i < n; i++)
                at += snprintf(text + at, (size_t)(ROOM - at), "%s[%d]=%d; ", key, i, values[i]);
        at += snprintf(text + at, (size_t)(ROOM - at), "\n");
        return at;
}

static int put_name(char *text, int at, const char *prefix, int array)
{
        return at + snprintf(text + at, (size_t)(ROOM - at), "%sArrayHeader=a%d; %sArrayHandlePtr=b%d; ",
                             prefix, array, prefix, array);
}

/* -- layout -- */

static void distribute(struct maker *m, const char *name, const char *what)
{
        char text[ROOM];
        int axes[4] = {0}, params[4] = {0}, n = (int)m->program->grid.rank, free_axis[RANK_MAX],
            left = m->rank;
        for (int t = 0; t < m->rank; t++)
                free_axis[t] = t + 1;
        for (int v = 0; v < n; v++) {
                if (!left || !below(m, 5))
                        continue;
                int k = below(m, left);
                axes[v] = free_axis[k];
                free_axis[k] = free_axis[--left];
        }
        int at = snprintf(text, ROOM, "%s PSRefPtr=NULL; PSRef=0; ParamCount=%d; NewSign=%d;\n", what, n,
                          !below(m, 5));
        at = put_list(text, at, "AxisArray", n, axes);
        put_list(text, at, "DistrParamArray", n, params);
        call(m, name, text, "IsLocal=1;\n");
}

static void set_weights(struct maker *m)
{
        char text[ROOM];
        const ps_grid *g = &m->program->grid;
        int at = snprintf(text, ROOM,
                          "PSRefPtr=NULL; PSRef=0; AMViewRefPtr=2; AMViewRef=bb;\nAddrNumber=%u;\n", g->rank);
        int k = 0, counts[4];
        for (uint32_t v = 0; v < g->rank; v++)
                counts[v] = (int)g->size[v];
        at = put_list(text, at, "WeightNumber", (int)g->rank, counts);
        for (uint32_t v = 0; v < g->rank; v++)
                for (uint32_t c = 0; c < g->size[v]; c++)
                        at += snprintf(text + at, (size_t)(ROOM - at), "LoadWeight[%d]=%.1f; ", k++,
                                       1 + below(m, 30) / 10.);
        snprintf(text + at, (size_t)(ROOM - at), "\n");
        call(m, "setelw_", text, "");
}

static void set_blocks(struct maker *m)
{
        char text[ROOM];
        int n = 1 + below(m, m->rank), divisor[RANK_MAX];
        for (int t = 0; t < n; t++)
                divisor[t] = 1 + below(m, 3);
        int at = snprintf(text, ROOM, "AMViewRefPtr=2; AMViewRef=bb; AMVAxisCount=%d\n", n);
        put_list(text, at, "AMVAxisDiv", n, divisor);
        call(m, "blkdiv_", text, "");
}

/* Each axis of the template: a dimension of the array forwards, backwards or at every second place, all of
 * it, or one place. `fixed`: the array has its sizes already, which the template holds. */
static void align(struct maker *m, const char *name, int id, int fixed)
{
        char text[ROOM];
        struct array *a = &m->array[id];
        int axis[RANK_MAX], coeff[RANK_MAX], constant[RANK_MAX];
        for (int t = 0; t < m->rank; t++) {
                int how = below(m, 6), slack = m->size[t] - a->size[t],
                    stretch = 2 * a->size[t] - 1 <= m->size[t];
                axis[t] = t + 1;
                coeff[t] = how == 1 ? -1 : how == 2 && stretch ? 2 : 1;
                constant[t] = below(m, coeff[t] == 2 ? m->size[t] - 2 * a->size[t] + 2 : slack + 1) +
                              (how == 1 ? a->size[t] - 1 : 0);
                if (how == 3 && fixed) {
                        axis[t] = -1;
                        coeff[t] = constant[t] = 0;
                } else if (how == 4 && fixed && !below(m, 2)) {
                        axis[t] = coeff[t] = 0;
                        constant[t] = below(m, m->size[t]);
                }
        }
        int at = put_name(text, 0, "", id);
        at += snprintf(text + at, (size_t)(ROOM - at),
                       "PatternRefPtr=2; PatternRef=bb (AMView); NewSign=%x;\n", !below(m, 5));
        at = put_list(text, at, "AxisArray", m->rank, axis);
        at = put_list(text, at, "CoeffArray", m->rank, coeff);
        put_list(text, at, "ConstArray", m->rank, constant);
        call(m, name, text, "IsLocal=1;\n");
}

static void make_array(struct maker *m, int id)
{
        char text[ROOM], result[64];
        struct array *a = &m->array[id];
        int ones[RANK_MAX] = {1, 1, 1};
        a->rank = m->rank;
        for (int d = 0; d < a->rank; d++)
                a->size[d] = below(m, 3) ? m->size[d] : 1 + below(m, m->size[d]);
        int at = put_name(text, 0, "", id);
        at += snprintf(text + at, (size_t)(ROOM - at),
                       "ExtHdrSign=0; BasePtr=0; Rank=%d; TypeSize=%d; StaticSign=0; ReDistrSign=3;\n",
                       a->rank, 1 + below(m, 16));
        at = put_list(text, at, "SizeArray", a->rank, a->size);
        at = put_list(text, at, "LowShdWidthArray", a->rank, ones);
        put_list(text, at, "HiShdWidthArray", a->rank, ones);
        snprintf(result, sizeof(result), "ArrayHandlePtr=b%d;\n", id);
        call(m, "crtda_", text, result);
        align(m, "align_", id, below(m, 2));
}

static void set_up(struct maker *m)
{
        char text[ROOM];
        m->rank = 1 + below(m, RANK_MAX);
        for (int t = 0; t < m->rank; t++)
                m->size[t] = 1 + below(m, 20);
        call(m, "getam_", "", "AMRef=aa;\n");
        int at = snprintf(text, ROOM, "AMRefPtr=1; AMRef=aa; Rank=%d; StaticSign=0;\n", m->rank);
        put_list(text, at, "SizeArray", m->rank, m->size);
        call(m, "crtamv_", text, "AMViewRef=bb;\n");
        if (m->program->fixed_grid && below(m, 2))
                set_weights(m);
        if (!below(m, 3))
                set_blocks(m);
        distribute(m, "distr_", "AMViewRefPtr=2; AMViewRef=bb;");
        m->n_arrays = 1 + below(m, ARRAYS);
        for (int i = 0; i < m->n_arrays; i++)
                make_array(m, i);
}

/* -- loops -- */

static void shadow_group(struct maker *m, const char *id, int array)
{
        char text[ROOM], widths[2][RANK_MAX * 32];
        snprintf(text, ROOM, "ShadowGroupRef=%s;\n", id);
        call(m, "crtshg_", "StaticSign=0;\n", text);
        for (int side = 0, at; side < 2; side++)
                for (int d = at = 0; d < m->array[array].rank; d++)
                        at += snprintf(widths[side] + at, sizeof(widths[side]) - (size_t)at,
                                       "%sShdWidthArray[%d]=%d; ", side ? "Hi" : "Low", d, below(m, 3) - 1);
        int at = snprintf(text, ROOM, "ShadowGroupRefPtr=4; ShadowGroupRef=%s; ", id);
        at = put_name(text, at, "", array);
        snprintf(text + at, (size_t)(ROOM - at), "FullShdSign=%d;\n%s\n%s\n", below(m, 2), widths[0],
                 widths[1]);
        call(m, "inssh_", text, "");
}

static void map_loop(struct maker *m, int id)
{
        char text[ROOM];
        const struct array *a = &m->array[id];
        int axis[RANK_MAX], ones[RANK_MAX] = {1, 1, 1}, zeros[RANK_MAX] = {0};
        int first[RANK_MAX], last[RANK_MAX], step[RANK_MAX];
        for (int d = 0; d < a->rank; d++) {
                int low = below(m, a->size[d]), high = low + below(m, a->size[d] - low);
                int up = below(m, 3) != 0;
                axis[d] = d + 1;
                first[d] = up ? low : high;
                last[d] = up ? high : low;
                step[d] = (1 + !below(m, 4)) * (up ? 1 : -1);
        }
        int at = snprintf(text, ROOM, "Rank=%d;\n", a->rank);
        call(m, "crtpl_", text, "LoopRef=cc;\n");
        at = snprintf(text, ROOM, "LoopRefPtr=3; LoopRef=cc; PatternRefPtr=a%d; PatternRef=b%d (DisArray);\n",
                      id, id);
        at = put_list(text, at, "AxisArray", a->rank, axis);
        at = put_list(text, at, "CoeffArray", a->rank, ones);
        at = put_list(text, at, "ConstArray", a->rank, zeros);
        at = put_list(text, at, "InInitIndexArray", a->rank, first);
        at = put_list(text, at, "InLastIndexArray", a->rank, last);
        put_list(text, at, "InStepArray", a->rank, step);
        call(m, "mappl_", text, "IsLocal=1;\n");
}

static void read_remote(struct maker *m)
{
        char text[ROOM];
        int array = below(m, m->n_arrays);
        const struct array *a = &m->array[array];
        int axis[RANK_MAX], coeff[RANK_MAX], constant[RANK_MAX];
        for (int d = 0; d < a->rank; d++) {
                int all = below(m, 2);
                axis[d] = all ? -1 : 0;
                coeff[d] = 0;
                constant[d] = all ? 0 : below(m, a->size[d]);
        }
        int at = snprintf(
                text, ROOM,
                "RemArrayHeader=a%d; RemArrayHandlePtr=b%d; BufferHeader=f9; BasePtr=0; StaticSign=0; "
                "LoopRefPtr=3; LoopRef=cc;\n",
                array, array);
        at = put_list(text, at, "AxisArray", a->rank, axis);
        at = put_list(text, at, "CoeffArray", a->rank, coeff);
        put_list(text, at, "ConstArray", a->rank, constant);
        call(m, "crtrbl_", text, "BufferHandlePtr=f90; IsLocal=1;\n");
        call(m, "loadrb_", "BufferHeader=f9; BufferHandlePtr=f90; RenewSign=1;\n", "");
        call(m, "getlen_", "", "");
        call(m, "waitrb_", "BufferHeader=f9; BufferHandlePtr=f90;\n", "");
}

static void reduce(struct maker *m)
{
        call(m, "crtrg_", "StaticSign=1; DelRedSign=1;\n", "RedGroupRef=ee;\n");
        call(m, "crtred_",
             "RedFuncNumb=1; RedArrayPtr=5; RedArrayType=4; RedArrayLength=3; LocArrayPtr=6; LocElmLength=4; "
             "StaticSign=1;\n",
             "RedRef=ff;\n");
        call(m, "insred_",
             "RedGroupRefPtr=7; RedGroupRef=ee; RedRefPtr=8; RedRef=ff; LoopRefPtr=3; LoopRef=cc; "
             "RenewSign=1;\n",
             "");
}

static void run_loop(struct maker *m)
{
        int array = below(m, m->n_arrays), dependent = !below(m, 3), reduces = !below(m, 3);
        int edges = dependent ? 0 : below(m, 4);
        map_loop(m, array);
        if (!below(m, 3))
                read_remote(m);
        shadow_group(m, "dd", array);
        if (dependent) {
                static const char *const stages[] = {"0.0", "1.0", "3.0", "-0.5", "1000000.0"};
                char text[ROOM];
                shadow_group(m, "de", array);
                snprintf(text, ROOM,
                         "AcrossType=%d; OldShadowGroupRef=%s; NewShadowGroupRefPtr=5; NewShadowGroupRef=de; "
                         "PipeLinePar=%s;\n",
                         below(m, 2), below(m, 2) ? "dd" : "0", stages[below(m, 5)]);
                call(m, "across_", text, "ErrPipeLine=9\n");
        }
        if (reduces)
                reduce(m);
        if (edges == 1)
                call(m, "exfrst_", "LoopRefPtr=3; LoopRef=cc; ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        else if (edges)
                call(m, "strtsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        if (edges == 2)
                call(m, "imlast_", "LoopRefPtr=3; LoopRef=cc; ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        else if (edges)
                call(m, "waitsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        call(m, "dopl_", "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        call(m, "dopl_", "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
        if (reduces) {
                call(m, "strtrd_", "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
                call(m, "getlen_", "", "");
                call(m, "waitrd_", "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
        }
        call(m, "endpl_", "LoopRefPtr=3; LoopRef=cc;\n", "");
}

/* -- the rest -- */

static int put_section(struct maker *m, char *text, int at, const char *side, int array)
{
        const struct array *a = &m->array[array];
        char key[32];
        int all[3][RANK_MAX];
        for (int d = 0; d < a->rank; d++) {
                all[0][d] = below(m, 4) ? below(m, a->size[d]) : -1;
                all[1][d] = all[0][d] < 0 ? -1 : all[0][d] + below(m, a->size[d] - all[0][d]);
                all[2][d] = 1 + !below(m, 3);
        }
        static const char *const keys[] = {"InitIndexArray", "LastIndexArray", "StepArray"};
        for (int k = 0; k < 3; k++) {
                snprintf(key, sizeof(key), "%s%s", side, keys[k]);
                at = put_list(text, at, key, a->rank, all[k]);
        }
        return at;
}

static void copy(struct maker *m)
{
        char text[ROOM];
        int from = below(m, m->n_arrays), to = below(m, m->n_arrays), to_buffer = below(m, 2);
        int apart = below(m, 2), at = put_name(text, 0, "From", from);
        if (to_buffer)
                at += snprintf(text + at, (size_t)(ROOM - at), "ToBufferPtr=7ff0; ");
        else
                at = put_name(text, at, "To", to);
        at += snprintf(text + at, (size_t)(ROOM - at), "CopyRegim=0; CopyFlagPtr=f1;\n");
        at = put_section(m, text, at, "From", from);
        if (!to_buffer)
                put_section(m, text, at, "To", to);
        call(m, apart ? "aarrcp_" : "arrcpy_", text, "Res=1;\n");
        if (!apart)
                return;
        run_loop(m);
        call(m, "waitcp_", "CopyFlagPtr=f1;\n", "");
}

static void subtask(struct maker *m)
{
        char text[ROOM], id[64];
        const ps_grid *g = &m->program->grid;
        int first[4], last[4], n = ++m->n_subtasks, index[RANK_MAX] = {0};
        for (uint32_t v = 0; v < g->rank; v++) {
                first[v] = below(m, (int)g->size[v]);
                last[v] = first[v] + below(m, (int)g->size[v] - first[v]);
        }
        int at = snprintf(text, ROOM, "PSRefPtr=NULL; PSRef=0; StaticSign=0;\n");
        at = put_list(text, at, "InitIndexArray", (int)g->rank, first);
        put_list(text, at, "LastIndexArray", (int)g->rank, last);
        snprintf(id, sizeof(id), "PSRef=c%d;\n", n);
        call(m, "crtps_", text, id);
        at = snprintf(text, ROOM, "AMViewRefPtr=2; AMViewRef=bb;\n");
        put_list(text, at, "IndexArray", m->rank, index);
        snprintf(id, sizeof(id), "AMRef=d%d;\n", n);
        call(m, "getamr_", text, id);
        snprintf(text, ROOM, "AMRefPtr=4; AMRef=d%d; PSRefPtr=5; PSRef=c%d;\n", n, n);
        call(m, "mapam_", text, "");
        snprintf(text, ROOM, "AMRefPtr=4; AMRef=d%d;\n", n);
        call(m, "runam_", text, "Run=1;\n");
        call(m, "getlen_", "", "");
        call(m, "dvm_void_printf", "Format=in a subtask\n", "");
        call(m, "stopam_", "", "");
}

static void step(struct maker *m)
{
        char text[ROOM];
        m->line = 10 + below(m, 20);
        switch (below(m, m->program->fixed_grid ? 10 : 9)) {
        case 0:
                snprintf(text, ROOM, "nfrag=1; index=%d UserInter=0;\n", below(m, 3));
                call(m, "binter_", text, "");
                m->n_open++;
                break;
        case 1:
                if (m->n_open-- > 0)
                        call(m, "einter_", "nfrag=1; nline=9\n", "");
                else
                        m->n_open = 0;
                break;
        case 2:
                call(m, "dvm_void_printf", "Format=%d\n", "");
                break;
        case 3:
                distribute(m, "redis_", "AMViewRefPtr=2; AMViewRef=bb;");
                break;
        case 4:
                align(m, "realn_", below(m, m->n_arrays), 1);
                break;
        case 5:
                copy(m);
                break;
        case 9:
                subtask(m);
                break;
        default:
                run_loop(m);
        }
}

char *random_dvm_text(const random_dvm *program, double *cpu_s, double *system_s)
{
        struct maker m = {.program = program, .state = program->seed, .line = 1};
        dvm_begin(&m.t);
        set_up(&m);
        for (uint32_t i = 0; i < program->steps; i++)
                step(&m);
        while (m.n_open-- > 0)
                call(&m, "einter_", "nfrag=1; nline=9\n", "");
        dvm_end(&m.t);
        *cpu_s = m.cpu_s;
        *system_s = m.system_s;
        return m.t.text;
}
