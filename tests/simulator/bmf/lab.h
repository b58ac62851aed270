/* lab.h - BMF programs for tests: run a text, and look at the messages of the run in units of time. */
#ifndef PS_TESTS_SIMULATOR_BMF_LAB_H
#define PS_TESTS_SIMULATOR_BMF_LAB_H

#include "simulator/bmf/bmf.h"

enum { BMF_LAB_MESSAGES = 4096 };

typedef struct bmf_lab_message {
        uint32_t from, to;
        uint64_t bytes;
        long begin, end, arrive, done; /* of the send; at the receiver */
} bmf_lab_message;

/* What remains of a run; messages in the order of their begin, then of their senders. */
typedef struct bmf_lab {
        ps_bmf_run run;
        uint32_t n;
        bmf_lab_message *message;
        long end; /* of the run */
} bmf_lab;

/* A cost of c for each byte on both sides and of nothing else, and a transport of t. */
ps_bmf_options bmf_lab_plain(double c, double t);

/* Runs "prog.bmf" with this text, which has to work. */
void bmf_lab_run(bmf_lab *out, const char *text, const ps_bmf_options *options);
void bmf_lab_clear(bmf_lab *lab);

/* The innermost reason why the text does not run, with the usual options; lives until the next call. */
const char *bmf_lab_error(const char *text);
const char *bmf_lab_error_with(const char *text, const char *library, const ps_bmf_options *options);

/* The messages [first, first + n) in flight at a time, from the begin of their send to the end of their
 * receive. */
void bmf_lab_peak(const bmf_lab *lab, uint32_t first, uint32_t n, uint32_t *messages, uint64_t *bytes);

#endif
