/* run.c - walks through the calls of a DVM program: the time before each, what it does, the time in it.
 */
#include "simulator/dvm/record.h"
#include "simulator/dvm/state.h"
#include "simulator/dvm/time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDED_CALLS_MAX = 1 << 24 }; /* of all processors: a minute or two, and some GB */

const char *const ps_dvm_note_texts[PS_DVM_NOTES] = {
#define PS_DVM_NOTE(id, text) text,
#include "simulator/dvm/notes.def"
#undef PS_DVM_NOTE
};

ps_status ps_dvm_blame(const struct ps_dvm_sim *sim, ps_status status, ps_error *err)
{
        const ps_dvm_call *call = sim->call;
        return status == PS_OK || status == PS_E_NOMEM
                       ? status
                       : PS_CAUSE(err, status,
                                  "cannot simulate the call: function=%s, line=%" PRIu64
                                  ", source=\"%s:%" PRId64 "\"",
                                  ps_dvm_str(sim->dvm, call->name), call->at,
                                  ps_dvm_str(sim->dvm, call->file), call->line);
}

void ps_dvm_remark(struct ps_dvm_sim *sim, ps_dvm_note note)
{
        if (!sim->run->note[note].count++)
                sim->run->note[note].at = sim->call->at;
}

/* -- loops -- */

/* The body has run: each processor did its own iterations, and so did those with the same ones. */
static ps_status share_body(struct ps_dvm_sim *sim, const struct ps_dvm_loop_state *loop, ps_error *err)
{
        const ps_dvm_system *s = loop->layout->system;
        uint32_t copies = ps_dvm_layout_copies(loop->layout);
        int64_t count = 0;
        bool was_run = false;
        ps_time own = 0;
        ps_share *share;
        PS_TRY(ps_dvm_settle(sim, err));
        if (loop->wave.is_on || sim->wave.is_on)
                PS_TRY(ps_dvm_run_wave(sim, loop, &was_run, err));
        if (was_run)
                return PS_OK;
        PS_TRY(ps_dvm_shares(sim, &share, err));
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                if (!loop->counts[i]) {
                        ps_dvm_record_body(sim, p, copies, 0);
                        continue;
                }
                if (sim->ratio || loop->counts[i] != count) /* mostly all have the same */
                        own = ps_dvm_part(ps_dvm_scale(sim, p, sim->call->call_time), loop->counts[i],
                                          loop->iterations);
                count = loop->counts[i];
                ps_dvm_record_body(sim, p, copies, own);
                ps_dvm_add_body(&share[p], own, copies);
                sim->clock[p] = ps_time_add(sim->clock[p], own);
        }
        return PS_OK;
}

static ps_status step_loop(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_call *call = sim->call;
        struct ps_dvm_loop_state *loop = &sim->loops[call->object];
        bool was_in_body = loop->in_body;
        loop->in_body = call->value == 1;
        if (!loop->layout)
                ps_dvm_remark(sim, PS_DVM_NOTE_UNMAPPED);
        if (was_in_body && loop->layout && loop->iterations > 0 && call->call_time > 0)
                PS_TRY(share_body(sim, loop, err));
        else
                PS_TRY(ps_dvm_charge(sim, call->call_time, 0, err));
        return ps_dvm_charge(sim, 0, call->ret_time, err);
}

/* -- input and output, intervals -- */

/* The first processor of the system does it. */
static ps_status do_io(struct ps_dvm_sim *sim, ps_error *err)
{
        uint32_t p = sim->current->processor[0];
        ps_time time = ps_dvm_scale(sim, p, sim->call->ret_time);
        ps_share *share;
        PS_TRY(ps_dvm_charge(sim, sim->call->call_time, 0, err));
        PS_TRY(ps_dvm_settle(sim, err));
        PS_TRY(ps_dvm_shares(sim, &share, err));
        ps_dvm_record_io(sim, p, time);
        share[p].io = ps_time_add(share[p].io, time);
        sim->clock[p] = ps_time_add(sim->clock[p], time);
        sim->run->intervals->row[sim->interval].operations[PS_IC_IO]++;
        return PS_OK;
}

