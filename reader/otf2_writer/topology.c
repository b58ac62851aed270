/* topology.c - see topology.h. Ranks that have the same neighbours share a text. */
#include "reader/otf2_writer/topology.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANK_ROOM = 11 };

static uint32_t text_of(ps_otf2_out *out, const uint32_t *ranks, uint32_t n)
{
        size_t room = n * (size_t)RANK_ROOM + 1, at = 0;
        char *text = malloc(room);
        out->is_out_of_memory |= !text;
        if (!text)
                return 0;
        *text = '\0';
        for (uint32_t i = 0; i < n; i++)
                at += (size_t)snprintf(text + at, room - at, i ? " %u" : "%u", ranks[i]);
        uint32_t id = ps_otf2_out_text(out, text);
        free(text);
        return id;
}

static void write_neighbours(ps_otf2_out *out, ps_comm comm, ps_map *texts)
{
        const ps_comm_def *def = &out->defs->comms.row[comm];
        char name[32];
        snprintf(name, sizeof(name), "PATSCAN::NEIGHBOURS:%u", comm);
        uint32_t n, name_id = ps_otf2_out_text(out, name);
        for (uint32_t i = 0; i < def->n_near; i++) {
                const uint32_t *ranks = ps_near_of(out->defs, def, def->near[i].rank, &n);
                size_t before = texts->n;
                ps_time *id = ps_map_at(texts, def->near[i].list, 0, 0);
                out->is_out_of_memory |= !id;
                if (!id)
                        return;
                if (texts->n > before)
                        *id = text_of(out, ranks, n);
                OTF2_AttributeValue value = {.stringRef = (uint32_t)*id};
                ps_otf2_out_check(out, OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                                               out->global, def->members[def->near[i].rank], name_id,
                                               OTF2_TYPE_STRING, value));
        }
}

void ps_otf2_out_topology(ps_otf2_out *out)
{
        ps_map texts = {0};
        for (ps_comm comm = 0; comm < out->defs->comms.n; comm++)
                if (out->defs->comms.row[comm].n_near)
                        write_neighbours(out, comm, &texts);
        ps_map_free(&texts);
}
