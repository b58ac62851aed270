/* check.c - see check.h. Whoever asks a trace indexes without looking again, and adds up times, so all that
 * is an index is looked at here, and that times are such as a run has; sums are believed. */
#include "core/cache/check.h"

#include "core/base/parallel.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "core/model/stack_places.h"

#define EXPECT(what, condition)                                                                              \
        do {                                                                                                 \
                if (!(condition))                                                                            \
                        return (what);                                                                       \
        } while (0)

static bool is_below(uint32_t index, uint32_t n)
{
        return index < n || index == PS_NONE;
}

static bool are_below(const uint32_t *index, uint32_t count, uint32_t n)
{
        bool all = true;
        for (uint32_t i = 0; i < count; i++)
                all &= is_below(index[i], n);
        return all;
}

static bool is_time(ps_time time)
{
        return time >= -PS_READER_TIME_LIMIT * 2 && time <= PS_READER_TIME_LIMIT * 2;
}

static bool is_operation(const ps_trace *trace, ps_ref ref)
{
        return ref.loc < trace->n_locs && ref.op < trace->ops[ref.loc].n;
}

/* -- definitions: each gives what is wrong, or NULL -- */

static const char *check_regions(const ps_defs *defs)
{
        for (ps_region r = 0; r < defs->regions.n; r++) {
                const ps_region_def *region = &defs->regions.row[r];
                EXPECT("kind of a region", region->kind < PS_K_COUNT || region->kind == PS_K_NONE);
                EXPECT("paradigm", region->paradigm <= PS_PARADIGM_OTHER);
                EXPECT("role", region->role <= PS_ROLE_RMA);
                EXPECT("purpose", region->dvm.purpose < PS_N_PURPOSES && region->dvm.mark < PS_N_MARKS);
        }
        for (uint32_t c = 0; c < defs->contexts.n; c++) {
                const ps_context_def *context = &defs->contexts.row[c];
                EXPECT("caller of a context", context->parent == PS_NONE || context->parent < c);
                EXPECT("region of a context", is_below(context->region, defs->regions.n));
        }
        return NULL;
}

static const char *check_places(const ps_defs *defs)
{
        uint32_t n_cpu = 0;
        for (ps_loc l = 0; l < defs->locations.n; l++) {
                const ps_location_def *location = &defs->locations.row[l];
                EXPECT("process of a location", location->process < defs->processes.n);
                EXPECT("type of a location", location->type <= PS_LOCATION_ACCELERATOR);
                n_cpu += location->type == PS_LOCATION_CPU;
        }
        for (ps_proc p = 0; p < defs->processes.n; p++) {
                const ps_process_def *process = &defs->processes.row[p];
                EXPECT("locations of a process",
                       process->n_locs <= n_cpu && process->first <= n_cpu - process->n_locs);
                EXPECT("end of a process", process->end <= PS_END_ABORT);
                EXPECT("process that is waited for", process->awaits <= defs->processes.n);
        }
        for (uint32_t i = 0; i < n_cpu; i++)
                EXPECT("location of a process", defs->by_process[i] < defs->locations.n);
        return NULL;
}

static bool are_neighbours(const ps_defs *defs, const ps_comm_def *comm)
{
        for (uint32_t i = 0; comm->near && i < comm->n_near; i++) {
                uint32_t list = comm->near[i].list, n = defs->near_lists.n;
                if (list >= n || defs->near_lists.row[list] > n - list - 1)
                        return false;
        }
        return !comm->n_near || (comm->near && !comm->team);
}

static const char *check_comms(const ps_defs *defs)
{
        for (ps_comm c = 0; c < defs->comms.n; c++) {
                const ps_comm_def *comm = &defs->comms.row[c];
                uint32_t n = comm->team ? defs->locations.n : defs->processes.n;
                EXPECT("member of a communicator", are_below(comm->members, comm->n_members, n));
                EXPECT("member of a communicator", are_below(comm->members_b, comm->n_members_b, n));
                EXPECT("parent of a communicator", is_below(comm->parent, defs->comms.n));
                EXPECT("neighbours in a communicator", are_neighbours(defs, comm));
        }
        for (uint32_t g = 0; g < defs->groups.n; g++)
                EXPECT("member of a group", are_below(defs->groups.row[g].members,
                                                      defs->groups.row[g].n_members, defs->processes.n));
        for (uint32_t w = 0; w < defs->windows.n; w++)
                EXPECT("communicator of a window", is_below(defs->windows.row[w].comm, defs->comms.n));
        EXPECT("communicator of all threads", is_below(defs->pgas_comm, defs->comms.n));
        EXPECT("flags of UPC", defs->upc_flags <= PS_UPC_FLAGS_MTU);
        return NULL;
}

