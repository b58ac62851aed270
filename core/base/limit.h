/* limit.h - how much memory there is for this process. */
#ifndef PS_CORE_BASE_LIMIT_H
#define PS_CORE_BASE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* What the machine has free, or less: what a control group or `ulimit -d` leaves. */
uint64_t ps_limit_given(void);

/* Is the address space limited, too (`ulimit -v`)? */
bool ps_limit_of_addresses(uint64_t *bytes);

/* What is resident now, mapped files included; 0 if the system does not tell. */
uint64_t ps_limit_resident(void);

#endif
