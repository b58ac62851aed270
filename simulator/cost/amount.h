/* amount.h - the plain numbers of a machine as a table: whoever reads, writes or prints them walks it. */
#ifndef PS_SIMULATOR_COST_AMOUNT_H
#define PS_SIMULATOR_COST_AMOUNT_H

#include "simulator/cost/machine.h"

typedef enum ps_amount {
#define PS_AMOUNT(id, type, least, most, is_whole, null, unit) PS_A_##id,
#include "simulator/cost/amounts.def"
#undef PS_AMOUNT
        PS_N_AMOUNTS
} ps_amount;

typedef struct ps_amount_info {
        double least, most;
        bool is_whole;
        double null; /* what null stands for; not a number: null is an error */
        const char *unit;
} ps_amount_info;

extern const ps_amount_info ps_amounts[PS_N_AMOUNTS];

typedef struct ps_machine_key {
        const char *key, *symbol;
        ps_amount type;
        size_t field;       /* offset in ps_machine */
        uint32_t must, may; /* a bit for each model */
} ps_machine_key;

extern const ps_machine_key ps_machine_keys[];
extern const uint32_t ps_n_machine_keys;

/* The value is within its limits; an infinity is, where null stands for it. */
bool ps_amount_fits(ps_amount type, double value);
/* As a double, infinite where there is no limit. */
double ps_machine_get(const ps_machine *machine, const ps_machine_key *key);
void ps_machine_set(ps_machine *machine, const ps_machine_key *key, double value);

/* Writes ", NAME=VALUE UNIT" with the unit in which it has one to three digits; returns what snprintf does.
 */
int ps_amount_print(char *room, size_t size, const char *name, ps_amount type, double value);

#endif