/* -- tables of the run -- */

static const char *check_paths(const ps_trace *trace)
{
        EXPECT("root of the call tree", trace->n_paths > 0 && trace->paths[0].region == PS_NONE);
        for (ps_path p = 1; p < trace->n_paths; p++) {
                EXPECT("parent of a call path", trace->paths[p].parent < p);
                EXPECT("region of a call path", is_below(trace->paths[p].region, trace->defs.regions.n));
        }
        return NULL;
}

static const char *check_collectives(const ps_trace *trace)
{
        for (uint32_t c = 0; c < trace->n_colls; c++) {
                const ps_coll *coll = &trace->colls[c];
                EXPECT("kind of a collective",
                       coll->kind < PS_K_COUNT && ps_kinds[coll->kind].cls == PS_C_COLL);
                EXPECT("communicator of a collective", coll->comm < trace->defs.comms.n);
                EXPECT("members of a collective",
                       coll->n <= trace->n_members && coll->first <= trace->n_members - coll->n);
                EXPECT("root of a collective", coll->root == PS_NONE || (coll->root >= coll->first &&
                                                                         coll->root - coll->first < coll->n));
        }
        for (uint32_t m = 0; m < trace->n_members; m++)
                EXPECT("member of a collective",
                       is_operation(trace, trace->members[m].ref) && trace->members[m].coll < trace->n_colls);
        return NULL;
}

static const char *check_focus(const ps_trace *trace, const ps_focus *focus)
{
        EXPECT("kind of focus", focus->how < PS_FOCUS_HOWS);
        EXPECT("region of the focus", focus->how != PS_FOCUS_REGION || focus->region);
        EXPECT("moments of the focus",
               focus->moments || focus->how == PS_FOCUS_PROGRAM || focus->how == PS_FOCUS_WHOLE_RUN);
        for (uint32_t i = 0; i < focus->n_spans; i++) {
                const ps_span *span = &focus->span[i];
                EXPECT("span of the focus", is_time(span->begin) && is_time(span->end) &&
                                                    span->begin <= span->end &&
                                                    (!i || focus->span[i - 1].end <= span->begin));
        }
        for (size_t i = 0; focus->moments && i < 2 * (size_t)focus->n_spans; i++)
                EXPECT("moment of the focus",
                       focus->moments[i].after.op == PS_NONE || is_operation(trace, focus->moments[i].after));
        return NULL;
}

static const char *check_tables(const ps_trace *trace)
{
        const char *wrong = check_regions(&trace->defs);
        wrong = wrong ? wrong : check_places(&trace->defs);
        wrong = wrong ? wrong : check_comms(&trace->defs);
        wrong = wrong ? wrong : check_paths(trace);
        wrong = wrong ? wrong : check_collectives(trace);
        if (!wrong && trace->measured.focus)
                wrong = check_focus(trace, trace->measured.focus);
        for (uint32_t i = 0; !wrong && i < trace->n_foreign; i++)
                if (!is_operation(trace, trace->foreign[i].start) ||
                    !is_operation(trace, trace->foreign[i].done))
                        wrong = "operation that another thread completed";
        for (int i = 0; !wrong && i < PS_I_COUNT; i++)
                if (!is_below(trace->issues.row[i].location, trace->n_locs))
                        wrong = "location of a defect";
        if (!wrong &&
            (trace->clock.trust > PS_CLOCK_UNKNOWN || !is_time(trace->measured.duration) || !trace->format))
                wrong = "clock";
        return wrong;
}

/* -- operations -- */

static const char *check_partner(const ps_trace *trace, ps_ref ref, bool is_send)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        const ps_ref other = {ps_op_peer(ops, ref.op), ops->link[ref.op]};
        EXPECT("partner", is_operation(trace, other));
        const ps_ops *theirs = &trace->ops[other.loc];
        uint8_t kind = theirs->kind[other.op];
        EXPECT("partner's partner", ps_op_peer(theirs, other.op) == ref.loc &&
                                            theirs->link[other.op] == ref.op &&
                                            theirs->flags[other.op] & PS_OP_MATCHED);
        EXPECT("partner's kind",
               kind < PS_K_COUNT && ps_kinds[kind].cls == (is_send ? PS_C_RECV : PS_C_SEND));
        return NULL;
}

