/* state.h - a DVM simulation under way; private to this folder. * Most calls do the same on every processor
 * of the current system. Such time is only added to `ahead` and `common`, and given to the processors
 * (ps_dvm_settle) before anything looks at a single one of them. */
#ifndef PS_SIMULATOR_DVM_STATE_H
#define PS_SIMULATOR_DVM_STATE_H

#include "core/base/map.h"
#include "simulator/dvm/dvm.h"
#include "simulator/dvm/moves.h"

/* An operation that was started and goes on. */
struct ps_dvm_pending {
        bool is_open;
        ps_time start, end;     /* the same for all processors, or */
        ps_time *starts, *ends; /* [processor of the grid]; NULL: the same */
        /* Of the trace: requests, and the transfers that they are for, sorted by source. */
        uint64_t request, bytes;
        ps_transfer *transfers;
        size_t n_transfers;
};

struct ps_dvm_shadow_list {
        const ps_dvm_shadow **row;
        uint32_t n, cap;
};

struct ps_dvm_group_state {
        struct ps_dvm_pending pending;
        struct ps_dvm_shadow_list shadows; /* of a shadow group */
        int64_t bytes;                     /* of a reduction group */
        ps_dvm_target target;              /* of a reduction group: that of its last member */
};

struct ps_dvm_array_state {
        ps_dvm_alignment alignment;
        ps_dvm_layout *layout; /* NULL: not aligned yet */
};

/* Edges of a shadow group go from processor to processor while a loop runs. */
struct ps_dvm_wave {
        bool is_on, writes;
        uint32_t group;
        double stages; /* as in ps_dvm_across */
};

struct ps_dvm_loop_state {
        ps_dvm_layout *layout; /* NULL: not mapped */
        ps_dvm_lattice lattice;
        int64_t iterations;
        int64_t *counts; /* [place in the system] */
        uint32_t edge;   /* the shadow group that endpl_ waits for, or PS_NONE */
        struct ps_dvm_wave wave;
        bool in_body; /* the program is between a dopl_ that said 1 and the next one */
};

struct ps_dvm_view_state {
        ps_dvm_spread spread;
        int64_t *bounds;
        const int64_t *divisor; /* [n_divisors] MULT_BLOCK; NULL: none */
        uint32_t n_divisors;
        const ps_dvm_weights *weights;
};

struct ps_dvm_sim {
        const ps_dvm *dvm;
        const ps_machine *machine;
        ps_dvm_run *run;
        const ps_dvm_options *options;
        const ps_dvm_call *call;
        uint32_t n_processors;
        ps_dvm_system *root;
        ps_dvm_system **systems;     /* by processor system of the trace; NULL: not made yet */
        const ps_dvm_system **of_am; /* by abstract machine; NULL: the root */
        const ps_dvm_system **stack; /* of runam_ */
        uint32_t n_stack, cap_stack;
        const ps_dvm_system *current;
        struct ps_dvm_view_state *views;
        struct ps_dvm_array_state *arrays;
        struct ps_dvm_loop_state *loops;
        struct ps_dvm_group_state *reductions, *shadows; /* groups */
        struct ps_dvm_pending *buffers;
        struct ps_dvm_pending *copies; /* asynchronous ones, in the order of their starts */
        uint32_t n_copies, cap_copies;
        ps_map copy_of;                /* by the address of what a copy was given: its place in copies */
        const ps_dvm_weights *weights; /* of setelw_ without a template */
        uint32_t loop;                 /* that was mapped last and has not ended, or PS_NONE */
        struct ps_dvm_wave wave;       /* between recvsh_ and sendsh_ */
        uint32_t interval;             /* row of run->intervals */
        bool loops_are_intervals;
        uint32_t open_loop;  /* that is the interval; PS_NONE: none is */
        ps_time *clock;      /* [processor] */
        const double *ratio; /* [processor], or NULL: all have ratio_of_all */
        double ratio_of_all;
        ps_time ahead;
        ps_share common;
        ps_dvm_moves moves;
        struct ps_dvm_recorder *recorder; /* NULL: no trace is wanted */
};

