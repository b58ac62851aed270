/* machine.c - machines by their names. */
#include "library/api/handle.h"
#include "simulator/machine/file.h"

#include <stdlib.h>
#include <string.h>

static const char recorded[] = "recorded";

/* "recorded", or "recorded:FILE", which says how latency and bandwidth share what is recorded. */
static bool is_recorded(const char *name)
{
        size_t n = strlen(recorded);

        return strncmp(name, recorded, n) == 0 && (!name[n] || name[n] == ':');
}

static ps_status open_machine(patscan_machine *m, const char *name, ps_error *err)
{
        m->name = strdup(name);
        if (!m->name)
                return PS_NOMEM(err, "machine", 1);
        if (!is_recorded(name))
                return ps_machine_open(&m->machine, name, err);
        const char *colon = strchr(name, ':');
        return colon ? ps_machine_open(&m->divider, colon + 1, err) : PS_OK;
}

static void delete_machine(patscan_machine *m)
{
        ps_machine_free(m->machine);
        ps_machine_free(m->divider);
        free(m->name);
        free(m);
}

patscan_status patscan_machine_open(patscan_machine **out, const char *name, patscan_error *err)
{
        *out = NULL;
        patscan_machine *m = calloc(1, sizeof(*m));
        if (!m)
                return PS_NOMEM(err, "machine", 1);
        m->owners = 1;
        ps_status status = open_machine(m, name, err);
        if (status != PS_OK) {
                delete_machine(m);
                return status;
        }
        *out = m;
        return PS_OK;
}

void patscan_machine_free(patscan_machine *m)
{
        if (m && !--m->owners)
                delete_machine(m);
}

patscan_machine *ps_handle_share(const patscan_machine *machine)
{
        // NOLINTNEXTLINE(performance-no-int-to-ptr): const goes; what is told of it stays the same
        patscan_machine *m = (patscan_machine *)(uintptr_t)machine;
        m->owners++;
        return m;
}
