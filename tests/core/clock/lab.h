/* lab.h - traces of which a test decides every time. */
#ifndef PS_TESTS_CORE_CLOCK_LAB_H
#define PS_TESTS_CORE_CLOCK_LAB_H

#include "core/clock/clock.h"

#define US (1000 * PS_PS_PER_NS)

typedef struct lab {
        ps_trace trace;
        uint32_t rows; /* room for each location */
        uint32_t coll_room, member_room;
} lab;

/* Location i is the only one of process i; communicator 0 has all processes. Clocks have no common zero, as
 * of recorders that synchronise nothing, */
lab *lab_new(uint32_t n_processes, uint32_t rows, uint32_t colls, uint32_t members);
/* or have one. */
lab *lab_new_synchronised(uint32_t n_processes, uint32_t rows, uint32_t colls, uint32_t members);
void lab_free(lab *lab);

/* A communicator with these processes in rank order. */
ps_comm lab_comm(lab *lab, const uint32_t *members, uint32_t n, int inter);

/* The location's next operation. Its records stand at its enter and its leave. */
ps_ref lab_op(lab *lab, ps_loc loc, ps_kind kind, ps_time enter, ps_time leave);
/* `start` is completed by `done`, of the same location. */
void lab_complete(lab *lab, ps_ref start, ps_ref done);
void lab_match(lab *lab, ps_ref send, ps_ref recv);
/* A blocking send and receive: enter and leave of both. */
void lab_message(lab *lab, ps_loc from, ps_time sent, ps_loc to, ps_time received);

/* Members in location order; every member sends and receives a byte. */
ps_coll *lab_coll(lab *lab, ps_comm comm, uint32_t root, const ps_ref *refs, uint32_t n);
/* All processes of communicator 0 in an operation; enter[] and leave[] by process. */
ps_coll *lab_all(lab *lab, ps_kind kind, uint32_t root, const ps_time *enter, const ps_time *leave);

/* The locations' first and last times, then the check, which has to succeed. */
const ps_clock_info *lab_check(lab *lab, ps_clock_mode mode);

ps_time lab_enter(const lab *lab, ps_ref ref);
ps_time lab_leave(const lab *lab, ps_ref ref);

#endif