static const char *check_collective(const ps_trace *trace, ps_ref ref, bool has_window)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        const ps_defs *defs = &trace->defs;
        uint32_t comm = ps_op_comm(ops, ref.op), root = ps_op_peer(ops, ref.op), link = ops->link[ref.op];
        bool is_team = !has_window && comm < defs->comms.n && defs->comms.row[comm].team;
        EXPECT("root", is_below(root, is_team ? trace->n_locs : defs->processes.n));
        if (!(ops->flags[ref.op] & PS_OP_MATCHED))
                return NULL;
        EXPECT("membership", link < trace->n_members && trace->members[link].ref.loc == ref.loc &&
                                     trace->members[link].ref.op == ref.op);
        return NULL;
}

static const char *check_completed(const ps_ops *ops, ps_op op)
{
        uint32_t n = ps_op_tag(ops, op), first = ops->link[op];
        uint32_t most = ops->flags[op] & PS_OP_IN_A_ROW ? ops->n : ops->n_completed;
        EXPECT("completed operations", !n || (n <= most && first <= most - n));
        return NULL;
}

static const char *check_by_class(const ps_trace *trace, ps_ref ref, const ps_kind_info *kind)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        bool is_matched = ops->flags[ref.op] & PS_OP_MATCHED;
        if (kind->cls == PS_C_SEND || kind->cls == PS_C_RECV)
                return is_matched ? check_partner(trace, ref, kind->cls == PS_C_SEND) : NULL;
        if (kind->cls == PS_C_COLL)
                return check_collective(trace, ref, kind->traits & PS_T_RMA);
        EXPECT("match of what has no partner", !is_matched);
        if (kind->cls == PS_C_COMPLETE)
                return check_completed(ops, ref.op);
        EXPECT("peer", kind->cls == PS_C_TASK || is_below(ps_op_peer(ops, ref.op), trace->n_locs));
        EXPECT("peer of a call",
               kind->cls != PS_C_RMA || is_below(ops->calls[ops->call[ref.op]].peer, trace->n_locs));
        EXPECT("group", kind->cls != PS_C_RMA_SYNC || ops->link[ref.op] != PS_NONE ||
                                is_below(ps_op_tag(ops, ref.op), trace->defs.groups.n));
        return NULL;
}

/* Mostly behind it. A transfer may be over in its own call; and what is known by its end alone has a row
 * behind the call that completes it. */
static bool is_completion(const ps_ops *ops, ps_op op, ps_op done)
{
        if (done > op)
                return done < ops->n;
        ps_class cls = ps_kinds[ops->kind[done]].cls;
        return done == op ? cls == PS_C_RMA : cls == PS_C_COMPLETE && ops->done[done] == PS_NONE;
}

static const char *check_operation(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        ps_op op = ref.op, done = ops->done[op];
        ps_time enter = trace->measured.enter[ref.loc][op], leave = trace->measured.leave[ref.loc][op];
        EXPECT("kind", ops->kind[op] < PS_K_COUNT);
        const ps_kind_info *kind = &ps_kinds[ops->kind[op]];
        bool has_window = kind->traits & PS_T_RMA || kind->cls == PS_C_RMA || kind->cls == PS_C_RMA_SYNC;
        EXPECT("call path", ps_op_path(ops, op) < trace->n_paths);
        EXPECT("communicator",
               kind->cls == PS_C_COMPLETE || is_below(ps_op_comm(ops, op), has_window ? trace->defs.windows.n
                                                                                      : trace->defs.comms.n));
        EXPECT("part of a call", op || !(ops->flags[op] & PS_OP_PART));
        EXPECT("completion", done == PS_NONE || is_completion(ops, op, done));
        EXPECT("times", is_time(enter) && is_time(leave) && enter <= leave &&
                                (!op || trace->measured.enter[ref.loc][op - 1] <= enter));
        return check_by_class(trace, ref, kind);
}

/* -- the rest of a location -- */

static bool are_uses(const ps_path_use *uses, uint32_t n, uint32_t n_paths)
{
        ps_time all = 0;
        for (uint32_t i = 0; i < n; i++) {
                if (uses[i].path >= n_paths || (i && uses[i - 1].path >= uses[i].path) ||
                    !is_time(uses[i].inclusive) || !is_time(uses[i].exclusive))
                        return false;
                all += uses[i].exclusive;
                if (!is_time(all))
                        return false;
        }
        return true;
}

