/* region_dvm.h - what a region of a program of the DVM system is, beyond what regions of all programs are. */
#ifndef PS_CORE_MODEL_REGION_DVM_H
#define PS_CORE_MODEL_REGION_DVM_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ps_purpose {
#define PS_PURPOSE(id, key) PS_FOR_##id,
#include "core/model/purposes.def"
#undef PS_PURPOSE
        PS_N_PURPOSES
} ps_purpose;

typedef enum ps_mark {
#define PS_MARK(id, key) PS_MARK_##id,
#include "core/model/purposes.def"
#undef PS_MARK
        PS_N_MARKS
} ps_mark;

/* All zero: nothing, as in every other program. */
typedef struct ps_region_dvm {
        uint32_t copies; /* so many processors do the same in it; 0: not told */
        uint8_t purpose; /* ps_purpose: of what communicates in it and below it */
        uint8_t mark;    /* ps_mark: it is an interval */
        uint8_t counts;  /* each visit is an operation of that purpose, or of input and output */
        uint8_t has_index;
        int64_t index; /* the value of the interval's expression */
} ps_region_dvm;

bool ps_region_dvm_is_any(const ps_region_dvm *part);
bool ps_region_dvm_is_same(const ps_region_dvm *a, const ps_region_dvm *b);

/* As words, for formats that have a text for each region: "dvm: copies=4 purpose=shadow". */
enum { PS_REGION_DVM_ROOM = 96 };
const char *ps_region_dvm_text(char room[PS_REGION_DVM_ROOM], const ps_region_dvm *part);
/* What is no such text is nothing. */
ps_region_dvm ps_region_dvm_parse(const char *text);

#endif
