/* time.c - clocks and shares of the processors: what everybody does, what one waits for. */
#include "simulator/dvm/time.h"
#include "simulator/dvm/record.h"
#include "simulator/dvm/state.h"

#include <math.h>

ps_time ps_dvm_scale(const struct ps_dvm_sim *sim, uint32_t processor, ps_time time)
{
        double ratio = sim->ratio ? sim->ratio[processor] : sim->ratio_of_all;
        double scaled = (double)time / ratio;
        if (ratio == 1)
                return time;
        return scaled < (double)PS_READER_TIME_LIMIT ? (ps_time)llround(scaled) : PS_READER_TIME_LIMIT;
}

/* The part of `time` that n - 1 of n processors need not have spent. */
static ps_time repeated(ps_time time, uint32_t n)
{
        return time / n * (n - 1) + time % n * (n - 1) / n;
}

static void add_work(ps_share *share, ps_time cpu, ps_time system, uint32_t n)
{
        share->cpu = ps_time_add(share->cpu, cpu);
        share->system = ps_time_add(share->system, system);
        share->insufficient_cpu = ps_time_add(share->insufficient_cpu, repeated(cpu, n));
        share->insufficient_system = ps_time_add(share->insufficient_system, repeated(system, n));
}

ps_time ps_dvm_part(ps_time time, int64_t n, int64_t of)
{
        return (ps_time)llroundl((long double)time * (long double)n / (long double)of);
}

void ps_dvm_add_body(ps_share *share, ps_time own, uint32_t copies)
{
        share->cpu = ps_time_add(share->cpu, own);
        if (copies > 1)
                share->insufficient_cpu =
                        ps_time_add(share->insufficient_cpu, ps_dvm_part(own, copies - 1, copies));
}

ps_status ps_dvm_shares(struct ps_dvm_sim *sim, ps_share **out, ps_error *err)
{
        return ps_intervals_shares(sim->run->intervals, sim->interval, out, err);
}

ps_status ps_dvm_charge(struct ps_dvm_sim *sim, ps_time cpu, ps_time system, ps_error *err)
{
        const ps_dvm_system *s = sim->current;
        ps_share *share;
        if (ps_dvm_record_is_elsewhere(sim))
                PS_TRY(ps_dvm_settle(sim, err));
        ps_dvm_record_charge(sim);
        if (!sim->ratio) {
                cpu = ps_dvm_scale(sim, 0, cpu);
                system = ps_dvm_scale(sim, 0, system);
                add_work(&sim->common, cpu, system, s->n);
                sim->ahead = ps_time_add(sim->ahead, ps_time_add(cpu, system));
                return PS_OK;
        }
        PS_TRY(ps_dvm_shares(sim, &share, err));
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                ps_time own_cpu = ps_dvm_scale(sim, p, cpu), own_system = ps_dvm_scale(sim, p, system);
                add_work(&share[p], own_cpu, own_system, s->n);
                ps_dvm_record_common(sim, p, own_cpu, own_system);
                sim->clock[p] = ps_time_add(sim->clock[p], ps_time_add(own_cpu, own_system));
        }
        return PS_OK;
}

ps_status ps_dvm_settle(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_system *s = sim->current;
        const ps_share *common = &sim->common;
        ps_share *share;
        if (!sim->ahead && !common->cpu && !common->system)
                return PS_OK;
        PS_TRY(ps_dvm_shares(sim, &share, err));
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                ps_dvm_record_common(sim, p, common->cpu, common->system);
                sim->clock[p] = ps_time_add(sim->clock[p], sim->ahead);
                share[p].cpu = ps_time_add(share[p].cpu, common->cpu);
                share[p].system = ps_time_add(share[p].system, common->system);
                share[p].insufficient_cpu = ps_time_add(share[p].insufficient_cpu, common->insufficient_cpu);
                share[p].insufficient_system =
                        ps_time_add(share[p].insufficient_system, common->insufficient_system);
        }
        sim->ahead = 0;
        sim->common = (ps_share){0};
        ps_dvm_record_settled(sim);
        return PS_OK;
}

/* The processor communicates until `end`. */
static void busy_until(struct ps_dvm_sim *sim, ps_share *share, uint32_t p, ps_interval_class cls,
                       ps_time end)
{
        if (sim->clock[p] >= end)
                return;
        share[p].communication[cls] = ps_time_add(share[p].communication[cls], end - sim->clock[p]);
        sim->clock[p] = end;
}

ps_status ps_dvm_meeting(struct ps_dvm_sim *sim, ps_time *meet, ps_error *err)
{
        const ps_dvm_system *s = sim->current;
        ps_status status = ps_dvm_settle(sim, err);
        *meet = 0;
        for (uint32_t i = 0; i < s->n; i++)
                *meet = sim->clock[s->processor[i]] > *meet ? sim->clock[s->processor[i]] : *meet;
        return status;
}

ps_status ps_dvm_synchronize(struct ps_dvm_sim *sim, ps_interval_class cls, ps_time meet, ps_error *err)
{
        const ps_dvm_system *s = sim->current;
        ps_share *share;
        PS_TRY(ps_dvm_shares(sim, &share, err));
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                share[p].synchronization[cls] =
                        ps_time_add(share[p].synchronization[cls], meet - sim->clock[p]);
                busy_until(sim, share, p, cls, meet);
        }
        return PS_OK;
}

ps_status ps_dvm_spend(struct ps_dvm_sim *sim, ps_interval_class cls, ps_time cost, ps_error *err)
{
        const ps_dvm_system *s = sim->current;
        ps_share *share;
        PS_TRY(ps_dvm_settle(sim, err));
        PS_TRY(ps_dvm_shares(sim, &share, err));
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                busy_until(sim, share, p, cls, ps_time_add(sim->clock[p], cost));
        }
        return PS_OK;
}

ps_status ps_dvm_finish_pending(struct ps_dvm_sim *sim, struct ps_dvm_pending *pending, ps_interval_class cls,
                                ps_error *err)
{
        const ps_dvm_system *s = sim->current;
        ps_share *share;
        if (!pending->is_open) {
                ps_dvm_remark(sim, PS_DVM_NOTE_UNSTARTED);
                return PS_OK;
        }
        pending->is_open = false;
        PS_TRY(ps_dvm_settle(sim, err));
        PS_TRY(ps_dvm_shares(sim, &share, err));
        ps_dvm_record_wait(sim, pending, 1);
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                ps_time start = pending->starts ? pending->starts[p] : pending->start;
                ps_time end = pending->ends ? pending->ends[p] : pending->end;
                ps_time now = sim->clock[p] < end ? sim->clock[p] : end;
                if (now > start)
                        share[p].overlap[cls] = ps_time_add(share[p].overlap[cls], now - start);
                busy_until(sim, share, p, cls, end);
        }
        ps_dvm_record_wait(sim, pending, 0);
        return PS_OK;
}
