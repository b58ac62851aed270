/* program.h - a run of the program: its command line, the command, and how it ends. */
#ifndef PS_APP_CLI_PROGRAM_H
#define PS_APP_CLI_PROGRAM_H

#include "core/exchange/exchange.h"

/* The exit code. `exchange`: process 0 of several, or the only one of patscan-mpi; NULL: patscan. */
int ps_program(int argc, char **argv, const char *commit, ps_exchange *exchange);

/* What must be said before there are options: "patscan: error: ...". */
void ps_program_complain(const char *text);

#endif
