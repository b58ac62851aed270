/* machines.c - patscan machines: the presets with their formulas, or one machine as a file to start from.
 */
#include "app/cli/commands.h"
#include "report/print/text.h"
#include "simulator/machine/file.h"

#include <string.h>

enum { INDENT = 4, WIDTH_MAX = 100 };

/* What is said of a machine in the list. */
typedef struct entry {
        const ps_preset *preset;
        const ps_machine *machine;
        const char *model, *formula;
} entry;

typedef struct list {
        ps_output *out;
        ps_row row;
} list;

/* -- forms of the list -- */

static void put_line(ps_output *out, const char *label, const char *text)
{
        unsigned width = ps_output_width(out) < WIDTH_MAX ? ps_output_width(out) : WIDTH_MAX;
        ps_output_printf(out, "%*s%s", INDENT, "", label);
        ps_text_wrap(out, text, INDENT + (unsigned)strlen(label), width);
        ps_output_putc(out, '\n');
}

static void put_machine(list *l, const entry *e)
{
        ps_output_style(l->out, PS_BOLD);
        ps_output_puts(l->out, e->preset->name);
        ps_output_style(l->out, PS_PLAIN);
        ps_output_printf(l->out, ": %s (%s)\n", e->preset->title, e->model);
        put_line(l->out, "", e->formula);
        put_line(l->out, "numbers: ", e->preset->numbers);
        ps_output_putc(l->out, '\n');
}

static void put_markdown(list *l, const entry *e)
{
        ps_output_printf(l->out, "| `%s` | %s | %s | `%s` | %s |\n", e->preset->name, e->preset->title,
                         e->model, e->formula, e->preset->numbers);
}

static void put_json(list *l, const entry *e)
{
        ps_row_open(&l->row, NULL, '{');
        ps_row_text(&l->row, "name", e->preset->name);
        ps_row_text(&l->row, "title", e->preset->title);
        ps_row_text(&l->row, "model", e->model);
        ps_row_text(&l->row, "formula", e->formula);
        ps_row_text(&l->row, "numbers", e->preset->numbers);
        ps_machine_put(&l->row, "file", e->machine);
        ps_row_close(&l->row, '}');
}

/* -- the list -- */

static ps_status each_preset(list *l, void (*put)(list *, const entry *), ps_error *err)
{
        for (uint32_t i = 0; i < ps_n_presets; i++) {
                char formula[PS_FORMULA_ROOM];
                ps_machine *machine;
                ps_status status = ps_machine_open(&machine, ps_presets[i].name, err);
                if (status == PS_OK)
                        put(l, &(entry){&ps_presets[i], machine, ps_models[machine->model].name,
                                        ps_machine_formula(machine, formula)});
                ps_machine_free(machine);
                if (status != PS_OK)
                        return status;
        }
        return PS_OK;
}

static ps_status write_list(const ps_options *options, ps_output *out, ps_error *err)
{
        list l = {.out = out, .row = {.out = out, .style = PS_ROW_INDENTED}};
        ps_status status;
        if (options->manual.json) {
                ps_row_open(&l.row, NULL, '{');
                ps_row_open(&l.row, "machines", '[');
                status = each_preset(&l, put_json, err);
                ps_row_close(&l.row, ']');
                ps_row_close(&l.row, '}');
                ps_output_putc(out, '\n');
                return status;
        }
        if (!options->manual.markdown) {
                status = each_preset(&l, put_machine, err);
                ps_output_puts(out,
                               "\"patscan machines NAME\" prints one of them as a file to start from.\n");
                return status;
        }
        ps_output_puts(out, "| machine | what it is | model | formula | where the numbers come from |\n"
                            "|---|---|---|---|---|\n");
        return each_preset(&l, put_markdown, err);
}

/* A machine in any of its forms, as JSON. */
static ps_status write_file(const char *spec, ps_output *out, ps_error *err)
{
        ps_machine *machine;
        ps_status status = ps_machine_open(&machine, spec, err);
        if (status == PS_OK) {
                ps_machine_put(&(ps_row){.out = out, .style = PS_ROW_INDENTED}, NULL, machine);
                ps_output_putc(out, '\n');
        }
        ps_machine_free(machine);
        return status;
}

ps_status ps_cmd_machines(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_output *out;
        (void)code;
        if (options->n_arguments && options->manual.markdown)
                return PS_FAIL(err, PS_E_USAGE,
                               "--markdown is for the list of machines; a single one is printed as JSON");
        PS_TRY(ps_output_open(&out, options->reports.output ? options->reports.output : "-",
                              (ps_color_mode)options->terminal.color, err));
        ps_status status = options->n_arguments ? write_file(options->arguments[0], out, err)
                                                : write_list(options, out, err);
        if (status != PS_OK)
                ps_output_discard(out);
        return status != PS_OK ? status : ps_output_commit(out, err);
}
