/* lab.c - see lab.h. Messages are put together from the recording's events, as a reader would. */
#include "tests/simulator/bmf/lab.h"
#include "core/views/cursor.h"
#include "tests/support/damage.h"

#include <stdlib.h>
#include <string.h>

typedef struct place {
        long entered, idle_until; /* the open call; idle_until: -1 if it was not idle */
        uint32_t sent;            /* the message that is being sent, and one */
} place;

ps_bmf_options bmf_lab_plain(double c, double t)
{
        ps_bmf_options o = {.costs = ps_bmf_costs_default};
        o.costs.send_fixed = o.costs.receive_fixed = o.costs.work = 0;
        o.costs.send_byte = o.costs.receive_byte = c;
        o.costs.transport = t;
        return o;
}

static long units(ps_time time)
{
        if (time % PS_PS_PER_S)
                ps_test_die("a time is no whole unit: ps=%lld", (long long)time);
        return (long)(time / PS_PS_PER_S);
}

static void take_receive(bmf_lab *lab, const ps_event *e, uint32_t to, const place *p)
{
        for (uint32_t i = 0; i < lab->n; i++) {
                bmf_lab_message *m = &lab->message[i];
                if (m->from != e->peer || m->to != to || m->done >= 0)
                        continue;
                m->done = units(e->time);
                m->arrive = p->idle_until < 0 ? p->entered : p->idle_until;
                if (m->bytes != e->bytes)
                        ps_test_die("a message changed its size on its way");
                return;
        }
        ps_test_die("a message was received that nobody had sent");
}

static void take(bmf_lab *lab, place *p, const ps_cursor_event *c, const char *region)
{
        const ps_event *e = &c->event;
        long now = units(e->time);
        lab->end = now > lab->end ? now : lab->end;
        if (e->kind == PS_EV_ENTER && (!strcmp(region, "send") || !strcmp(region, "recv"))) {
                *p = (place){now, -1, 0};
        } else if (e->kind == PS_EV_SEND) {
                if (lab->n == BMF_LAB_MESSAGES)
                        ps_test_die("too many messages");
                lab->message[lab->n++] = (bmf_lab_message){c->location, e->peer, e->bytes, now, -1, -1, -1};
                p->sent = lab->n;
        } else if (e->kind == PS_EV_RECV) {
                take_receive(lab, e, c->location, p);
        } else if (e->kind == PS_EV_LEAVE && !strcmp(region, "idle")) {
                p->idle_until = now;
        } else if (e->kind == PS_EV_LEAVE && !strcmp(region, "send")) {
                lab->message[p->sent - 1].end = now;
        }
}

void bmf_lab_run(bmf_lab *lab, const char *text, const ps_bmf_options *options)
{
        ps_bmf_program *program;
        ps_bmf_text own = {"prog.bmf", text, strlen(text)};
        ps_cursor *cursor;
        const ps_cursor_event *c;
        ps_error err = {0};
        memset(lab, 0, sizeof(*lab));
        if (ps_bmf_parse(&program, &own, NULL, NULL, &err) != PS_OK ||
            ps_bmf_simulate(&lab->run, program, options, &err) != PS_OK)
                ps_test_die("the program does not run: %s", err.cause[0].text);
        ps_bmf_program_free(program);
        const ps_defs *defs = ps_recording_defs(lab->run.recording);
        place *places = calloc(lab->run.n_processors, sizeof(*places));
        lab->message = calloc(BMF_LAB_MESSAGES, sizeof(*lab->message));
        if (!places || !lab->message ||
            ps_cursor_new(&cursor, ps_recording_source(lab->run.recording), &err) != PS_OK)
                ps_test_die("out of memory");
        while (ps_cursor_next(cursor, &c, &err) == PS_OK && c) {
                int has_region = c->event.kind == PS_EV_ENTER || c->event.kind == PS_EV_LEAVE;
                const char *region =
                        has_region ? ps_defs_str(defs, defs->regions.row[c->event.ref].name) : "";
                take(lab, &places[c->location], c, region);
        }
        ps_cursor_free(cursor);
        free(places);
}

void bmf_lab_clear(bmf_lab *lab)
{
        ps_bmf_run_clear(&lab->run);
        free(lab->message);
}

const char *bmf_lab_error_with(const char *text, const char *library, const ps_bmf_options *options)
{
        static ps_error err;
        ps_bmf_program *program;
        ps_bmf_run run;
        ps_bmf_text own = {"prog.bmf", text, strlen(text)};
        ps_bmf_text more = {"lib.bmf", library, library ? strlen(library) : 0};
        memset(&err, 0, sizeof(err));
        ps_status status = ps_bmf_parse(&program, &own, library ? &more : NULL, options->limits, &err);
        if (status == PS_OK) {
                status = ps_bmf_simulate(&run, program, options, &err);
                ps_bmf_program_free(program);
                if (status == PS_OK)
                        ps_bmf_run_clear(&run);
        }
        return status == PS_OK ? "nothing is wrong" : err.cause[0].text;
}

const char *bmf_lab_error(const char *text)
{
        ps_bmf_options options = {.costs = ps_bmf_costs_default};
        return bmf_lab_error_with(text, NULL, &options);
}

void bmf_lab_peak(const bmf_lab *lab, uint32_t first, uint32_t n, uint32_t *messages, uint64_t *bytes)
{
        *messages = 0;
        *bytes = 0;
        for (uint32_t at = first; at < first + n; at++) {
                uint32_t count = 0;
                uint64_t sum = 0;
                for (uint32_t i = first; i < first + n; i++) {
                        const bmf_lab_message *m = &lab->message[i];
                        if (m->begin > lab->message[at].begin || m->done <= lab->message[at].begin)
                                continue;
                        count++;
                        sum += m->bytes;
                }
                *messages = count > *messages ? count : *messages;
                *bytes = sum > *bytes ? sum : *bytes;
        }
}
