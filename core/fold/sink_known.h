/* sink_known.h - the part of sink.h about records whose first bytes tell what is the same again and again: of
 * which operation of which communicator, or at whose memory behind which window; in calls of one path, of
 * which the rest of the row is known, too.
 */
#ifndef PS_CORE_FOLD_SINK_KNOWN_H
#define PS_CORE_FOLD_SINK_KNOWN_H

#include "core/fold/sink_calls.h"

/* Where that is kept of a record that begins with these bytes, all of which tell it: at one of two places,
 * this one and the other of the pair that it belongs to. */
PS_FOLD_INLINE uint32_t ps_fold_known_at(const struct addresses *of, uint64_t bytes, ps_path in)
{
        uint32_t tells = (uint32_t)((bytes * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
        return (tells + (in << of->shift)) >> of->shift;
}

/* NULL: it is not known. */
PS_FOLD_INLINE struct address *ps_fold_known(const struct addresses *of, uint64_t bytes, ps_path in)
{
        const uint32_t at = ps_fold_known_at(of, bytes, in);
        for (uint32_t i = 0; i < 2; i++) {
                struct address *a = &of->row[at ^ i];
                if (a->is_there && a->known == bytes && a->in == in)
                        return a;
        }
        return NULL;
}

/* One of these places: an empty one, if there is one. */
PS_FOLD_INLINE struct address *ps_fold_known_place(const struct addresses *of, uint64_t bytes, ps_path in)
{
        const uint32_t at = ps_fold_known_at(of, bytes, in);
        return &of->row[at ^ of->row[at].is_there];
}

/* It becomes this address. */
static inline struct address *ps_fold_keep(ps_builder *b, struct addresses *of, ps_path in,
                                           const struct address *is)
{
        struct address *a = ps_fold_known_place(of, is->known, in);
        if (a->is_there) {
                ps_addresses_take(b, of);
                a = ps_fold_known_place(of, is->known, in);
        }
        *a = *is;
        a->in = in;
        return a;
}

#endif
