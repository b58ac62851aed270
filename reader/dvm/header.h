/* header.h - the lines that frame a call: call_NAME, ret_NAME and the one that ends the program, each
 * with TIME=, LINE= and FILE=. */
#ifndef PS_READER_DVM_HEADER_H
#define PS_READER_DVM_HEADER_H

#include "core/base/types.h"
#include <stddef.h>

typedef enum ps_dvm_header_kind {
        PS_DVM_H_NONE,
        PS_DVM_H_CALL,
        PS_DVM_H_RET,
        PS_DVM_H_EXIT
} ps_dvm_header_kind;

typedef struct ps_dvm_header {
        ps_dvm_header_kind kind;
        const char *name; /* without call_ or ret_; not terminated, no NUL in it */
        size_t name_len;
        ps_time time;
        int64_t line;
        const char *file;
        size_t file_len;
        const char *wrong; /* the field that is missing or no number, or NULL */
} ps_dvm_header;

/* Whether the line is one of them: such a word, and TIME behind it. */
bool ps_dvm_header_scan(ps_dvm_header *out, const char *at, const char *end);

#endif
