/* marks.c - rows of no length: what is entered and left around calls, locks, and teams of OpenMP. */
#include "record/finish/writer.h"

typedef struct mark {
        const ps_raw_site *site;
        uint64_t time;
        const uint64_t *f; /* fields of the note */
} mark;

static void push(ps_event_writer *w, const mark *m, uint32_t context)
{
        if (PS_PUSH(w->open, context))
                w->status = PS_NOMEM(w->err, "constructs", w->open.n);
        ps_event_enter(w, m->time, context);
}

/* What was entered before the recording began cannot be left. */
static void pop(ps_event_writer *w, uint64_t time)
{
        if (w->open.n)
                ps_event_leave(w, time, w->open.row[--w->open.n]);
}

static void enter_region(ps_event_writer *w, const mark *m)
{
        push(w, m, ps_event_context(w, m->site->context));
}

static void leave_region(ps_event_writer *w, const mark *m)
{
        pop(w, m->time);
}

static void take_lock(ps_event_writer *w, const mark *m)
{
        ps_event_put(w, OTF2_EvtWriter_ThreadAcquireLock(w->events, NULL, m->time, OTF2_PARADIGM_OPENMP,
                                                         (uint32_t)m->f[0], (uint32_t)m->f[1]));
}

static void give_lock(ps_event_writer *w, const mark *m)
{
        ps_event_put(w, OTF2_EvtWriter_ThreadReleaseLock(w->events, NULL, m->time, OTF2_PARADIGM_OPENMP,
                                                         (uint32_t)m->f[0], (uint32_t)m->f[1]));
}

static void fork_team(ps_event_writer *w, const mark *m)
{
        uint32_t n = ps_raw_run_team_size(w->a->run, w->process_id, m->f[0]);
        ps_event_put(w, OTF2_EvtWriter_ThreadFork(w->events, NULL, m->time, OTF2_PARADIGM_OPENMP, n));
}

static uint32_t team_of(ps_event_writer *w, const mark *m)
{
        uint32_t team = PS_NONE;
        PS_THEN(w->status, ps_raw_run_team(w->a->run, w->process_id, m->f[0], &team, w->err));
        return team == PS_NONE ? OTF2_UNDEFINED_COMM : w->a->run->comms.n + team;
}

static void begin_team(ps_event_writer *w, const mark *m)
{
        ps_event_put(w, OTF2_EvtWriter_ThreadTeamBegin(w->events, NULL, m->time, team_of(w, m)));
        push(w, m, m->site->context);
}

/* The thread waits until all are joined; when that was, the thread that joins them knows. If none ever did,
 * this one still waits. */
static void end_team(ps_event_writer *w, const mark *m)
{
        uint64_t joined = ps_raw_run_joined(w->a->run, w->process_id, m->f[0]);
        if (m->site->barrier == PS_NONE || !w->open.n)
                return;
        ps_event_enter(w, m->time, m->site->barrier);
        if (!joined)
                return;
        joined = ps_event_time(w, joined);
        ps_event_leave(w, joined, m->site->barrier);
        pop(w, joined);
        ps_event_put(w, OTF2_EvtWriter_ThreadTeamEnd(w->events, NULL, joined, team_of(w, m)));
}

static void join_team(ps_event_writer *w, const mark *m)
{
        ps_event_put(w, OTF2_EvtWriter_ThreadJoin(w->events, NULL, m->time, OTF2_PARADIGM_OPENMP));
}

static void switch_recording(ps_event_writer *w, const mark *m)
{
        ps_event_put(w,
                     OTF2_EvtWriter_MeasurementOnOff(w->events, NULL, m->time,
                                                     m->f[0] ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
}

void ps_event_mark(ps_event_writer *w, const ps_raw_row *row, const uint8_t *notes)
{
        static void (*const write[PS_RAW_NOTES])(ps_event_writer * w, const mark *m) = {
                [PS_RAW_REGION_ENTER] = enter_region,   [PS_RAW_REGION_LEAVE] = leave_region,
                [PS_RAW_LOCK_TAKEN] = take_lock,        [PS_RAW_LOCK_GIVEN] = give_lock,
                [PS_RAW_TEAM_FORK] = fork_team,         [PS_RAW_TEAM_BEGIN] = begin_team,
                [PS_RAW_TEAM_END] = end_team,           [PS_RAW_TEAM_JOIN] = join_team,
                [PS_RAW_MEASUREMENT] = switch_recording};
        const uint8_t *end = notes + row->size;
        uint64_t field[PS_RAW_FIELDS_MOST];
        ps_raw_note note;
        mark m = {&w->process->sites.row[row->site],
                  ps_event_time(w, ps_process_time(w->process, row->enter)), field};
        while (ps_notes_next(&notes, end, &note, field))
                if (write[note])
                        write[note](w, &m);
}
