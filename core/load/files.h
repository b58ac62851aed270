/* files.h - files of locations that took each other's place. */
#ifndef PS_CORE_LOAD_FILES_H
#define PS_CORE_LOAD_FILES_H

#include "core/base/error.h"
#include "core/model/trace.h"

/* Notes the issues. To be asked when messages are matched and times are as they were recorded. */
ps_status ps_files_check(ps_trace *trace, ps_error *err);

#endif
