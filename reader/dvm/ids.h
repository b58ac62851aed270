/* ids.h - which object an id of the trace means now. Ids are addresses: each kind of object has a space
 * of its own, the newest object with an id hides older ones, and what is deleted has none. */
#ifndef PS_READER_DVM_IDS_H
#define PS_READER_DVM_IDS_H

#include "core/base/types.h"

typedef enum ps_dvm_space {
        PS_DVM_S_FREE, /* a row that is not in use */
        PS_DVM_S_AM,
        PS_DVM_S_PS,
        PS_DVM_S_VIEW,
        PS_DVM_S_ARRAY,  /* by header */
        PS_DVM_S_HANDLE, /* an array by its handle */
        PS_DVM_S_LOOP,
        PS_DVM_S_RED,
        PS_DVM_S_RED_GROUP,
        PS_DVM_S_SHADOW_GROUP,
        PS_DVM_S_BUFFER,
        PS_DVM_S_COPY, /* a flag that an asynchronous copy was given */
        PS_DVM_S_COUNT
} ps_dvm_space;

typedef struct ps_dvm_id {
        int64_t id;
        uint32_t object;
        uint8_t space;
} ps_dvm_id;

/* {0} is empty. */
typedef struct ps_dvm_ids {
        ps_dvm_id *slot;
        uint32_t n, n_slots; /* a power of two, at least twice n */
} ps_dvm_ids;

void ps_dvm_ids_free(ps_dvm_ids *ids);
/* -1 when there is no memory. */
int ps_dvm_ids_set(ps_dvm_ids *ids, ps_dvm_space space, int64_t id, uint32_t object);
/* PS_NONE when there is none. */
uint32_t ps_dvm_ids_get(const ps_dvm_ids *ids, ps_dvm_space space, int64_t id);
void ps_dvm_ids_drop(ps_dvm_ids *ids, ps_dvm_space space, int64_t id);

#endif
