/* print_config.c - patscan print-config: what the configuration says, and where. */
#include "app/cli/commands.h"
#include "app/cli/config.h"

ps_status ps_cmd_print_config(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_config config;
        (void)options;
        (void)code;
        ps_status status = ps_config_read(&config, NULL, err);
        PS_THEN(status, ps_config_print(&config, err));
        ps_config_clear(&config);
        return status;
}
