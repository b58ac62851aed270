/* limit.h - how much memory there is for this process. */
#ifndef PS_CORE_BASE_LIMIT_H
#define PS_CORE_BASE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* What the machine has free, or less: what a control group or `ulimit -d` leaves. */
uint64_t ps_limit_given(void);

/* Is the address space limited, too (`ulimit -v`)? */
bool ps_limit_of_addresses(uint64_t *bytes);

/* Is what the process has for itself alone (`ulimit -d`), such as stacks? */
bool ps_limit_of_data(uint64_t *bytes);

/* How much of the address space is taken; 0 if the system does not tell. */
uint64_t ps_limit_addresses_taken(void);

/* The middle of the largest gap below the stack between what is mapped, which whoever maps something begins
 * at an end of. NULL: it is no place for so many bytes. */
void *ps_limit_gap(uint64_t bytes);

/* What is resident now, mapped files included; 0 if the system does not tell. */
uint64_t ps_limit_resident(void);

#endif
