/* file.h - machines as files and presets.
 *
 * What is here needs cJSON and is not in the library; the library works on machines that are there already.
 */
#ifndef PS_SIMULATOR_MACHINE_FILE_H
#define PS_SIMULATOR_MACHINE_FILE_H

#include "report/print/row.h"
#include "simulator/cost/machine.h"

/* A preset (presets.def) or a file: JSON, the text of LMO_write(), or parameters of Predictor, told apart by
 * what they hold; "-" is stdin. */
ps_status ps_machine_open(ps_machine **out, const char *spec, ps_error *err);
/* The `len` bytes at `text`; `path` is for messages. */
ps_status ps_machine_parse(ps_machine **out, const char *text, size_t len, const char *path, ps_error *err);
/* JSON that reads back as the same machine: as a value, or freed with free(). */
void ps_machine_put(ps_row *to, const char *key, const ps_machine *machine);
ps_status ps_machine_print(char **out, const ps_machine *machine, ps_error *err);

typedef struct ps_preset {
        const char *name, *title, *numbers, *text; /* `numbers`: where they come from; `text`: its JSON */
} ps_preset;

extern const ps_preset ps_presets[];
extern const uint32_t ps_n_presets;

#endif
