/* regions.c - the regions of a simulated DVM run that are defined when they are met. */
#include "simulator/dvm/recorder.h"

#include <inttypes.h>
#include <stdio.h>

/* -- functions -- */

/* What a function communicates for. */
static ps_purpose purpose_of(uint8_t function)
{
        switch (function) {
        case PS_DVM_STRTRD:
        case PS_DVM_WAITRD:
                return PS_FOR_REDUCTION;
        case PS_DVM_STRTSH:
        case PS_DVM_WAITSH:
        case PS_DVM_EXFRST:
        case PS_DVM_IMLAST:
        case PS_DVM_ENDPL:
        case PS_DVM_ACROSS:
        case PS_DVM_SENDSH:
        case PS_DVM_RECVSH:
                return PS_FOR_SHADOW;
        case PS_DVM_ARRCPY:
        case PS_DVM_AARRCP:
        case PS_DVM_WAITCP:
        case PS_DVM_LOADRB:
        case PS_DVM_WAITRB:
                return PS_FOR_REMOTE_ACCESS;
        case PS_DVM_REDIS:
        case PS_DVM_REALN:
                return PS_FOR_REDISTRIBUTION;
        default:
                return PS_FOR_NOTHING;
        }
}

bool ps_dvm_is_operation(const struct ps_dvm_sim *sim)
{
        const ps_dvm_call *call = sim->call;
        switch (call->function) {
        case PS_DVM_STRTRD:
        case PS_DVM_STRTSH:
        case PS_DVM_EXFRST:
        case PS_DVM_ARRCPY:
        case PS_DVM_AARRCP:
        case PS_DVM_LOADRB:
                return 1;
        case PS_DVM_ACROSS:
                return call->of.across->old_group != PS_NONE;
        case PS_DVM_REDIS:
                return !call->of.distr->fresh;
        case PS_DVM_REALN:
                return !call->of.align->fresh && sim->arrays[call->of.align->array].layout;
        default:
                return call->cls == PS_DVM_C_IO;
        }
}

ps_region ps_dvm_function_region(struct ps_dvm_sim *sim, bool is_operation)
{
        struct ps_dvm_recorder *r = sim->recorder;
        const ps_dvm_call *call = sim->call;
        ps_region *region = &r->function[is_operation][call->function];
        const ps_region_dvm dvm = {.purpose = (uint8_t)purpose_of(call->function), .counts = is_operation};
        uint8_t paradigm = call->cls == PS_DVM_C_IO ? PS_PARADIGM_IO : PS_PARADIGM_OTHER;
        if (*region == PS_NONE && r->status == PS_OK)
                r->status =
                        ps_dvm_add_region(ps_recording_defs(r->recording), ps_dvm_str(sim->dvm, call->name),
                                          NULL, 0, PS_ROLE_FUNCTION, paradigm, &dvm, region, &r->err);
        return *region;
}

/* -- intervals -- */

/* A parallel loop of the program as an interval: which row of the tree it is. */
static ps_region loop_region(struct ps_dvm_sim *sim, uint32_t interval)
{
        struct ps_dvm_recorder *r = sim->recorder;
        const ps_intervals *tree = sim->run->intervals;
        const ps_interval_key *key = &tree->row[interval].key;
        const char *file = ps_intervals_str(tree, key->file);
        ps_time *at = ps_map_at(&r->loop, interval, 0, -1);
        if (!at) {
                r->status = PS_NOMEM(&r->err, "regions", 1);
                return 0;
        }
        if (*at < 0) {
                char name[160];
                ps_region region = 0;
                snprintf(name, sizeof(name), "parallel loop %.100s:%" PRIu32, file, key->line);
                PS_THEN(r->status,
                        ps_dvm_add_region(ps_recording_defs(r->recording), name, file, key->line,
                                          PS_ROLE_LOOP, PS_PARADIGM_USER,
                                          &(ps_region_dvm){.mark = PS_MARK_LOOP}, &region, &r->err));
                *at = region;
        }
        return (ps_region)*at;
}

ps_region ps_dvm_interval_region(struct ps_dvm_sim *sim, uint32_t interval)
{
        return interval < sim->dvm->intervals.n ? sim->recorder->interval[interval]
                                                : loop_region(sim, interval);
}

/* -- places -- */

/* A number for each place in the program; -1: no memory. */
static ps_time place_number(ps_map *numbers, uint32_t a, uint32_t b)
{
        ps_time *number = ps_map_at(numbers, a, b, -1);
        if (number && *number < 0)
                *number = (ps_time)numbers->n;
        return number ? *number : -1;
}

static ps_status define_place(struct ps_dvm_sim *sim, const ps_dvm_call *call, enum place_region which,
                              uint32_t copies, ps_region *out)
{
        static const struct {
                const char *name;
                uint8_t role, paradigm;
                ps_region_dvm dvm;
        } rows[N_PLACE_REGIONS] = {
                [P_CODE] = {"sequential", PS_ROLE_OTHER, PS_PARADIGM_USER, {0}},
                [P_LIBRARY] = {"Lib-DVM", PS_ROLE_OTHER, PS_PARADIGM_PGAS, {0}},
                [P_LOOP] = {"loop", PS_ROLE_LOOP, PS_PARADIGM_USER, {0}},
                [P_WAVE] = {"loop", PS_ROLE_LOOP, PS_PARADIGM_USER, {.purpose = PS_FOR_SHADOW, .counts = 1}}};
        struct ps_dvm_recorder *r = sim->recorder;
        const char *file = ps_dvm_str(sim->dvm, call->file);
        ps_region_dvm dvm = rows[which].dvm;
        char name[160];
        dvm.copies = copies;
        snprintf(name, sizeof(name), "%s %.100s:%" PRId64, rows[which].name, file, call->line);
        return ps_dvm_add_region(ps_recording_defs(r->recording), name, file, call->line, rows[which].role,
                                 rows[which].paradigm, &dvm, out, &r->err);
}

ps_region ps_dvm_place_region(struct ps_dvm_sim *sim, const ps_dvm_call *call, enum place_region which,
                              uint32_t copies)
{
        struct ps_dvm_recorder *r = sim->recorder;
        ps_time place = place_number(&r->place, call->file, (uint32_t)call->line);
        ps_time *at = place < 0 ? NULL
                                : ps_map_at(&r->region, N_PLACE_REGIONS * (uint32_t)place + (uint32_t)which,
                                            copies, -1);
        ps_region region = 0;
        if (!at) {
                r->status = PS_NOMEM(&r->err, "regions", 1);
                return 0;
        }
        if (*at < 0) {
                PS_THEN(r->status, define_place(sim, call, which, copies, &region));
                *at = region;
        }
        return (ps_region)*at;
}
