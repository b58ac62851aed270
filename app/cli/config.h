/* config.h - what a project or a person sets for every analysis: .patscan.json, and a file like it for all
 * projects.
 *
 * An option overrides the environment, which overrides the project's file, which overrides the person's. */
#ifndef PS_APP_CLI_CONFIG_H
#define PS_APP_CLI_CONFIG_H

#include "app/cli/options.h"
#include "core/base/arena.h"
#include "report/facts/ignored.h"

enum {
#define PS_CONFIG(...) +1
        PS_CONFIG_KEYS =
#include "app/cli/config.def"
#undef PS_CONFIG
};

typedef struct ps_config_value {
        const char *from; /* the file, or the variable of the environment; NULL: nobody says */
        ps_word_list values;
} ps_config_value;

typedef struct ps_config {
        ps_arena *arena;
        ps_config_value value[PS_CONFIG_KEYS];
        ps_ignored *ignored;
        uint32_t n_ignored, cap_ignored;
        const char *file[2]; /* the person's, the project's */
        unsigned n_files;
        char says[512]; /* what ps_config_apply() has changed */
        ps_configured configured;
} ps_config;

/* Of the nearest project from `folder` upwards, NULL: from here. What is no configuration is PS_E_USAGE. To
 * be cleared, also after a failure. */
ps_status ps_config_read(ps_config *out, const char *folder, ps_error *err);
void ps_config_clear(ps_config *config);

/* Sets the options of the command that the command line does not. */
ps_status ps_config_apply(ps_config *config, ps_options *options, ps_error *err);
ps_status ps_config_print(const ps_config *config, ps_error *err);

/* Adds a site to the nearest project's file, or to a new one in `folder`, and to what was read. */
ps_status ps_config_ignore(ps_config *config, const char *folder, const char *site, const char *reason,
                           ps_error *err);

#endif
