/* newer.h - what newer processors have instructions for that others need some for: a function that is
 * PS_NEWER is called where ps_newer_can(), and another one with the same in it elsewhere. */
#ifndef PS_CORE_ORDER_NEWER_H
#define PS_CORE_ORDER_NEWER_H

#include <stdbool.h>

#if defined(__x86_64__)
#define PS_NEWER __attribute__((target("avx2,bmi,bmi2")))

static inline bool ps_newer_can(void)
{
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2");
}
#else
#define PS_NEWER

static inline bool ps_newer_can(void)
{
        return false;
}
#endif

#endif
