/* regions.h - names parts of a program, for `patscan record`:
 *
 *         #include <patscan/regions.h>
 *
 *         PATSCAN_BEGIN("time step");
 *         ...
 *         PATSCAN_END("time step");
 *
 * Nothing is linked, and without `patscan record` nothing is done. A part ends in the thread that began it;
 * who ends one also ends those that were begun in it and are still open. Names are texts of any kind, of
 * which 200 bytes count. */
#ifndef PATSCAN_REGIONS_H
#define PATSCAN_REGIONS_H

typedef void patscan_region_function(const char *name);

/* The recorder's functions are there if it is loaded. Linkers make nothing of a weak symbol in a program at a
 * fixed address unless it is asked for as in one that may lie anywhere. */
#if defined(__x86_64__) && defined(__ELF__)
#define PATSCAN_FIND(out, symbol)                                                                            \
        __asm__(".weak " #symbol "\n\tmovq " #symbol "@GOTPCREL(%%rip), %0" : "=r"(out))
#else
#ifdef __cplusplus
extern "C" {
#endif
extern patscan_region_function patscan_region_begin __attribute__((weak));
extern patscan_region_function patscan_region_end __attribute__((weak));
#ifdef __cplusplus
}
#endif
#define PATSCAN_FIND(out, symbol) ((out) = (symbol))
#endif

#define PATSCAN_CALL(symbol, name)                                                                           \
        do {                                                                                                 \
                patscan_region_function *patscan_found;                                                      \
                PATSCAN_FIND(patscan_found, symbol);                                                         \
                if (patscan_found)                                                                           \
                        patscan_found(name);                                                                 \
        } while (0)

#define PATSCAN_BEGIN(name) PATSCAN_CALL(patscan_region_begin, name)
#define PATSCAN_END(name)   PATSCAN_CALL(patscan_region_end, name)

#endif
