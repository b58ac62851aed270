/* json.h - between the files that read and write machines as JSON. */
#ifndef PS_SIMULATOR_MACHINE_JSON_H
#define PS_SIMULATOR_MACHINE_JSON_H

#include "simulator/cost/amount.h"
#include "simulator/machine/file.h"

typedef struct cJSON cJSON; /* <cjson/cJSON.h>, for who looks into one */

enum { PS_KEY_ROOM = 96, PS_TEXT_MAX = 255, PS_CLUSTER_DEPTH = 16, PS_TABLE_MAX = 4096 };

/* Where the reader is, for messages: cluster.members[2].count */
typedef struct ps_key_path {
        const char *file;
        ps_error *err;
        char key[PS_KEY_ROOM];
} ps_key_path;

/* Goes one step down, to be undone by ps_key_leave() with what this returns. */
size_t ps_key_enter(ps_key_path *path, const char *name);
size_t ps_key_enter_at(ps_key_path *path, uint32_t index);
void ps_key_leave(ps_key_path *path, size_t mark);
ps_status ps_key_fail(const ps_key_path *path, const char *fmt, ...) PS_FORMAT(2, 3);
/* No such key: names the nearest of the known ones. */
ps_status ps_key_fail_unknown(const ps_key_path *path, const char *word, const char *const *known,
                              uint32_t n);

ps_status ps_json_read_number(ps_key_path *path, const cJSON *item, ps_amount type, double *out);
ps_status ps_json_read_text(ps_key_path *path, const cJSON *item, char **out);
/* The member `name` of an object, which must be there. */
ps_status ps_json_read_member(ps_key_path *path, const cJSON *object, const char *name, ps_amount type,
                              double *out);
/* An error unless it is an object whose keys are all known and there once. */
ps_status ps_json_check_keys(ps_key_path *path, const cJSON *item, const char *const *known, uint32_t n);

/* A number, or null where it has no limit. */
void ps_json_put_number(ps_row *to, const char *key, ps_amount type, double value);

/* A key whose value is more than a plain number: how to read it and how to write it. A writer writes nothing
 * where the value is the usual one. */
typedef struct ps_machine_part {
        const char *key;
        uint32_t must, may;
        ps_status (*read)(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field);
        void (*write)(ps_row *to, const char *key, const ps_machine *machine, size_t field);
        size_t field;
} ps_machine_part;

extern const ps_machine_part ps_machine_parts[];
extern const uint32_t ps_n_machine_parts;

#define PS_MACHINE_SORT(sort)                                                                                \
        ps_status ps_part_read_##sort(ps_key_path *path, ps_machine *machine, const cJSON *item,             \
                                      size_t field);                                                         \
        void ps_part_write_##sort(ps_row *to, const char *key, const ps_machine *machine, size_t field);
PS_MACHINE_SORT(text)
PS_MACHINE_SORT(send_mode)
PS_MACHINE_SORT(sender_free)
PS_MACHINE_SORT(intra)
PS_MACHINE_SORT(regions)
PS_MACHINE_SORT(collectives)
PS_MACHINE_SORT(cluster)
PS_MACHINE_SORT(ratios)
PS_MACHINE_SORT(nodes)
PS_MACHINE_SORT(grid)
PS_MACHINE_SORT(table)
PS_MACHINE_SORT(delays)
PS_MACHINE_SORT(byte_delays)
PS_MACHINE_SORT(latencies)
PS_MACHINE_SORT(rates)
#undef PS_MACHINE_SORT

/* The other two forms of text. */
ps_status ps_machine_read_par(ps_machine *out, const char *text, const char *path, ps_error *err);
ps_status ps_machine_read_lmo(ps_machine *out, const char *text, const char *path, ps_error *err);
ps_status ps_machine_read_json(ps_machine *out, const char *text, size_t len, const char *path,
                               ps_error *err);

#endif
