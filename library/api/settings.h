/* settings.h - the option structs of patscan.h and what is asked for inside (library/run/asked.h): one table
 * says which member is which. */
#ifndef PS_LIBRARY_API_SETTINGS_H
#define PS_LIBRARY_API_SETTINGS_H

#include "core/base/arena.h"
#include "library/run/asked.h"
#include "patscan/patscan.h"

typedef enum ps_setting_group {
        PS_SETTINGS_OPEN,    /* patscan_open_options */
        PS_SETTINGS_ANALYZE, /* patscan_analyze_options */
        PS_SETTINGS_COMPARE, /* patscan_compare_options */
        PS_SETTINGS_INFO,    /* patscan_info_options */
        PS_SETTINGS_PREDICT, /* patscan_predict_options */
        PS_SETTING_GROUPS
} ps_setting_group;

/* `from` is such a struct, or NULL: nothing is asked for. Texts are copied into the arena. */
ps_status ps_settings_take(ps_options *to, ps_setting_group group, const void *from, ps_arena *arena,
                           ps_error *err);

/* The other way round, for a program that has read its command line: fills in the struct at `to` but for what
 * only programs have. Texts are those of `from`, or lie in `words`. */
enum { PS_SETTINGS_WORDS = 4, PS_SETTINGS_WORD = 16 };
typedef char ps_settings_words[PS_SETTINGS_WORDS][PS_SETTINGS_WORD];
void ps_settings_give(void *to, ps_setting_group group, const ps_options *from, ps_settings_words words);

#endif
