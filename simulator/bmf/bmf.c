/* bmf.c - see bmf.h. How many processors a program needs is known only after it has run; so, unless
 * the number is given, it runs once without a machine's time. What a program computes depends on no time. */
#include "simulator/bmf/bmf.h"

#include "simulator/bmf/eval.h"

#include <math.h>
#include <stdlib.h>

static ps_status check_cost(double cost, const char *what, ps_error *err)
{
        if (isfinite(cost) && cost >= 0)
                return PS_OK;
        return PS_FAIL(err, PS_E_USAGE, "bad cost: of=\"%s\", cost=%g, least=0", what, cost);
}

static ps_status check_run_options(const ps_bmf_options *o, const ps_bmf_limits *limits, ps_error *err)
{
        const ps_bmf_costs *c = &o->costs;
        PS_TRY(check_cost(c->send_fixed, "send", err));
        PS_TRY(check_cost(c->send_byte, "send, for each byte", err));
        PS_TRY(check_cost(c->receive_fixed, "receive", err));
        PS_TRY(check_cost(c->receive_byte, "receive, for each byte", err));
        PS_TRY(check_cost(c->transport, "transport", err));
        PS_TRY(check_cost(c->work, "operation", err));
        if (c->unit <= 0)
                return PS_FAIL(err, PS_E_USAGE, "a unit of time must not be 0");
        if (o->n_processors > limits->processors)
                return PS_FAIL(err, PS_E_USAGE, "too many processors: asked=%u, most=%llu", o->n_processors,
                               (unsigned long long)limits->processors);
        return PS_OK;
}

static ps_status write_result(char **out, const ps_bmf_program *program, ps_bmf_value value,
                              const ps_bmf_limits *limits, ps_error *err)
{
        size_t len = 0;
        if (!ps_bmf_is_scalar(value) && value.object->parts > limits->items)
                return ps_bmf_fail(err, PS_E_INPUT, &program->root->place, NULL,
                                   "the result is too large to be written: limit=%llu",
                                   (unsigned long long)limits->items);
        FILE *file = open_memstream(out, &len);
        if (!file)
                return PS_NOMEM(err, "result", 1);
        ps_bmf_value_write(value, file);
        int failed = ferror(file);
        if (fclose(file) != 0 || failed || !*out) /* it may close without an error, and without a text */
                return PS_NOMEM(err, "result", len);
        return PS_OK;
}

/* Runs the program on the machine; `result` may be NULL. */
static ps_status run_on(ps_bmf_machine *machine, char **result, ps_error *err)
{
        const ps_bmf_program *program = machine->program;
        const ps_bmf_limits *limits = machine->limits;
        ps_bmf_value value;
        ps_bmf_eval e = {.machine = machine,
                         .limits = limits,
                         .pool = {ps_arena_new(), limits->items},
                         .err = err,
                         .steps = limits->steps};
        ps_status status = e.pool.arena ? PS_OK : PS_NOMEM(err, "values", 1);
        PS_THEN(status, ps_bmf_evaluate(&e, program->root, program->data, 0, &value));
        PS_THEN(status, ps_bmf_machine_finish(machine));
        if (status == PS_OK && result)
                status = write_result(result, program, value, limits, err);
        ps_arena_free(e.pool.arena);
        return status;
}

static ps_status count_processors(uint32_t *out, const ps_bmf_program *program, const ps_bmf_limits *limits,
                                  ps_error *err)
{
        ps_bmf_machine machine;
        ps_status status = ps_bmf_machine_init(&machine, program, (uint32_t)limits->processors, NULL, NULL,
                                               NULL, limits, err);
        PS_THEN(status, run_on(&machine, NULL, err));
        *out = machine.n_used;
        ps_bmf_machine_clear(&machine);
        return status;
}

static ps_status run_timed(ps_bmf_run *out, const ps_bmf_program *program, const ps_bmf_options *options,
                           const ps_bmf_limits *limits, ps_error *err)
{
        ps_bmf_machine machine = {0};
        ps_network *network = NULL;
        ps_status status = ps_recording_new(&out->recording, "BMF", err);
        if (status == PS_OK && options->network)
                status = ps_network_open(&network, options->network, out->n_processors, err);
        PS_THEN(status, ps_bmf_machine_init(&machine, program, out->n_processors, &options->costs, network,
                                            out->recording, limits, err));
        PS_THEN(status, run_on(&machine, &out->result, err));
        out->n_messages = machine.n_messages;
        ps_bmf_machine_clear(&machine);
        ps_network_free(network);
        return status;
}

ps_status ps_bmf_simulate(ps_bmf_run *out, const ps_bmf_program *program, const ps_bmf_options *options,
                          ps_error *err)
{
        const ps_bmf_limits *limits = options->limits ? options->limits : &ps_bmf_limits_default;
        *out = (ps_bmf_run){.n_processors = options->n_processors};
        ps_status status = check_run_options(options, limits, err);
        if (status == PS_OK && !out->n_processors)
                status = count_processors(&out->n_processors, program, limits, err);
        PS_THEN(status, run_timed(out, program, options, limits, err));
        if (status != PS_OK)
                ps_bmf_run_clear(out);
        return status;
}

void ps_bmf_run_clear(ps_bmf_run *run)
{
        free(run->result);
        ps_recording_free(run->recording);
        *run = (ps_bmf_run){0};
}
