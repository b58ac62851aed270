/* fields.h - what the columns of an event mean, by kind: the table behind every display of single events. */
#ifndef PS_CORE_MODEL_FIELDS_H
#define PS_CORE_MODEL_FIELDS_H

#include "core/model/event.h"

#include <string.h>

/* How a field's value is told. */
typedef enum ps_field_form {
        PS_FORM_NUMBER, /* a 32-bit column that holds PS_NONE has no value */
        PS_FORM_FLAG,
        PS_FORM_TIME,   /* picoseconds, as ps_event.time */
        PS_FORM_RANK,   /* of a member of ps_event.comm */
        PS_FORM_TARGET, /* of a member of the window's communicator; the window is ps_event.ref */
        PS_FORM_KIND,   /* a ps_kind */
        PS_FORM_REGION, /* indices into the tables of ps_defs */
        PS_FORM_CONTEXT,
        PS_FORM_COMM,
        PS_FORM_GROUP,
        PS_FORM_WINDOW,
        PS_FORM_PARAMETER,
        PS_FORM_METRIC,
        PS_FORM_COUNT
} ps_field_form;

/* Numbered from 1, so that 0 ends a list. */
typedef enum ps_field {
        PS_F_END,
#define PS_FIELD(id, key, column, form) PS_F_##id,
#include "core/model/fields.def"
#undef PS_FIELD
        PS_F_COUNT
} ps_field;

typedef struct ps_field_info {
        const char *key;
        uint16_t offset; /* of the column in ps_event */
        uint8_t width;   /* of the column, in bytes */
        uint8_t form;    /* ps_field_form */
} ps_field_info;

enum { PS_FIELDS_MAX = 8 };

extern const ps_field_info ps_field_infos[PS_F_COUNT];
extern const uint8_t ps_event_fields[PS_EV_COUNT][PS_FIELDS_MAX]; /* ps_field, up to PS_F_END */

/* The column that the field stands in; 0 in *known when it holds PS_NONE. */
static inline uint64_t ps_field_value(ps_field field, const ps_event *event, bool *known)
{
        const ps_field_info *info = &ps_field_infos[field];
        const unsigned char *column = (const unsigned char *)event + info->offset;
        uint32_t word;
        uint64_t wide;

        *known = 1;
        if (info->width == 1)
                return *column;
        if (info->width == sizeof(wide)) {
                memcpy(&wide, column, sizeof(wide));
                return wide;
        }
        memcpy(&word, column, sizeof(word));
        *known = word != PS_NONE;
        return word;
}

#endif