/* The time in crtpl_ and in endpl_ is the loop's, what was before that of who called it. */
static ps_status begin_loop(struct ps_dvm_sim *sim, ps_error *err)
{
        ps_intervals *tree = sim->run->intervals;
        const ps_dvm_call *call = sim->call;
        ps_interval_key key = {.type = PS_INTERVAL_PARALLEL,
                               .file = ps_strings_addz(tree->strings, ps_dvm_str(sim->dvm, call->file)),
                               .line = call->line > 0 && call->line < UINT32_MAX ? (uint32_t)call->line : 0};
        PS_TRY(ps_dvm_settle(sim, err));
        if (key.file == PS_NONE)
                return PS_NOMEM(err, "names of intervals", tree->n);
        PS_TRY(ps_intervals_enter(tree, sim->interval, &key, &sim->interval, err));
        tree->row[sim->interval].is_part = true;
        sim->open_loop = call->object;
        ps_dvm_record_interval(sim, sim->interval, 1);
        return PS_OK;
}

static ps_status end_loop(struct ps_dvm_sim *sim, ps_error *err)
{
        ps_status status = ps_dvm_settle(sim, err);
        ps_dvm_record_interval(sim, sim->interval, 0);
        sim->interval = sim->run->intervals->row[sim->interval].parent;
        sim->open_loop = PS_NONE;
        return status;
}

static ps_status change_interval(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_call *call = sim->call;
        const ps_dvm_interval *interval = &sim->dvm->intervals.row[call->object];
        int begins = call->function == PS_DVM_BINTER || call->function == PS_DVM_BPLOOP ||
                     call->function == PS_DVM_BSLOOP;
        PS_TRY(ps_dvm_charge(sim, call->call_time, call->ret_time, err));
        PS_TRY(ps_dvm_settle(sim, err));
        if (sim->open_loop != PS_NONE)
                PS_TRY(end_loop(sim, err));
        ps_dvm_record_interval(sim, call->object, begins);
        sim->interval = begins ? call->object : interval->parent;
        return PS_OK;
}

/* The tree is the program's, row by row. */
static ps_status make_intervals(struct ps_dvm_sim *sim, ps_error *err)
{
        static const ps_interval_type types[] = {[PS_DVM_I_MAIN] = PS_INTERVAL_MAIN,
                                                 [PS_DVM_I_USER] = PS_INTERVAL_USER,
                                                 [PS_DVM_I_PAR] = PS_INTERVAL_PARALLEL,
                                                 [PS_DVM_I_SEQ] = PS_INTERVAL_SEQUENTIAL};
        const unsigned known =
                PS_KNOWS_SYSTEM | PS_KNOWS_IO | PS_KNOWS_INSUFFICIENT | PS_KNOWS_VARIATION | PS_KNOWS_OVERLAP;
        const unsigned classes = 1u << PS_IC_IO | 1u << PS_IC_REDUCTION | 1u << PS_IC_SHADOW |
                                 1u << PS_IC_REMOTE_ACCESS | 1u << PS_IC_REDISTRIBUTION;
        ps_intervals **tree = &sim->run->intervals;
        PS_TRY(ps_intervals_new(tree, sim->n_processors, known, classes, err));
        for (uint32_t i = 0; i < sim->dvm->intervals.n; i++) {
                const ps_dvm_interval *row = &sim->dvm->intervals.row[i];
                ps_interval_key key = {
                        .type = types[row->type],
                        .file = ps_strings_addz((*tree)->strings, ps_dvm_str(sim->dvm, row->file)),
                        .line = row->line > 0 && row->line < UINT32_MAX ? (uint32_t)row->line : 0,
                        .index = row->expr,
                        .has_index = row->expr != PS_DVM_NO_EXPR};
                uint32_t id = 0;
                if (!i)
                        (*tree)->row[0].key = key;
                else
                        PS_TRY(ps_intervals_enter(*tree, row->parent, &key, &id, err));
                (*tree)->row[id].count = row->count;
                if (id != i)
                        return PS_FAIL(err, PS_E_INTERNAL, "intervals of one kind twice: interval=%" PRIu32,
                                       i);
        }
        return PS_OK;
}

/* -- calls -- */

