/* late_sender.h - a run of two ranks, written, analysed and reported: rank 1 receives before rank 0 sends. */
#ifndef PS_TESTS_LATE_SENDER_H
#define PS_TESTS_LATE_SENDER_H

#include "report/facts/report.h"
#include "tests/support/tracegen.h"

enum { SENT_AT = 33, DURATION_MS = 100 };

/* 5 ms, and 10 ms for a second message. */
#define LOST_TWO (15 * (PS_PS_PER_S / 1000))

typedef struct late_sender_run {
        const char *file;
        uint32_t line;       /* of the receive; the send stands at SENT_AT */
        uint32_t n_messages; /* the k-th: sent at 20 (k + 1) ms, waited for from 5 (k + 1) ms before */
        uint64_t late_us;    /* all is that much later */
} late_sender_run;

extern const late_sender_run late_sender_plain; /* two messages, received in line 40 of a.c */

typedef struct late_sender {
        ps_gen *gen;
        ps_trace *trace;
        ps_analysis *analysis;
        ps_sources *sources;
        ps_report *report;
} late_sender;

void late_sender_load(late_sender *f, const late_sender_run *run);
/* By Scalasca's definitions: no row refines a late sender by its mode. */
void late_sender_analyse(late_sender *f, const ps_report_settings *settings);
/* Both; the trace is called t.otf2. */
void late_sender_report(late_sender *f, const late_sender_run *run);
void late_sender_clear(late_sender *f);

#endif
