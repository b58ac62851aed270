/* tasks.h - what process 0 asks the others for. */
#ifndef PS_CORE_LOAD_TASKS_H
#define PS_CORE_LOAD_TASKS_H

#include "core/exchange/exchange.h"

enum {
        TASK_END,
        TASK_OPEN,
        TASK_READ,
        TASK_GIVE,
        TASK_OUTLINE,
        TASK_ENDS,
        TASK_BRING,
        TASK_ABSENT,
        TASK_CUT,
        TASK_MOMENTS,
        TASK_PROFILE,
        TASK_BETWEEN,
        TASK_LEND,
        TASK_FACTS,
        TASK_MEMBERS,
        TASK_FORGET,
        TASK_WORK /* the first of the works */
};

/* `n` bytes follow. */
struct ps_task {
        uint64_t kind, n;
};

static inline void ps_task_order(ps_exchange *x, uint64_t kind, size_t n)
{
        struct ps_task task = {kind, n};
        ps_exchange_broadcast(x, &task, sizeof(task));
}

/* The same, with what it is about, once all have room for that. */
ps_status ps_task_ask(ps_exchange *x, uint64_t kind, const void *asked, size_t n, ps_error *err);

#endif
