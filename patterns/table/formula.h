/* formula.h - how a pattern's formula is written.
 *
 * It is written once, with PS_MESSAGE_FORMULA or one of its like: the macro makes both the function that the
 * engine calls and the text that the manual, `explain` and the reports print, so that code and manual cannot
 * differ. Epsilon is the engine's; a formula only says what was lost. */
#ifndef PS_PATTERNS_TABLE_FORMULA_H
#define PS_PATTERNS_TABLE_FORMULA_H

#include "patterns/table/view.h"

/* What a formula answers when its condition does not hold. */
#define PS_NOT_SO (-1)

/* Words that formulas use. */
static inline ps_time earlier(ps_time a, ps_time b)
{
        return ps_time_earlier(a, b);
}

static inline ps_time later(ps_time a, ps_time b)
{
        return ps_time_later(a, b);
}

typedef struct ps_formula {
        const char *condition, *loss;
        ps_time (*message)(const ps_message_view *m);
        ps_time (*collective)(const ps_collective_view *c);
        ps_time (*call)(const ps_call_view *c);
        ps_time (*region)(const ps_region_view *r);
        ps_time (*site)(const ps_site_view *s);
        ps_time (*master)(const ps_master_view *m);
} ps_formula;

#define PS_FORMULA_(field, name, view, unpack, if_, lost, if_text, lost_text)                                \
        static ps_time name##_loss(const view *v_)                                                           \
        {                                                                                                    \
                unpack return (if_) ? (lost) : PS_NOT_SO;                                                    \
        }                                                                                                    \
        static const ps_formula name = {.condition = if_text, .loss = lost_text, .field = name##_loss}

/* In these, `send` and `recv` are ps_sides, and `bytes`, `eager_bytes` and `tolerance` are known; */
#define PS_MESSAGE_FORMULA(name, if_, lost)                                                                  \
        PS_FORMULA_(message, name, ps_message_view, const ps_side send = v_->send;                           \
                    const ps_side recv = v_->recv; const ps_time tolerance = v_->tolerance;                  \
                    const uint64_t bytes = v_->bytes; const uint64_t eager_bytes = v_->eager_bytes;          \
                    (void)send; (void)recv; (void)tolerance; (void)bytes; (void)eager_bytes;                 \
                    , if_, lost, #if_, #lost)
/* in these, `own` and `all` are those of the view; */
#define PS_COLLECTIVE_FORMULA(name, if_, lost)                                                               \
        PS_FORMULA_(collective, name, ps_collective_view, const ps_own_part own = v_->own;                   \
                    const ps_all_parts all = v_->all; (void)own; (void)all;, if_, lost, #if_, #lost)
/* in these, `call` is. */
#define PS_CALL_FORMULA(name, if_, lost)                                                                     \
        PS_FORMULA_(call, name, ps_call_view, const ps_call_view call = *v_;, if_, lost, #if_, #lost)

/* in these, `region` is. */
#define PS_REGION_FORMULA(name, if_, lost)                                                                   \
        PS_FORMULA_(region, name, ps_region_view, const ps_region_view region = *v_;, if_, lost, #if_, #lost)

/* in these, `site` is, */
#define PS_SITE_FORMULA(name, if_, lost)                                                                     \
        PS_FORMULA_(site, name, ps_site_view, const ps_site_view site = *v_;, if_, lost, #if_, #lost)
/* and in these `master`. */
#define PS_MASTER_FORMULA(name, if_, lost)                                                                   \
        PS_FORMULA_(master, name, ps_master_view, const ps_master_view master = *v_;, if_, lost, #if_, #lost)

#endif
