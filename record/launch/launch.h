/* launch.h - starts programs so that their processes are recorded.
 *
 * What has to reach each process, on whatever node, travels as an argument: `mpirun -n 4 ./app` becomes
 * `mpirun -n 4 patscan record ... -- ./app`, and that, once it is a process of the run, loads the recorder
 * before the program and becomes it. */
#ifndef PS_RECORD_LAUNCH_H
#define PS_RECORD_LAUNCH_H

#include "core/base/error.h"

typedef struct ps_launch_setting {
        const char *name, *value; /* of the environment; value NULL: as it is */
} ps_launch_setting;

/* Is this one of the processes that a launcher has started? */
bool ps_launch_is_rank(void);

/* Does the command begin with a launcher that is known, such as mpirun? */
bool ps_launch_is_launcher(char *const *command);

/* Does this command line of a launcher start several programs, separated by colons, of which only some are
 * recorded? */
bool ps_launch_is_part(char *const *command);

/* Of one of the processes that a launcher has started: will all of them be recorded, as far as this can be
 * seen from here? */
bool ps_launch_is_whole(void);

/* The command with `words` (ended by NULL) before each program that the launcher is to start; `*out` is freed
 * with free(). PS_E_USAGE: it cannot be told where that begins. */
ps_status ps_launch_insert(char ***out, char *const *command, const char *const *words, ps_error *err);

/* The program whose name the recording has: the one that a launcher starts, or the command itself. */
const char *ps_launch_program(char *const *command);

/* PS_E_USAGE: there is no such program where a shell would look for it, or it may not be executed. */
ps_status ps_launch_check(const char *program, ps_error *err);
/* Is there a file or folder of this path that may not be executed? */
bool ps_launch_is_no_program(const char *path);

/* From now on what is started here has the recorder for the command's MPI loaded before it, and the settings,
 * ended by one without a name, in its environment. PS_E_INPUT: there is no recorder for it. */
ps_status ps_launch_prepare(char *const *command, const ps_launch_setting *settings, ps_error *err);

/* The i-th recorder, such as "record-openmpi"; "": it is not here. False: there are no more. */
enum { PS_LAUNCH_RECORDER_ROOM = 32 };
bool ps_launch_recorder(char name[PS_LAUNCH_RECORDER_ROOM], unsigned i);

/* Becomes the program. Comes back only with a failure. */
ps_status ps_launch_become(char *const *command, ps_error *err);

/* Runs the command and waits for it; *status is what a shell would give for how it ended. It gets the signals
 * of the keyboard, and we outlive it. */
ps_status ps_launch_wait(char *const *command, int *status, ps_error *err);

/* The path of this very program; to be freed. NULL: no memory, or nobody knows. */
char *ps_launch_self(void);

#endif
