/* stack.h - the call stack of a lane for a while, as JSON: docs/HTML.md has the format. */
#ifndef PS_REPORT_PAGE_STACK_H
#define PS_REPORT_PAGE_STACK_H

#include "core/views/stacks.h"
#include "report/page/picture.h"

/* An object. The report's settings have its stacks. Times in ticks. */
ps_status ps_stack_put(const ps_picture *picture, uint32_t lane, uint32_t begin, uint32_t end, ps_output *out,
                       ps_error *err);

#endif
