/* parts.c - what a page that is served asks for later: see timeline.h. */
#include "report/page/own.h"
#include "report/page/stack.h"

#include <inttypes.h>
#include <stdlib.h>

void ps_timeline_free(ps_timeline *k)
{
        if (!k)
                return;
        ps_picture_clear(&k->picture);
        ps_lanes_clear(&k->lanes);
        ps_sites_free(k->sites);
        free(k->number_of_path);
        free(k);
}

uint32_t ps_timeline_lanes(const ps_timeline *k)
{
        return k->picture.n_lanes;
}

uint32_t ps_timeline_end(const ps_timeline *k)
{
        return k->picture.end;
}

ps_status ps_timeline_put_stack(const ps_timeline *k, uint32_t lane, uint32_t begin, uint32_t end,
                                ps_output *out, ps_error *err)
{
        if (!k->report->settings.stacks)
                return PS_FAIL(err, PS_E_USAGE, "the format has no call stacks: format=%s",
                               k->report->trace->format);
        return ps_stack_put(&k->picture, lane, begin, end, out, err);
}

/* Of more operations bins are told only: nobody likes to wait, and a screen has not so many pixels. */
enum { MOST_OPERATIONS = 150000, OPERATIONS_OF_A_LANE = 4000, OPERATIONS_OF_A_FEW = 20000 };

static bool is_long(const ps_picture_part *part, uint64_t n)
{
        return n > MOST_OPERATIONS ||
               n > OPERATIONS_OF_A_FEW + (uint64_t)OPERATIONS_OF_A_LANE * part->n_lanes;
}

static ps_status put_picture(const ps_timeline *k, const ps_picture *p, ps_output *out, ps_error *err)
{
        ps_packed packed;
        ps_output_printf(out,
                         ",\"bins\":%" PRIu32 ",\"mixed\":%" PRIu64 ",\"messagesLeftOut\":%" PRIu64
                         ",\"columns\":[",
                         p->n_bins, p->mixed.n + p->waits_left_out.n, p->messages_left_out);
        ps_columns_put_names(p, k->number_of_path, out);
        ps_output_puts(out, "],\"data\":\"");
        ps_status status = ps_columns_pack(&packed, p, k->number_of_path, err);
        if (status == PS_OK)
                ps_packed_put(&packed, out);
        ps_output_putc(out, '"');
        ps_packed_clear(&packed);
        return status;
}

ps_status ps_timeline_put_part(const ps_timeline *k, const ps_picture_part *part, ps_output *out,
                               ps_error *err)
{
        uint64_t n = ps_picture_operations(&k->picture, part);
        bool is_bins = is_long(part, n);
        ps_picture_bins from_to = {part->begin, part->end};
        ps_picture p = {0};
        ps_status status = is_bins ? ps_picture_make_bins(&p, &from_to, &k->picture, part, err)
                                   : ps_picture_make_part(&p, &k->picture, part, err);
        ps_output_printf(out, "{\"from\":%.12g,\"to\":%.12g,\"operations\":%" PRIu64, from_to.begin,
                         from_to.end, n);
        if (status == PS_OK && (!is_bins || p.shares))
                status = put_picture(k, &p, out, err);
        ps_output_putc(out, '}');
        ps_picture_clear(&p);
        return status;
}
