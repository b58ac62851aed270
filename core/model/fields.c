/* fields.c - fields.def as tables. */
#include "core/model/fields.h"

#define COLUMN_WIDTH(column) ((uint8_t)sizeof(((ps_event *)0)->column))

const ps_field_info ps_field_infos[PS_F_COUNT] = {
#define PS_FIELD(id, key, column, form)                                                                      \
        [PS_F_##id] = {key, offsetof(ps_event, column), COLUMN_WIDTH(column), PS_FORM_##form},
#include "core/model/fields.def"
#undef PS_FIELD
};

const uint8_t ps_event_fields[PS_EV_COUNT][PS_FIELDS_MAX] = {
#define PS_FIELDS(kind, ...) [PS_EV_##kind] = {__VA_ARGS__, PS_F_END},
#include "core/model/fields.def"
#undef PS_FIELDS
};