/* Error texts name the call. */
#define PS_DVM_FAIL(sim, err, status, ...) ps_dvm_blame((sim), PS_FAIL((err), (status), __VA_ARGS__), (err))
ps_status ps_dvm_blame(const struct ps_dvm_sim *sim, ps_status status, ps_error *err);
void ps_dvm_remark(struct ps_dvm_sim *sim, ps_dvm_note note);

/* -- places (objects.c) -- */

ps_status ps_dvm_objects_init(struct ps_dvm_sim *sim, ps_error *err);
void ps_dvm_objects_free(struct ps_dvm_sim *sim);
typedef ps_status ps_dvm_handler(struct ps_dvm_sim *sim, ps_error *err);
ps_dvm_handler ps_dvm_make_ps, ps_dvm_map_am, ps_dvm_run_am, ps_dvm_stop_am, ps_dvm_set_weights,
        ps_dvm_set_blocks, ps_dvm_distribute, ps_dvm_align_array, ps_dvm_map_loop;
/* PS_NONE: the current one. */
const ps_dvm_system *ps_dvm_system_at(const struct ps_dvm_sim *sim, uint32_t ps);
/* A template that was never distributed has a copy everywhere (templates.c). */
ps_status ps_dvm_need_spread(struct ps_dvm_sim *sim, uint32_t view, ps_error *err);
/* The layout of a part of an array. */
ps_status ps_dvm_section_layout(struct ps_dvm_sim *sim, ps_dvm_layout **out, uint32_t array,
                                const ps_dvm_lattice *lattice, ps_error *err);
/* first = -1 is the whole dimension where `size` is given. */
void ps_dvm_lattice_from(ps_dvm_lattice *out, uint32_t rank, const int64_t *first, const int64_t *last,
                         const int64_t *step, const int64_t *size);
/* The array lies as the call says, or as its template was cut anew; *old is the caller's to free. */
ps_status ps_dvm_place_array(struct ps_dvm_sim *sim, ps_dvm_layout **old, ps_error *err);
ps_status ps_dvm_replace_array(struct ps_dvm_sim *sim, uint32_t id, ps_dvm_layout **old, ps_error *err);

/* -- operations (operations.c, copies.c) -- */

/* The time of the transfers that were gathered in sim->moves; `done` as in ps_exchange_time. */
ps_status ps_dvm_cost_of_moves(struct ps_dvm_sim *sim, ps_time *cost, ps_time *done, ps_error *err);
void ps_dvm_count_operation(struct ps_dvm_sim *sim, ps_interval_class cls);
/* Everybody meets, then everybody is busy for as long as the gathered transfers take. */
ps_status ps_dvm_exchange_together(struct ps_dvm_sim *sim, ps_interval_class cls, ps_error *err);
ps_dvm_handler ps_dvm_redistribute, ps_dvm_realign, ps_dvm_copy_array, ps_dvm_copy_start, ps_dvm_copy_wait,
        ps_dvm_reduction_add, ps_dvm_reduction_start, ps_dvm_reduction_wait, ps_dvm_shadow_add,
        ps_dvm_shadow_start, ps_dvm_shadow_wait, ps_dvm_edge_first, ps_dvm_edge_last, ps_dvm_loop_end,
        ps_dvm_buffer_load, ps_dvm_buffer_wait;
/* sim->moves: who has to send what to whom for the edges of the group. */
ps_status ps_dvm_gather_shadows(struct ps_dvm_sim *sim, uint32_t group, ps_error *err);
/* Started and awaited at once; started and through without any transfer. */
ps_status ps_dvm_shadow_exchange(struct ps_dvm_sim *sim, uint32_t group, ps_error *err);
ps_status ps_dvm_shadow_nothing(struct ps_dvm_sim *sim, uint32_t group, ps_error *err);

/* -- waves (across.c) -- */

ps_dvm_handler ps_dvm_across_begin, ps_dvm_wave_receive, ps_dvm_wave_send;
/* The body of a loop with a wave, or within a recvsh_ and its sendsh_. *was_run is 0, and nothing was done,
 * when nobody has to wait for anybody. The clocks must be settled. */
ps_status ps_dvm_run_wave(struct ps_dvm_sim *sim, const struct ps_dvm_loop_state *loop, bool *was_run,
                          ps_error *err);

#endif
