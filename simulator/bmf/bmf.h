/* bmf.h - a BMF program is run on a simulated machine; what remains are its result and a recording, from
 * which a trace is made as from any other run. */
#ifndef PS_SIMULATOR_BMF_BMF_H
#define PS_SIMULATOR_BMF_BMF_H

#include "simulator/bmf/machine.h"

typedef struct ps_bmf_options {
        ps_bmf_costs costs;
        uint32_t n_processors; /* 0: as many as the program needs */
        const char *network;   /* a file or a preset of ps_network_open; NULL: all messages take the same */
        const ps_bmf_limits *limits; /* NULL: the usual ones */
} ps_bmf_options;

typedef struct ps_bmf_run {
        char *result; /* as BMF data, without the line's end */
        ps_recording *recording;
        uint32_t n_processors;
        uint64_t n_messages;
} ps_bmf_run;

/* PS_E_USAGE: what the options ask for cannot be; PS_E_INPUT: what the program does. */
ps_status ps_bmf_simulate(ps_bmf_run *out, const ps_bmf_program *program, const ps_bmf_options *options,
                          ps_error *err);
void ps_bmf_run_clear(ps_bmf_run *run);

#endif
