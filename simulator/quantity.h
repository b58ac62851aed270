/* quantity.h - the plain numbers of a machine as a table: whoever reads, writes or prints them walks it. */
#ifndef PS_SIMULATOR_QUANTITY_H
#define PS_SIMULATOR_QUANTITY_H

#include "simulator/machine.h"

typedef enum ps_quantity {
#define PS_QUANTITY(id, type, least, most, is_whole, null, unit) PS_Q_##id,
#include "simulator/quantities.def"
#undef PS_QUANTITY
        PS_N_QUANTITIES
} ps_quantity;

typedef struct ps_quantity_info {
        double least, most;
        int is_whole;
        double null; /* what null stands for; not a number: null is an error */
        const char *unit;
} ps_quantity_info;

extern const ps_quantity_info ps_quantities[PS_N_QUANTITIES];

typedef struct ps_machine_key {
        const char *key, *symbol;
        ps_quantity type;
        size_t field;       /* offset in ps_machine */
        uint32_t must, may; /* a bit for each model */
} ps_machine_key;

extern const ps_machine_key ps_machine_keys[];
extern const uint32_t ps_n_machine_keys;

/* The value is within its limits; an infinity is, where null stands for it. */
int ps_quantity_fits(ps_quantity type, double value);
/* As a double, infinite where there is no limit. */
double ps_machine_get(const ps_machine *machine, const ps_machine_key *key);
void ps_machine_set(ps_machine *machine, const ps_machine_key *key, double value);

/* Writes ", NAME=VALUE UNIT" with the unit in which it has one to three digits; returns what snprintf does.
 */
int ps_quantity_print(char *room, size_t size, const char *name, ps_quantity type, double value);

#endif
