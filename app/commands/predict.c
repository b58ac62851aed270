/* predict.c - patscan predict: how long a program would take on another machine. How that is found out
 * depends on what the trace is: one table. */
#include "app/commands/predict.h"
#include "reader/dvm/dvm.h"
#include "reader/reader.h"
#include "simulator/machine/file.h"

#include <string.h>

static const struct {
        const ps_reader_class *format;
        ps_predict_way *run;
} ways[] = {{&ps_dvm_reader, ps_predict_dvm}};

enum { N_WAYS = sizeof(ways) / sizeof(ways[0]) };

/* Whatever has operations can be replayed. */
static ps_status find_way(ps_predict_way **out, const char *path, ps_error *err)
{
        const ps_reader_class *format;
        ps_status status = ps_reader_find(&format, path, err);
        *out = ps_predict_replay;
        for (unsigned i = 0; i < N_WAYS && status == PS_OK; i++)
                if (ways[i].format == format)
                        *out = ways[i].run;
        return status;
}

/* What is asked of no machine, an edit alone or what the length depends on, is asked of the run as it was
 * recorded. */
static ps_status open_machine(ps_predict_machine *out, const ps_options *options, ps_error *err)
{
        static const char recorded[] = "recorded";
        const ps_word_list *machines = &options->machine.names;
        const size_t n = sizeof(recorded) - 1;
        if (!machines->n && (options->n_arguments > 1 || options->predict.sensitivity))
                return PS_OK;
        if (!machines->n)
                return PS_FAIL(err, PS_E_USAGE,
                               "patscan predict needs --machine: a file, a preset, or \"recorded\"");
        const char *name = machines->row[0];
        if (machines->n > 1)
                return PS_FAIL(err, PS_E_USAGE,
                               "a prediction is for one machine only: first=\"%s\", second=\"%s\"", name,
                               machines->row[1]);
        if (strncmp(name, recorded, n) != 0 || (name[n] && name[n] != ':'))
                return ps_machine_open(&out->machine, name, err);
        return name[n] ? ps_machine_open(&out->divider, name + n + 1, err) : PS_OK;
}

ps_status ps_cmd_predict(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_plan plan = {0};
        ps_predict_machine on = {0};
        ps_predict_way *way;
        ps_status status = ps_plan_make(&plan, options, err);
        PS_THEN(status, ps_predict_check_write(options, err));
        PS_THEN(status, find_way(&way, options->arguments[0], err));
        PS_THEN(status, open_machine(&on, options, err));
        if (status == PS_OK && ps_predict_is_sweep(options)) {
                if (way != ps_predict_replay)
                        status = PS_FAIL(err, PS_E_USAGE, "edits of a DVM trace have one value each");
                way = ps_predict_sweep;
        }
        PS_THEN(status, way(options, &plan, &on, code, err));
        ps_machine_free(on.machine);
        ps_machine_free(on.divider);
        ps_plan_clear(&plan);
        return status;
}
