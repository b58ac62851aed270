/* windows.h - what does not fit into limited addresses, or little memory, seen through windows.
 *
 * Under `ulimit -v` the file with blocks (core/base/space.h) cannot be mapped as a whole. It gets a place
 * where nothing else is mapped, far larger than the limit, and there at most so many pieces of it are mapped
 * as have addresses. Whoever touches another one is interrupted by the system, gets it mapped, in the place
 * of the one that came first, and goes on: nobody need know of it. But for the system itself, which
 * interrupts nobody for what it is to read or to write, and fails instead: core/base/blocks.h has calls for
 * that.
 *
 * Where little memory is asked for (`--memory`), nothing comes but through them, and whoever brings it looks
 * first what is resident: so the limit is kept however far a loop goes and however busy the machine is. */
#ifndef PS_APP_LOCAL_WINDOWS_H
#define PS_APP_LOCAL_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

/* Are there enough of them for so many bytes of memory? */
bool ps_windows_suffice(uint64_t bytes);
/* From now on, where the file cannot be mapped as a whole. Takes the signal SIGSEGV; one that has other
 * reasons ends the program as ever. */
void ps_windows_use(void);
/* No more, in a process that has none yet. */
void ps_windows_leave(void);

#endif
