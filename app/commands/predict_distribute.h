/* predict_distribute.h - distributions to try: --distribute FILE:LINE=FORMAT,... */
#ifndef PS_APP_COMMANDS_PREDICT_DISTRIBUTE_H
#define PS_APP_COMMANDS_PREDICT_DISTRIBUTE_H

#include "app/cli/options.h"
#include "simulator/dvm/dvm.h"

typedef struct ps_overrides {
        ps_dvm_override *row;
        uint32_t n;
        ps_arena *arena; /* owns names and weights */
} ps_overrides;

/* To be freed, also after a failure. */
ps_status ps_overrides_parse(ps_overrides *out, const ps_word_list *texts, ps_error *err);
void ps_overrides_free(ps_overrides *overrides);

#endif
