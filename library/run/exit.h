/* exit.h - how a program ends that did what was asked, or did not. */
#ifndef PS_LIBRARY_RUN_EXIT_H
#define PS_LIBRARY_RUN_EXIT_H

typedef enum ps_exit {
#define PS_EXIT(id, code, meaning) PS_EXIT_##id = code,
#include "library/run/exit.def"
#undef PS_EXIT
} ps_exit;

#endif
