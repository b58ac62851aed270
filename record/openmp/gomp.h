/* gomp.h - the numbers of what is called for OpenMP: first what gcc calls, then constructs by whatever
 * function. */
#ifndef PS_RECORD_OPENMP_GOMP_H
#define PS_RECORD_OPENMP_GOMP_H

#include "record/openmp/openmp.h"

enum {
        PS_GOMP_BEFORE = PS_SHIM_OPENMP - 1,
#define GOMP_PARALLEL(type, name, parameters, arguments)           PS_GOMP_##name,
#define GOMP_WAIT(construct, type, name)                           PS_GOMP_##name,
#define GOMP_LOOP(type, name, parameters, arguments)               PS_GOMP_##name,
#define GOMP_END(type, name)                                       PS_GOMP_##name,
#define GOMP_TAKE(construct, name, parameters, arguments, lock_of) PS_GOMP_##name,
#define GOMP_GIVE(construct, name, parameters, arguments, lock_of) PS_GOMP_##name,
#define GOMP_TRY(name)                                             PS_GOMP_##name,
#include "record/openmp/gomp.def"
        PS_GOMP_CONSTRUCTS /* and the constructs behind it */
};

#endif
