/* openmp.c - see openmp.h. */
#include "record/openmp/openmp.h"

enum { LOCK_BITS = 32 };

bool ps_openmp_is_told;
__thread const void *ps_openmp_caller;
static uint32_t n_forked;
static uint64_t n_taken;

static uint32_t region_site(ps_parallel region)
{
        return (uint32_t)region;
}

static uint64_t region_number(ps_parallel region)
{
        return region >> 32;
}

static void mark_team(ps_parallel region, ps_shim_mark mark, ps_raw_note note, uint64_t now)
{
        ps_thread *t = ps_shim_mark_begin(mark, region_site(region), now);
        if (t) {
                ps_shim_note(t, note, (const uint64_t[]){region_number(region)});
                ps_shim_mark_end(t, now);
        }
}

ps_parallel ps_openmp_fork(uint32_t function, const void *caller, const void *body)
{
        if (ps_openmp_start)
                ps_openmp_start();
        ps_shim_threads();
        uint64_t now = ps_shim_now(), number = __atomic_add_fetch(&n_forked, 1, __ATOMIC_RELAXED);
        ps_parallel region = number << 32 | ps_shim_place(function, caller, body);
        mark_team(region, PS_MARK_WITHIN, PS_RAW_TEAM_FORK, now);
        return region;
}

void ps_openmp_begin(ps_parallel region)
{
        mark_team(region, PS_MARK_BEGINS, PS_RAW_TEAM_BEGIN, ps_shim_now());
}

void ps_openmp_end(ps_parallel region)
{
        mark_team(region, PS_MARK_ENDS, PS_RAW_TEAM_END, ps_shim_now());
}

void ps_openmp_join(ps_parallel region)
{
        mark_team(region, PS_MARK_WITHIN, PS_RAW_TEAM_JOIN, ps_shim_now());
}

void ps_openmp_enter(uint32_t function, const void *caller, uint64_t now)
{
        ps_thread *t = ps_shim_mark_begin(PS_MARK_BEGINS, ps_shim_place(function, caller, NULL), now);
        if (t) {
                ps_shim_note(t, PS_RAW_REGION_ENTER, NULL);
                ps_shim_mark_end(t, now);
        }
}

void ps_openmp_leave(uint64_t now)
{
        ps_thread *t = ps_shim_mark_begin(PS_MARK_ENDS, 0, now);
        if (t) {
                ps_shim_note(t, PS_RAW_REGION_LEAVE, NULL);
                ps_shim_mark_end(t, now);
        }
}

/* -- locks: their addresses are too long for OTF2 -- */

static uint64_t id_of(const void *lock)
{
        return ((uintptr_t)lock * 0x9E3779B97F4A7C15U) >> (64 - LOCK_BITS);
}

static void note_taken(ps_thread *t, const void *lock)
{
        PS_SHIM_NOTE(t, LOCK_TAKEN, id_of(lock), __atomic_add_fetch(&n_taken, 1, __ATOMIC_RELAXED));
}

void ps_openmp_taken(const void *lock, bool is_section, uint64_t now)
{
        ps_thread *t = ps_shim_mark_begin(is_section ? PS_MARK_WITHIN : PS_MARK_ENDS, 0, now);
        if (!t)
                return;
        note_taken(t, lock);
        if (!is_section)
                ps_shim_note(t, PS_RAW_REGION_LEAVE, NULL);
        ps_shim_mark_end(t, now);
}

void ps_openmp_tried(uint32_t function, const void *caller, const void *lock, uint64_t since, uint64_t now)
{
        ps_openmp_enter(function, caller, since);
        ps_openmp_taken(lock, 0, now);
}

static void note_given(ps_thread *t, const void *lock)
{
        PS_SHIM_NOTE(t, LOCK_GIVEN, id_of(lock), __atomic_load_n(&n_taken, __ATOMIC_RELAXED));
}

void ps_openmp_given(uint32_t function, const void *caller, const void *lock, uint64_t now)
{
        ps_thread *t = ps_shim_mark_begin(PS_MARK_WITHIN, ps_shim_place(function, caller, NULL), now);
        if (!t)
                return;
        ps_shim_note(t, PS_RAW_REGION_ENTER, NULL);
        note_given(t, lock);
        ps_shim_note(t, PS_RAW_REGION_LEAVE, NULL);
        ps_shim_mark_end(t, now);
}

void ps_openmp_left(const void *section, uint64_t now)
{
        ps_thread *t = ps_shim_mark_begin(PS_MARK_ENDS, 0, now);
        if (!t)
                return;
        note_given(t, section);
        ps_shim_note(t, PS_RAW_REGION_LEAVE, NULL);
        ps_shim_mark_end(t, now);
}
