/* terms.h - words of the reports that are no patterns: what a cause is, the critical path, the fixes. */
#ifndef PS_REPORT_SUBJECTS_TERMS_H
#define PS_REPORT_SUBJECTS_TERMS_H

#include "report/subjects/manual.h"

extern const unsigned ps_n_terms;

const char *ps_term_id(unsigned term);
/* PS_NONE: there is no such word. */
uint32_t ps_term_find(const char *id);
void ps_term_write(ps_output *out, ps_manual_form form, unsigned term);
void ps_term_write_json(ps_output *out, unsigned term);

#endif
