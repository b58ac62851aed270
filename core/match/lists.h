/* lists.h - the calls of the members of a communicator, in step with each other. */
#ifndef PS_CORE_MATCH_LISTS_H
#define PS_CORE_MATCH_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The calls of a member, or of several who make the same, that are not taken yet: key[next .. end). */
struct ps_list {
        size_t next, end;
        uint32_t n_members;
        uint32_t loc; /* which makes all of them; PS_NONE: several do, or nobody asks */
};

/* `key` tells by call what has to agree (calls.h). */
struct ps_lists {
        const uint8_t *key;
        struct ps_list *row;
        uint32_t n;
        bool has_begun;
        size_t *taken; /* room for one of each list: the calls of the operation that was taken last */
        uint32_t n_taken, n_members;
};

/* How many of the next operations, up to PS_MOST_IN_STEP, take one call of each list, the next one: 0 where
 * that is not plain to see. */
enum { PS_MOST_IN_STEP = 256 };
uint32_t ps_lists_in_step(const struct ps_lists *lists);
/* These are taken. */
void ps_lists_pass(struct ps_lists *lists, uint32_t n);

/* Takes the calls of the next operation, one of each list that takes part; false: there is none. */
bool ps_lists_take(struct ps_lists *lists);

#endif
