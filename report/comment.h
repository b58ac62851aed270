/* comment.h - what happened at a finding, in a sentence. */
#ifndef PS_REPORT_COMMENT_H
#define PS_REPORT_COMMENT_H

#include "report/report.h"

enum { PS_COMMENT_ROOM = 1024 };

/* Needs the finding's places. Returns the number of bytes, without the NUL. */
size_t ps_comment_write(char room[PS_COMMENT_ROOM], const ps_report *report, const ps_report_finding *f);

#endif
