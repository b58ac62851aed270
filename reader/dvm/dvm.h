/* dvm.h - reads the traces of Lib-DVM, the run-time system of DVM programs: text, plain or packed by gzip.
 *
 * A trace is the record of one sequential run. ps_dvm_read gives it as a list of calls with what they were
 * given, for the simulation of parallel ones; as a format of reader.h it is a run with one location, whose
 * calls and intervals are regions. */
#ifndef PS_READER_DVM_DVM_H
#define PS_READER_DVM_DVM_H

#include "core/dvm/dvm.h"
#include "core/model/format.h"

/* The first call whose parameters are missing or impossible is an error. */
ps_status ps_dvm_read(ps_dvm **out, const char *path, ps_error *err);
/* Such calls are noted (PS_I_CALL_INVALID), and only their time is kept. */
ps_status ps_dvm_read_tolerant(ps_dvm **out, const char *path, ps_error *err);

/* How sure it is that a file with these first bytes is such a trace, 0 to 100. */
int ps_dvm_probe(const uint8_t *head, size_t len);

extern const ps_reader_class ps_dvm_reader;

#endif
