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

/* Takes the calls of the next operation, one of each list that takes part; false: there is none. */
bool ps_lists_take(struct ps_lists *lists);

#endif
