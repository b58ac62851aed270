/* places.c - places in a location's file to read its call stack from: see core/model/stack_places.h. */
#include "core/fold/builder.h"
#include "core/model/stack_places.h"

void ps_builder_keep_places(ps_builder *b, ps_stack_places *places)
{
        b->places = places;
}

bool ps_builder_wants_place(const ps_builder *b, uint64_t offset)
{
        return b->places && b->info.n_events && ps_stack_places_want(b->places, offset);
}

ps_status ps_builder_add_place(ps_builder *b, const ps_stream_mark *at, ps_error *err)
{
        ps_stack_places *p = b->places;
        const ps_stack_place place = {
                .at = *at, .time = b->info.last, .first = p->open.n, .n_open = b->stack.n};
        p->begin = b->info.first;
        for (uint32_t i = 0; i < b->stack.n; i++) {
                const struct frame *f = &b->stack.row[i];
                if (PS_PUSH(p->open,
                            (ps_open_function){f->enter, f->region < b->defs->regions.n ? f->region : PS_NONE,
                                               false}))
                        return PS_NOMEM(err, "open functions", p->open.n);
        }
        return PS_PUSH(p->places, place) ? PS_NOMEM(err, "places in a file", p->places.n) : PS_OK;
}
