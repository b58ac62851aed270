/* event.c - the names of event kinds. */
#include "core/model/event.h"

const char *const ps_event_names[PS_EV_COUNT] = {
#define PS_EVENT(id, name) name,
#include "core/model/events.def"
#undef PS_EVENT
};
