/* select.h - which patterns are looked for: --only and --ignore. */
#ifndef PS_LIBRARY_RUN_SELECT_H
#define PS_LIBRARY_RUN_SELECT_H

#include "library/run/asked.h"
#include "patterns/engine/engine.h"

typedef struct ps_selection {
        uint8_t off[PS_MAX_PATTERNS];      /* for ps_analysis_options: not evaluated at all */
        uint8_t left_out[PS_MAX_PATTERNS]; /* for ps_report_settings: not shown; evaluated only where a row
                                            * below is wanted */
} ps_selection;

ps_status ps_selection_make(ps_selection *out, const ps_word_list *only, const ps_word_list *ignore,
                            ps_error *err);

/* The pattern whose id is text[0 .. len); an unknown one fails and names the nearest. */
ps_status ps_select_pattern(uint32_t *out, const char *text, size_t len, ps_error *err);

#endif
