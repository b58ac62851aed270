/* define.c - the definitions of the trace that a simulated DVM run becomes. */
#include "simulator/dvm/recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ps_str add_name(ps_defs *defs, const char *text)
{
        ps_str name = ps_strings_addz(defs->strings, text);
        return name == PS_NONE ? 0 : name;
}

ps_status ps_dvm_add_region(ps_defs *defs, const char *name, const char *file, int64_t line, uint8_t role,
                            uint8_t paradigm, const ps_region_dvm *part, ps_region *out, ps_error *err)
{
        ps_region_def def = {.name = add_name(defs, name),
                             .file = file && *file ? add_name(defs, file) : 0,
                             .line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0,
                             .role = role,
                             .paradigm = paradigm,
                             .dvm = *part};
        return ps_defs_add_region(defs, &def, out, err);
}

static ps_status define_processors(struct ps_dvm_sim *sim, ps_defs *defs, ps_error *err)
{
        for (uint32_t p = 0; p < sim->n_processors; p++) {
                char name[32];
                snprintf(name, sizeof(name), "processor %" PRIu32, p);
                ps_process_def process = {.name = add_name(defs, name)};
                ps_location_def location = {
                        .name = process.name, .process = p, .native = p, .n_events = UINT64_MAX};
                PS_TRY(ps_defs_add_process(defs, &process, NULL, err));
                PS_TRY(ps_defs_add_location(defs, &location, NULL, err));
        }
        return PS_OK;
}

static ps_status define_operations(struct ps_dvm_recorder *r, ps_defs *defs, ps_error *err)
{
        static const struct {
                const char *name;
                uint8_t kind, nonblocking;
        } rows[] = {
#define ROW(id, name, kind, nonblocking) {name, PS_K_##kind, nonblocking},
                RECORD_REGIONS(ROW)
#undef ROW
        };
        for (int i = 0; i < N_OPERATIONS; i++) {
                ps_region_def def = {.name = add_name(defs, rows[i].name),
                                     .paradigm = PS_PARADIGM_OTHER,
                                     .kind = rows[i].kind,
                                     .nonblocking = rows[i].nonblocking,
                                     .given = 1};
                PS_TRY(ps_defs_add_region(defs, &def, &r->operation[i], err));
        }
        return PS_OK;
}

static ps_status define_intervals(struct ps_dvm_sim *sim, struct ps_dvm_recorder *r, ps_defs *defs,
                                  ps_error *err)
{
        const ps_dvm *dvm = sim->dvm;
        r->interval = calloc(dvm->intervals.n ? dvm->intervals.n : 1, sizeof(*r->interval));
        if (!r->interval)
                return PS_NOMEM(err, "intervals", dvm->intervals.n);
        static const uint8_t marks[] = {[PS_DVM_I_USER] = PS_MARK_USER,
                                        [PS_DVM_I_PAR] = PS_MARK_PARALLEL,
                                        [PS_DVM_I_SEQ] = PS_MARK_SEQUENTIAL};
        PS_TRY(ps_dvm_add_region(defs, "program", NULL, 0, PS_ROLE_FUNCTION, PS_PARADIGM_USER,
                                 &(ps_region_dvm){0}, &r->interval[0], err));
        for (uint32_t i = 1; i < dvm->intervals.n; i++) {
                const ps_dvm_interval *row = &dvm->intervals.row[i];
                const char *file = ps_dvm_str(dvm, row->file);
                char name[160];
                int n = snprintf(name, sizeof(name), "interval %.100s:%" PRId64, file, row->line);
                ps_region_dvm part = {.mark = marks[row->type], .has_index = row->expr != PS_DVM_NO_EXPR};
                part.index = part.has_index ? row->expr : 0;
                if (part.has_index)
                        snprintf(name + n, sizeof(name) - (size_t)n, " (%" PRId64 ")", row->expr);
                PS_TRY(ps_dvm_add_region(defs, name, file, row->line, PS_ROLE_PHASE, PS_PARADIGM_USER, &part,
                                         &r->interval[i], err));
        }
        return PS_OK;
}

ps_status ps_dvm_define(struct ps_dvm_sim *sim, ps_error *err)
{
        struct ps_dvm_recorder *r = sim->recorder;
        ps_defs *defs = ps_recording_defs(r->recording);
        for (int i = 0; i < PS_DVM_COUNT; i++)
                r->function[0][i] = r->function[1][i] = PS_NONE;
        defs->creator = add_name(defs, "simulated from a DVM trace");
        PS_TRY(define_processors(sim, defs, err));
        PS_TRY(define_operations(r, defs, err));
        PS_TRY(define_intervals(sim, r, defs, err));
        ps_window_def window = {.name = add_name(defs, "remote elements"),
                                .comm = ps_dvm_comm_of(sim, sim->root)};
        if (r->status != PS_OK && err)
                *err = r->err;
        return r->status != PS_OK ? r->status : ps_defs_add_window(defs, &window, NULL, err);
}

ps_comm ps_dvm_comm_of(struct ps_dvm_sim *sim, const ps_dvm_system *system)
{
        struct ps_dvm_recorder *r = sim->recorder;
        uintptr_t key = (uintptr_t)system;
        ps_defs *defs = ps_recording_defs(r->recording);
        ps_time *at = ps_map_at(&r->comm_of, (uint32_t)(key >> 32), (uint32_t)key, -1);
        if (at && *at < 0) {
                uint32_t *members = PS_ARENA_NEW(defs->arena, uint32_t, system->n), id = 0;
                ps_comm_def def = {.name = add_name(defs, system == sim->root ? "grid" : "processor system"),
                                   .parent = PS_NONE,
                                   .n_members = system->n,
                                   .members = members};
                if (!members)
                        r->status = PS_NOMEM(&r->err, "processors", system->n);
                else {
                        memcpy(members, system->processor, system->n * sizeof(*members));
                        r->status = ps_defs_add_comm(defs, &def, &id, &r->err);
                }
                *at = id;
        }
        if (!at)
                r->status = PS_NOMEM(&r->err, "processor systems", 1);
        return at ? (ps_comm)*at : 0;
}

ps_str ps_dvm_file_of(struct ps_dvm_sim *sim, ps_str of)
{
        struct ps_dvm_recorder *r = sim->recorder;
        ps_time *file = ps_map_at(&r->file, of, 0, -1);
        if (file && *file < 0)
                *file = add_name(ps_recording_defs(r->recording), ps_dvm_str(sim->dvm, of));
        if (!file)
                r->status = PS_NOMEM(&r->err, "files", 1);
        return file ? (ps_str)*file : 0;
}
