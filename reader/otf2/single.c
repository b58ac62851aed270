/* single.c - a record whose fields are plain, as an event that goes to the builder at once. So records that
 * are not in calls of their own sort, and those of seldom sorts, are folded where they stand, too. */
#include "reader/otf2/fold.h"
#include "reader/otf2/plain.h"

#include <otf2/OTF2_Events.h>

/* A value of a record, as records.c has them; false: it is not plain, or belongs to one that is not. */
static bool take_value(const uint8_t **p, char field, ps_event *e)
{
        uint64_t number = 0;
        uint32_t ignored;
        switch (field) {
        case 'P':
                return ps_otf2_plain_rank(p, &e->peer);
        case 'R':
                return ps_otf2_plain_root(p, &e->peer);
        case 't':
                return ps_otf2_plain_number32(p, &e->tag);
        case 'h':
        case 'l':
                return ps_otf2_plain_number32(p, &e->ref);
        case '-':
                return ps_otf2_plain_number32(p, &ignored);
        case 'b':
                return ps_otf2_plain_number(p, 8, &e->bytes);
        case 'B':
                return ps_otf2_plain_number(p, 8, &e->received);
        case 'q':
                return ps_otf2_plain_number(p, 8, &e->request);
        case 'd':
                if (!ps_otf2_plain_number(p, 8, &number) || number >= PS_NONE)
                        return false;
                e->tag = (uint32_t)number;
                return true;
        case 'k':
                e->op = ps_otf2_collective_kind(*(*p)++, 0);
                return true;
        case 'K':
        case 'o':
                e->op = *(*p)++;
                return true;
        case 'v':
                e->op = *(*p)++ == OTF2_MEASUREMENT_ON;
                return true;
        case '.':
                ++*p;
                return true;
        default:
                return false;
        }
}

static bool take_text(ps_stream *s, const uint8_t **p, ps_event *e)
{
        uint32_t text = 0;
        bool is_plain = ps_otf2_plain_reference(s, OTF2_MAPPING_STRING, p, &text);
        e->bytes = text;
        return is_plain;
}

static bool take_field(ps_stream *s, const uint8_t **p, char field, ps_event *e)
{
        switch (field) {
        case 'r':
                return ps_otf2_plain_reference(s, OTF2_MAPPING_REGION, p, &e->ref);
        case 'x':
                return ps_otf2_plain_reference(s, OTF2_MAPPING_CALLING_CONTEXT, p, &e->ref);
        case 'w':
                return ps_otf2_plain_reference(s, OTF2_MAPPING_RMA_WIN, p, &e->ref);
        case 'c':
                return ps_otf2_plain_reference(s, OTF2_MAPPING_COMM, p, &e->comm);
        case 'g':
                return ps_otf2_plain_reference(s, OTF2_MAPPING_GROUP, p, &e->comm);
        case 'p':
                return ps_otf2_plain_reference(s, OTF2_MAPPING_PARAMETER, p, &e->ref);
        case 's':
                e->op = 1;
                return take_text(s, p, e);
        default:
                return take_value(p, field, e);
        }
}

const uint8_t *ps_otf2_fold_event(ps_stream *s, ps_builder *b, const uint8_t *at, const uint8_t *p,
                                  unsigned code, ps_time time)
{
        const uint8_t *end = p + 1 + *p;
        if (code >= ps_otf2_n_records)
                return NULL;
        const char *field = ps_otf2_records[code].fields;
        bool has_length = *field != '!';
        if (has_length && *p > PS_OTF2_PLAIN_BYTES)
                return NULL;
        if (has_length)
                p++;
        else
                field++;
        ps_event e = {.time = time,
                      .ref = PS_NONE,
                      .peer = PS_NONE,
                      .comm = PS_NONE,
                      .code = (uint16_t)code,
                      .kind = ps_otf2_records[code].kind,
                      .offset = s->base + (uint64_t)(at - s->window)};
        for (; *field; field++)
                if (!take_field(s, &p, *field, &e))
                        return NULL;
        if (e.kind == PS_EV_RMA_COLL_END)
                e.op = ps_otf2_window_collective(s->defs, &e);
        if ((has_length && p > end) || (b->debts && !ps_builder_may_take(b, &e)))
                return NULL;
        ps_builder_take(b, &e);
        return has_length ? end : p;
}
