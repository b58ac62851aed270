/* record.c - patscan record: runs a program and records it. */
#include "app/commands/recorded.h"

ps_status ps_cmd_record(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_recorded recorded;
        PS_TRY(ps_record_run(&recorded, options, err));
        *code = (ps_exit)recorded.status;
        return PS_OK;
}