static const char *check_info(const ps_trace *trace, ps_loc loc)
{
        const ps_location_info *info = &trace->info[loc];
        const ps_focus *focus = trace->measured.focus;
        EXPECT("use of a call path", are_uses(info->uses, info->n_uses, trace->n_paths));
        EXPECT("use of a call path in the focus",
               !focus || !focus->part ||
                       are_uses(focus->part[loc].uses, focus->part[loc].n_uses, trace->n_paths));
        EXPECT("limits of a location", !info->n_events || (is_time(info->first) && is_time(info->last)));
        EXPECT("time without a recorder", is_time(info->off));
        for (uint32_t i = 0; i < info->n_idle; i++)
                EXPECT("waiting", is_below(info->idle[i].after, trace->ops[loc].n) &&
                                          is_time(info->idle[i].begin) && is_time(info->idle[i].end) &&
                                          (!info->idle[i].inside || info->idle[i].after != PS_NONE));
        return NULL;
}

static const char *check_pieces(const ps_trace *trace, ps_loc loc)
{
        const ps_pieces *pieces = trace->pieces ? &trace->pieces[loc] : NULL;
        uint32_t before = 0;
        ps_time left = 2 * PS_READER_TIME_LIMIT; /* sums of them are no longer than a run may be */
        for (ps_op gap = 0; pieces && pieces->end && gap <= trace->ops[loc].n; gap++) {
                EXPECT("pieces between operations", pieces->end[gap] >= before);
                before = pieces->end[gap];
        }
        EXPECT("pieces", !pieces || (pieces->end && before == pieces->n));
        for (uint32_t i = 0; pieces && i < pieces->n; i++) {
                ps_time time = pieces->piece[i].time;
                EXPECT("call path of a piece", is_below(pieces->piece[i].path, trace->n_paths));
                EXPECT("time of a piece", time >= 0 && time <= left);
                left -= time;
        }
        return NULL;
}

static const char *check_stacks(const ps_trace *trace, ps_loc loc)
{
        const ps_stack_places *at = trace->stack_places ? &trace->stack_places[loc] : NULL;
        for (uint32_t i = 0; at && i < at->places.n; i++) {
                const ps_stack_place *place = &at->places.row[i];
                EXPECT("call stack",
                       place->n_open <= at->open.n && place->first <= at->open.n - place->n_open);
        }
        for (uint32_t i = 0; at && i < at->open.n; i++)
                EXPECT("function of a call stack", is_below(at->open.row[i].region, trace->defs.regions.n));
        return NULL;
}

static const char *check_location(const ps_trace *trace, ps_loc loc)
{
        const ps_ops *ops = &trace->ops[loc];
        for (ps_op op = 0; op < ops->n; op++) {
                const char *wrong = check_operation(trace, (ps_ref){loc, op});
                if (wrong)
                        return wrong;
        }
        for (uint32_t i = 0; i < ops->n_completed; i++)
                EXPECT("completed operation", ops->completed[i] < ops->n);
        for (uint32_t i = 0; i < ops->n_wide; i++)
                EXPECT("distance", ops->wide[i].op < ops->n && is_time(ops->wide[i].distance) &&
                                           (!i || ops->wide[i - 1].op <= ops->wide[i].op));
        const char *wrong = check_info(trace, loc);
        wrong = wrong ? wrong : check_pieces(trace, loc);
        return wrong ? wrong : check_stacks(trace, loc);
}

struct checked {
        const ps_trace *trace;
};

/* Before all else: others ask for what a row's call says. */
static ps_status check_calls(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct checked *checked = ctx;
        const ps_ops *ops = &checked->trace->ops[loc];
        bool all = true;
        (void)worker;
        for (ps_op op = 0; op < ops->n; op++)
                all &= ops->call[op] < ops->n_calls;
        for (uint32_t i = 0; i < ops->n_calls; i++)
                all &= (!ops->calls[i].varies || ops->length) && ops->calls[i].path < checked->trace->n_paths;
        return all ? PS_OK
                   : PS_FAIL(err, PS_E_INPUT, "the cache is corrupt: what=\"call\", location=%u", loc);
}

static ps_status check_round(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct checked *checked = ctx;
        const char *wrong = check_location(checked->trace, loc);
        (void)worker;
        return wrong ? PS_FAIL(err, PS_E_INPUT, "the cache is corrupt: what=\"%s\", location=%u", wrong, loc)
                     : PS_OK;
}

ps_status ps_cache_check(const ps_trace *trace, unsigned n_threads, ps_error *err)
{
        const char *wrong = check_tables(trace);
        struct checked checked = {trace};
        if (wrong)
                return PS_FAIL(err, PS_E_INPUT, "the cache is corrupt: what=\"%s\"", wrong);
        PS_TRY(ps_parallel_for(n_threads, trace->n_locs, check_calls, &checked, err));
        return ps_parallel_for(n_threads, trace->n_locs, check_round, &checked, err);
}
