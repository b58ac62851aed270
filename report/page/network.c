/* network.c - the network that a run used, for a picture of its links: of the machine that it was predicted
 * on, or as somebody says. */
#include "simulator/network/network.h"
#include "report/document/page.h"
#include "report/page/own.h"
#include "simulator/cost/machine.h"

#include <inttypes.h>
#include <string.h>

enum { LINKS = 100000 };

/* The page knows the presets itself. */
static bool is_preset(const char *spec)
{
        const ps_network_preset_info *preset;
        for (uint32_t i = 0; (preset = ps_network_preset_row(i)); i++)
                if (strlen(preset->name) == strcspn(spec, ":@") &&
                    strncmp(preset->name, spec, strlen(preset->name)) == 0)
                        return true;
        return false;
}

static void put_links(const ps_network *network, ps_output *out)
{
        uint32_t n = ps_network_links(network);
        ps_output_printf(out, ",\"nodes\":%" PRIu32 ",\"links\":[", ps_network_nodes(network));
        for (uint32_t i = 0; i < n && !ps_output_failed(out); i++) {
                ps_network_link link = ps_network_link_at(network, i);
                ps_output_printf(out, "%s[%" PRIu32 ",%" PRIu32 ",%.12g]", i ? "," : "", link.from, link.to,
                                 link.weight);
        }
        ps_output_putc(out, ']');
}

/* By process: the number of its node. Nobody said where processes are: each on the processor of its number.
 */
static void put_nodes(const ps_machine *machine, uint32_t n_processes, ps_output *out)
{
        ps_output_puts(out, ",\"nodeOf\":");
        for (uint32_t p = 0; p < n_processes; p++)
                ps_output_printf(out, "%c%" PRIu32, p ? ',' : '[', machine ? ps_machine_node(machine, p) : p);
        ps_output_puts(out, n_processes ? "]}" : "[]}");
}

ps_status ps_page_network_put(const ps_report *report, ps_output *out, ps_error *err)
{
        const ps_prediction *prediction = report->settings.prediction;
        const ps_machine *machine = prediction ? prediction->on : NULL;
        const char *name = report->settings.network;
        ps_network *network = NULL;
        if (machine && machine->model == PS_MODEL_TOPOLOGY && machine->network)
                name = machine->network;
        else
                machine = NULL;
        ps_output_puts(out, ",\n\"network\":");
        if (!name) {
                ps_output_puts(out, "null");
                return PS_OK;
        }
        if (!is_preset(name))
                PS_TRY(ps_network_read(&network, name, err));
        ps_output_puts(out, "{\"name\":");
        ps_html_script_text(out, name);
        if (network && ps_network_links(network) <= LINKS)
                put_links(network, out);
        put_nodes(machine, report->trace->defs.processes.n, out);
        ps_network_free(network);
        return PS_OK;
}
