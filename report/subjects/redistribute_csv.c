/* redistribute_csv.c - the transfers of a redistribution as a table, RFC 4180; those that stay on their
 * processor are in it, too. */
#include "report/subjects/redistribute.h"

#include <inttypes.h>

ps_status ps_redist_write_csv(const ps_redist_report *report, ps_output *out, ps_error *err)
{
        const ps_redist *r = report->redist;

        (void)err;
        ps_output_puts(out, "source,destination,elements\r\n");
        for (size_t i = 0; i < r->transfers.n && !ps_output_failed(out); i++) {
                const ps_redist_transfer *t = &r->transfers.row[i];
                ps_output_printf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\r\n", t->source, t->destination,
                                 t->elements);
        }
        return PS_OK;
}
