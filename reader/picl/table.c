/* table.c - see table.h. Numbers are looked up for every record of a trace, so that the way there
 * is one step; kinds only when a trace is written. */
#include "reader/picl/table.h"

#include "core/model/defs.h"

const ps_picl_event ps_picl_events[PS_PICL_E_COUNT] = {
#define PS_PICL_EVENT(number, id, name, kind, act, paradigm)                                                 \
        {(number), (name), PS_K_##kind, PS_PICL_##act, PS_PARADIGM_##paradigm},
#include "reader/picl/picl.def"
};

const ps_picl_old ps_picl_olds[PS_PICL_KEY_COUNT] = {
#define PS_PICL_OLD(key, id, keyword, fields, act, event)                                                    \
        [key] = {(keyword), (fields), PS_PICL_OLD_##act, PS_PICL_E_##event},
#include "reader/picl/picl.def"
};

enum { NUMBERS = 2048 };

unsigned ps_picl_event_of_number(int64_t number)
{
        static const uint8_t row_plus_one[NUMBERS] = {
#define PS_PICL_EVENT(number, id, name, kind, act, paradigm) [-(number)] = PS_PICL_E_##id + 1,
#include "reader/picl/picl.def"
        };
        _Static_assert(PS_PICL_E_COUNT < UINT8_MAX, "rows fit into a byte");
        if (number >= 0 || number <= -NUMBERS || !row_plus_one[-number])
                return PS_PICL_E_COUNT;
        return row_plus_one[-number] - 1u;
}

const ps_picl_event *ps_picl_event_of_kind(ps_kind kind)
{
        static const struct {
                uint8_t kind, row;
        } aliases[] = {
#define PS_PICL_ALIAS(kind, id) {PS_K_##kind, PS_PICL_E_##id},
#include "reader/picl/picl.def"
        };
        for (unsigned i = 0; i < PS_PICL_E_COUNT; i++)
                if (ps_picl_events[i].kind == kind && kind != PS_K_NONE)
                        return &ps_picl_events[i];
        for (unsigned i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
                if (aliases[i].kind == kind)
                        return &ps_picl_events[aliases[i].row];
        return NULL;
}

const char *ps_picl_record_name(int64_t number)
{
        switch (number) {
#define PS_PICL_RECORD(number, id, name)                                                                     \
        case (number):                                                                                       \
                return (name);
#include "reader/picl/picl.def"
        default:
                return NULL;
        }
}
