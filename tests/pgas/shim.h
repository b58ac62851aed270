/* shim.h - what the library of UPC guarantees about time, done with MPI: a process is a thread of UPC.
 *
 * This is no UPC: there is no compiler, shared data are plain buffers, and what is measured are MPI's times
 * with UPC's synchronisation. Each call is recorded (record.h) with the place that it is called from. */
#ifndef PS_TESTS_PGAS_SHIM_H
#define PS_TESTS_PGAS_SHIM_H

#include <stddef.h>

extern int MYTHREAD, THREADS;

/* Modes are "ALL", "MY", "NO"; NULL: not to be recorded, and then as "ALL". */
typedef struct shim_place {
        const char *file;
        int line;
        const char *in, *out;
} shim_place;

#define HERE                                                                                                 \
        (shim_place)                                                                                         \
        {                                                                                                    \
                __FILE__, __LINE__, NULL, NULL                                                               \
        }
#define HERE_WITH(in, out)                                                                                   \
        (shim_place)                                                                                         \
        {                                                                                                    \
                __FILE__, __LINE__, in, out                                                                  \
        }

void shim_begin(int *argc, char ***argv);
void shim_end(void);

/* The next call of this thread goes on for so long behind its end: as a slow runtime makes it. */
void shim_drag(int ms);

void shim_broadcast(shim_place at, int root, int bytes);
void shim_scatter(shim_place at, int root, int bytes);
void shim_gather(shim_place at, int root, int bytes);
void shim_reduce(shim_place at, int root, int bytes);
void shim_exchange(shim_place at, int bytes);
void shim_gather_all(shim_place at, int bytes);
void shim_permute(shim_place at, int bytes);
void shim_prefix_reduce(shim_place at, int bytes);
void shim_barrier(shim_place at);
void shim_notify(shim_place at);
void shim_wait(shim_place at);
void shim_fence(shim_place at);
void shim_all_alloc(shim_place at, size_t bytes);
void shim_lock(shim_place at, int lock);
void shim_unlock(shim_place at, int lock);
void shim_memput(shim_place at, int target, int bytes);
void shim_memget(shim_place at, int target, int bytes);
void shim_atomic_add(shim_place at, int target);

#endif
