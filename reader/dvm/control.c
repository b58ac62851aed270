/* control.c - loops, machines that are entered, intervals, input and output. */
#include "reader/dvm/build.h"

#include "core/base/hash.h"

#include <stdlib.h>

/* -- machines and loops -- */

static void begin_mapam(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_AM, PS_DVM_K_AM_REF);
        call->other = ps_dvm_object_or_none(b, PS_DVM_S_PS, PS_DVM_K_PS_REF);
}

static void begin_runam(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_AM, PS_DVM_K_AM_REF);
}

static void end_runam(ps_dvm_build *b, ps_dvm_call *call)
{
        call->value = ps_dvm_number_or(b, PS_DVM_K_RUN, PS_DVM_BAD + 1, INT64_MAX, 1) != 0;
}

static void begin_crtpl(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_loop loop = {b->call, ps_dvm_rank(b)};
        call->object = PS_DVM_PUSH(b, b->dvm->loops, loop);
}

static void end_crtpl(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_bind(b, PS_DVM_S_LOOP, PS_DVM_K_LOOP_REF, call->object);
}

static void begin_loop(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_LOOP, PS_DVM_K_LOOP_REF);
        if (call->function == PS_DVM_ENDPL)
                ps_dvm_drop(b, PS_DVM_S_LOOP, PS_DVM_K_LOOP_REF);
}

static void end_dopl(ps_dvm_build *b, ps_dvm_call *call)
{
        call->value = ps_dvm_number(b, PS_DVM_K_DO_PL, 0, 1);
}

/* -- intervals -- */

enum { LEVEL_MAX = 1000 };

static uint64_t hash_like(const ps_dvm_interval *i)
{
        uint64_t h = ps_hash_pair(ps_hash_pair((uint64_t)i->parent << 32 | i->file, (uint64_t)i->line),
                                  (uint64_t)i->expr);
        return ps_hash_pair(h, i->type);
}

static uint64_t control_hash(const void *rows, uint32_t row)
{
        return hash_like((const ps_dvm_interval *)rows + row);
}

static bool is_same_control(const void *key, const void *rows, uint32_t row)
{
        const ps_dvm_interval *a = key, *b = (const ps_dvm_interval *)rows + row;
        return a->parent == b->parent && a->type == b->type && a->file == b->file && a->line == b->line &&
               a->expr == b->expr;
}

/* The node of the tree that is like this one; a new one if need be. */
static uint32_t interval_of(ps_dvm_build *b, const ps_dvm_interval *like)
{
        const ps_dvm_interval *rows = b->dvm->intervals.row;
        if (b->status == PS_OK && ps_lookup_room(&b->interval_of, b->dvm->intervals.n, control_hash, rows))
                b->status = PS_NOMEM(b->err, "intervals", b->dvm->intervals.n);
        if (b->status != PS_OK)
                return PS_NONE;
        uint32_t *slot = ps_lookup_find(&b->interval_of, hash_like(like), is_same_control, like, rows);
        if (!*slot)
                *slot = PS_DVM_PUSH(b, b->dvm->intervals, *like) + 1;
        return *slot - 1;
}

static void begin_interval(ps_dvm_build *b, ps_dvm_call *call)
{
        if (call->function == PS_DVM_BINTER)
                call->value = ps_dvm_number_or(b, PS_DVM_K_INDEX, PS_DVM_BAD + 1, INT64_MAX, PS_DVM_NO_EXPR);
        if (b->dvm->intervals.row[b->interval].level == LEVEL_MAX)
                ps_dvm_fault(b, "intervals are nested too deep", PS_DVM_K_INDEX, LEVEL_MAX);
}

static void end_interval(ps_dvm_build *b, ps_dvm_call *call)
{
        static const uint8_t types[PS_DVM_COUNT] = {[PS_DVM_BINTER] = PS_DVM_I_USER,
                                                    [PS_DVM_BPLOOP] = PS_DVM_I_PAR,
                                                    [PS_DVM_BSLOOP] = PS_DVM_I_SEQ};
        ps_dvm_interval like = {.parent = b->interval,
                                .level = b->dvm->intervals.row[b->interval].level + 1,
                                .type = types[call->function],
                                .file = call->file,
                                .line = call->line,
                                .expr = call->function == PS_DVM_BINTER ? call->value : PS_DVM_NO_EXPR};
        call->value = 0;
        call->object = interval_of(b, &like);
        if (b->status == PS_OK)
                b->interval = call->object;
}

/* Ends of intervals need nothing but their order. One too many ends nothing; one of another type ends what is
 * open, as the run-time system does. */
static void leave_interval(ps_dvm_build *b, ps_dvm_call *call)
{
        const ps_dvm_interval *open = &b->dvm->intervals.row[b->interval];
        ps_place place = {PS_NONE, b->dvm->path, call->at, INT64_MIN};
        if (open->type == PS_DVM_I_MAIN) {
                ps_issue_note(&b->dvm->issues, PS_I_NEST_STRAY_LEAVE, place);
                call->cls = PS_DVM_C_ORDINARY;
                call->form = PS_DVM_F_NONE;
                return;
        }
        if ((open->type == PS_DVM_I_USER) != (call->function == PS_DVM_EINTER))
                ps_issue_note(&b->dvm->issues, PS_I_NEST_LEAVE, place);
        call->object = b->interval;
        b->interval = open->parent;
}

/* -- input and output -- */

static void begin_transfer(ps_dvm_build *b, ps_dvm_call *call)
{
        int64_t size = ps_dvm_number_or(b, PS_DVM_K_SIZE, 0, INT64_MAX, 0);
        int64_t n = ps_dvm_number_or(b, PS_DVM_K_ELEMENTS, 0, INT64_MAX, 0);
        if (__builtin_mul_overflow(size, n, &call->value))
                ps_dvm_fault(b, "a parameter is out of range", PS_DVM_K_ELEMENTS, n);
}

static void begin_srmem(ps_dvm_build *b, ps_dvm_call *call)
{
        uint32_t n = ps_dvm_count(b, PS_DVM_K_LENGTH);
        const int64_t *length = b->values.value[PS_DVM_K_LENGTH].at;
        for (uint32_t i = 0; i < n; i++)
                if (length[i] < 0 || __builtin_add_overflow(call->value, length[i], &call->value))
                        ps_dvm_fault(b, "a parameter is out of range", PS_DVM_K_LENGTH, length[i]);
}

const ps_dvm_handlers ps_dvm_handlers_control[PS_DVM_COUNT] = {
        [PS_DVM_MAPAM] = {begin_mapam, NULL},
        [PS_DVM_RUNAM] = {begin_runam, end_runam},
        [PS_DVM_CRTPL] = {begin_crtpl, end_crtpl},
        [PS_DVM_DOPL] = {begin_loop, end_dopl},
        [PS_DVM_ENDPL] = {begin_loop, NULL},
        [PS_DVM_BINTER] = {begin_interval, end_interval},
        [PS_DVM_BPLOOP] = {begin_interval, end_interval},
        [PS_DVM_BSLOOP] = {begin_interval, end_interval},
        [PS_DVM_EINTER] = {NULL, leave_interval},
        [PS_DVM_ELOOP] = {NULL, leave_interval},
        [PS_DVM_ENLOOP] = {NULL, leave_interval},
        [PS_DVM_FREAD] = {begin_transfer, NULL},
        [PS_DVM_FWRITE] = {begin_transfer, NULL},
        [PS_DVM_SRMEM] = {begin_srmem, NULL},
};