/* What a call does besides taking time; the rest only takes time. */
static ps_dvm_handler *const handlers[PS_DVM_COUNT] = {
        [PS_DVM_CRTPS] = ps_dvm_make_ps,         [PS_DVM_PSVIEW] = ps_dvm_make_ps,
        [PS_DVM_MAPAM] = ps_dvm_map_am,          [PS_DVM_RUNAM] = ps_dvm_run_am,
        [PS_DVM_STOPAM] = ps_dvm_stop_am,        [PS_DVM_SETELW] = ps_dvm_set_weights,
        [PS_DVM_BLKDIV] = ps_dvm_set_blocks,     [PS_DVM_DISTR] = ps_dvm_distribute,
        [PS_DVM_REDIS] = ps_dvm_redistribute,    [PS_DVM_ALIGN] = ps_dvm_align_array,
        [PS_DVM_REALN] = ps_dvm_realign,         [PS_DVM_ARRCPY] = ps_dvm_copy_array,
        [PS_DVM_AARRCP] = ps_dvm_copy_start,     [PS_DVM_WAITCP] = ps_dvm_copy_wait,
        [PS_DVM_MAPPL] = ps_dvm_map_loop,        [PS_DVM_ENDPL] = ps_dvm_loop_end,
        [PS_DVM_EXFRST] = ps_dvm_edge_first,     [PS_DVM_IMLAST] = ps_dvm_edge_last,
        [PS_DVM_INSRED] = ps_dvm_reduction_add,  [PS_DVM_STRTRD] = ps_dvm_reduction_start,
        [PS_DVM_WAITRD] = ps_dvm_reduction_wait, [PS_DVM_INSSH] = ps_dvm_shadow_add,
        [PS_DVM_INSSHD] = ps_dvm_shadow_add,     [PS_DVM_INCSH] = ps_dvm_shadow_add,
        [PS_DVM_INCSHD] = ps_dvm_shadow_add,     [PS_DVM_STRTSH] = ps_dvm_shadow_start,
        [PS_DVM_WAITSH] = ps_dvm_shadow_wait,    [PS_DVM_LOADRB] = ps_dvm_buffer_load,
        [PS_DVM_WAITRB] = ps_dvm_buffer_wait,    [PS_DVM_ACROSS] = ps_dvm_across_begin,
        [PS_DVM_RECVSH] = ps_dvm_wave_receive,   [PS_DVM_SENDSH] = ps_dvm_wave_send,
};

static ps_status begin_or_end(struct ps_dvm_sim *sim, int begins, ps_error *err)
{
        ps_status status = ps_dvm_settle(sim, err);
        ps_dvm_record_call(sim, begins);
        return status;
}

/* Edges that a loop needs last are waited for at its end. */
static bool waits_at_end(const struct ps_dvm_sim *sim)
{
        return sim->call->function == PS_DVM_ENDPL && sim->loops[sim->call->object].edge != PS_NONE;
}

static ps_status simulate_call(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_call *call = sim->call;
        ps_dvm_handler *handler = call->cls == PS_DVM_C_ORDINARY ? NULL : handlers[call->function];
        if (call->cls == PS_DVM_C_IO)
                return do_io(sim, err);
        if (call->cls == PS_DVM_C_INTERVAL)
                return change_interval(sim, err);
        if (call->function == PS_DVM_DOPL && call->cls == PS_DVM_C_LOOP)
                return step_loop(sim, err);
        if (call->function == PS_DVM_CRTPL && call->cls == PS_DVM_C_LOOP && sim->loops_are_intervals &&
            sim->open_loop == PS_NONE) {
                PS_TRY(ps_dvm_charge(sim, call->call_time, 0, err));
                PS_TRY(begin_loop(sim, err));
                return ps_dvm_charge(sim, 0, call->ret_time, err);
        }
        if (!handler)
                return ps_dvm_charge(sim, call->call_time, call->ret_time, err);
        bool is_seen = sim->recorder && (call->cls == PS_DVM_C_COLLECTIVE || call->function == PS_DVM_REDIS ||
                                         call->function == PS_DVM_REALN || waits_at_end(sim));
        bool ends_loop = call->function == PS_DVM_ENDPL && call->object == sim->open_loop;
        ps_status status = ps_dvm_charge(sim, call->call_time, 0, err);
        if (is_seen && status == PS_OK)
                status = begin_or_end(sim, 1, err);
        PS_THEN(status, handler(sim, err));
        PS_THEN(status, ps_dvm_charge(sim, 0, call->ret_time, err));
        if (is_seen && status == PS_OK)
                status = begin_or_end(sim, 0, err);
        return ends_loop && status == PS_OK ? end_loop(sim, err) : status;
}

static ps_status simulate_calls(struct ps_dvm_sim *sim, ps_error *err)
{
        for (uint32_t i = 0; i < sim->dvm->calls.n; i++) {
                sim->call = &sim->dvm->calls.row[i];
                if (!sim->call->depth)
                        PS_TRY(simulate_call(sim, err));
        }
        PS_TRY(ps_dvm_settle(sim, err));
        for (uint32_t p = 0; p < sim->n_processors; p++)
                sim->run->duration = sim->clock[p] > sim->run->duration ? sim->clock[p] : sim->run->duration;
        if (sim->run->duration > PS_READER_TIME_LIMIT)
                return PS_FAIL(err, PS_E_USAGE, "the simulated run takes too long: limit_days=13");
        return PS_OK;
}

/* -- the whole -- */

static ps_status choose_grid(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_machine *machine = sim->machine;
        ps_grid *grid = &sim->run->grid;
        *grid = sim->options->grid;
        if (!grid->rank && machine->grid_rank) {
                grid->rank = machine->grid_rank;
                memcpy(grid->size, machine->grid, sizeof(grid->size));
        }
        if (!grid->rank)
                *grid = (ps_grid){1, {1}};
        uint64_t n = 1;
        for (uint32_t v = 0; v < grid->rank && n <= PS_MACHINE_RANKS_MAX; v++)
                n *= grid->size[v];
        if (!n || n > PS_MACHINE_RANKS_MAX)
                return PS_FAIL(err, PS_E_USAGE,
                               "no grid has so many processors: processors=%" PRIu64 ", least=1, most=%d", n,
                               PS_MACHINE_RANKS_MAX);
        uint32_t made_for = ps_machine_ranks(machine);
        if (made_for && n > made_for)
                return PS_FAIL(err, PS_E_USAGE,
                               "the machine has too few processors: processors=%" PRIu32 ", grid=%" PRIu64,
                               made_for, n);
        if (sim->options->record && n * sim->dvm->calls.n > RECORDED_CALLS_MAX)
                return PS_FAIL(err, PS_E_USAGE,
                               "the run would have too many calls to be kept: processors=%" PRIu64
                               ", calls_of_each=%" PRIu32 ", most=%d",
                               n, sim->dvm->calls.n, RECORDED_CALLS_MAX);
        sim->n_processors = (uint32_t)n;
        return PS_OK;
}

static ps_status prepare_run(struct ps_dvm_sim *sim, double **ratios, ps_error *err)
{
        PS_TRY(choose_grid(sim, err));
        sim->open_loop = PS_NONE;
        sim->loops_are_intervals = sim->options->loops == PS_DVM_ALL_LOOPS ||
                                   (sim->options->loops == PS_DVM_LOOPS_ALONE && sim->dvm->intervals.n == 1);
        sim->clock = calloc(sim->n_processors, sizeof(*sim->clock));
        *ratios = calloc(sim->n_processors, sizeof(**ratios));
        if (!sim->clock || !*ratios)
                return PS_NOMEM(err, "processors", sim->n_processors);
        sim->ratio_of_all = ps_machine_cpu_ratio(sim->machine, 0);
        for (uint32_t p = 0; p < sim->n_processors; p++) {
                (*ratios)[p] = ps_machine_cpu_ratio(sim->machine, p);
                if ((*ratios)[p] != sim->ratio_of_all)
                        sim->ratio = *ratios;
        }
        PS_TRY(make_intervals(sim, err));
        PS_TRY(ps_dvm_objects_init(sim, err));
        return sim->options->record ? ps_dvm_record_begin(sim, err) : PS_OK;
}

ps_status ps_dvm_simulate(ps_dvm_run *out, const ps_dvm *dvm, const ps_machine *machine,
                          const ps_dvm_options *options, ps_error *err)
{
        double *ratios = NULL;
        struct ps_dvm_sim sim = {.dvm = dvm, .machine = machine, .run = out, .options = options};
        *out = (ps_dvm_run){0};
        ps_status status = prepare_run(&sim, &ratios, err);
        PS_THEN(status, simulate_calls(&sim, err));
        PS_THEN(status, ps_intervals_finish(out->intervals, err));
        if (status == PS_OK && options->record)
                status = ps_dvm_record_end(&sim, err);
        ps_dvm_record_free(&sim);
        ps_dvm_objects_free(&sim);
        free(sim.clock);
        free(ratios);
        if (status != PS_OK)
                ps_dvm_run_clear(out);
        return status;
}

void ps_dvm_run_clear(ps_dvm_run *run)
{
        ps_intervals_free(run->intervals);
        ps_recording_free(run->recording);
        run->intervals = NULL;
        run->recording = NULL;
}
