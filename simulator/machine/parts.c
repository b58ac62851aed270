/* parts.c - the keys of a machine that are more than a plain number: one reader and one writer a
 * sort. */
#include "simulator/cost/collectives.h"
#include "simulator/machine/json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(type, machine, field)       ((type *)(void *)((char *)(machine) + (field)))
#define CONST_FIELD(type, machine, field) ((const type *)(const void *)((const char *)(machine) + (field)))

/* -- texts -- */

ps_status ps_part_read_text(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        return ps_json_read_text(path, item, FIELD(char *, machine, field));
}

void ps_part_write_text(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        const char *text = *CONST_FIELD(char *, machine, field);
        if (text)
                ps_row_exact_text(to, key, text);
}

/* -- one of several words -- */

static ps_status read_word(ps_key_path *path, const cJSON *item, const char *const *words, uint32_t n,
                           uint32_t *out)
{
        const char *text = cJSON_GetStringValue(item);
        if (!text)
                return ps_key_fail(path, "it must be a word");
        for (*out = 0; *out < n; ++*out)
                if (strcmp(words[*out], text) == 0)
                        return PS_OK;
        size_t mark = ps_key_enter(path, text);
        ps_status status = ps_key_fail_unknown(path, text, words, n);
        ps_key_leave(path, mark);
        return status;
}

static const char *const transfer_ends[] = {"at-start", "at-end"};

ps_status ps_part_read_send_mode(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        uint32_t word = 0;
        PS_TRY(read_word(path, item, ps_send_modes, PS_N_SEND_MODES, &word));
        (void)field;
        machine->send_mode = (ps_send_mode)word;
        return PS_OK;
}

void ps_part_write_send_mode(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        (void)field;
        if (machine->send_mode)
                ps_row_exact_text(to, key, ps_send_modes[machine->send_mode]);
}

ps_status ps_part_read_sharing(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        uint32_t word = 0;
        (void)field;
        PS_TRY(read_word(path, item, ps_sharings, PS_N_SHARINGS, &word));
        machine->sharing = (ps_sharing)word;
        return PS_OK;
}

void ps_part_write_sharing(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        (void)field;
        if (machine->sharing)
                ps_row_exact_text(to, key, ps_sharings[machine->sharing]);
}

ps_status ps_part_read_sender_free(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        uint32_t word = 0;
        PS_TRY(read_word(path, item, transfer_ends, 2, &word));
        (void)field;
        machine->sender_free_at_end = (int)word;
        return PS_OK;
}

void ps_part_write_sender_free(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        (void)field;
        if (machine->sender_free_at_end != (machine->model != PS_MODEL_DIMEMAS))
                ps_row_exact_text(to, key, transfer_ends[machine->sender_free_at_end != 0]);
}

/* -- links -- */

ps_status ps_part_read_intra(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        static const char *const known[] = {"latency_s", "bandwidth_bytes_per_s"};
        ps_link *link = FIELD(ps_link, machine, field);
        ps_status status = ps_json_check_keys(path, item, known, 2);
        PS_THEN(status, ps_json_read_member(path, item, known[0], PS_A_SECONDS, &link->latency_s));
        PS_THEN(status, ps_json_read_member(path, item, known[1], PS_A_RATE, &link->bandwidth_bytes_per_s));
        machine->has_intra = status == PS_OK;
        return status;
}

void ps_part_write_intra(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        const ps_link *link = CONST_FIELD(ps_link, machine, field);
        if (!machine->has_intra)
                return;
        ps_row_open(to, key, '{');
        ps_json_put_number(to, "latency_s", PS_A_SECONDS, link->latency_s);
        ps_json_put_number(to, "bandwidth_bytes_per_s", PS_A_RATE, link->bandwidth_bytes_per_s);
        ps_row_close(to, '}');
}

/* -- ratios by region: { "solve": 2 } -- */

static int compare_regions(const void *a, const void *b)
{
        const ps_region_ratio *x = a, *y = b;
        return strcmp(x->region, y->region);
}

ps_status ps_part_read_regions(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        int size = cJSON_IsObject(item) ? cJSON_GetArraySize(item) : 0;

        (void)field;
        if (size < 1 || size > PS_TABLE_MAX)
                return ps_key_fail(path, "it must be an object of 1 to %d regions", PS_TABLE_MAX);
        machine->region_ratios = calloc((size_t)size, sizeof(*machine->region_ratios));
        if (!machine->region_ratios)
                return PS_NOMEM(path->err, "regions", size);
        for (const cJSON *child = item->child; child; child = child->next) {
                ps_region_ratio *row = &machine->region_ratios[machine->n_region_ratios++];
                size_t mark = ps_key_enter(path, child->string);
                row->region = strdup(child->string);
                PS_TRY(row->region ? ps_json_read_number(path, child, PS_A_RATIO, &row->cpu_ratio)
                                   : PS_NOMEM(path->err, "region", 1));
                ps_key_leave(path, mark);
        }
        qsort(machine->region_ratios, machine->n_region_ratios, sizeof(*machine->region_ratios),
              compare_regions);
        for (uint32_t i = 1; i < machine->n_region_ratios; i++)
                if (compare_regions(&machine->region_ratios[i - 1], &machine->region_ratios[i]) == 0)
                        return ps_key_fail(path, "a region is there twice: %.60s",
                                           machine->region_ratios[i].region);
        return PS_OK;
}

void ps_part_write_regions(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        (void)field;
        if (!machine->n_region_ratios)
                return;
        ps_row_open(to, key, '{');
        for (uint32_t i = 0; i < machine->n_region_ratios; i++) {
                ps_row_exact_key(to, machine->region_ratios[i].region);
                ps_json_put_number(to, NULL, PS_A_RATIO, machine->region_ratios[i].cpu_ratio);
        }
        ps_row_close(to, '}');
}

/* -- collectives: "openmpi", or { "default": "logarithmic", "allreduce": ["logarithmic", "constant"] } -- */

static bool is_collective(int kind)
{
        return ps_kinds[kind].cls == PS_C_COLL;
}

/* The names that may stand there: "default", then those of the kinds; `kinds` tells which. */
static uint32_t list_kinds(const char *names[PS_K_COUNT + 1], int kinds[PS_K_COUNT + 1])
{
        uint32_t n = 0;
        names[n] = "default";
        kinds[n++] = -1;
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                if (is_collective(kind)) {
                        names[n] = ps_kinds[kind].name;
                        kinds[n++] = kind;
                }
        return n;
}

static ps_status read_shapes(ps_key_path *path, const cJSON *item, uint8_t shapes[2])
{
        int size = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 1;
        const cJSON *word = cJSON_IsArray(item) ? item->child : item;
        uint32_t shape = 0;

        if (size < 1 || size > 2)
                return ps_key_fail(path, "it must be a word, or two in brackets: in and out");
        shapes[1] = PS_SHAPE_FREE;
        for (int i = 0; i < size; i++, word = word->next) {
                PS_TRY(read_word(path, word, ps_shape_names, PS_N_SHAPES, &shape));
                shapes[i] = (uint8_t)shape;
        }
        return PS_OK;
}

static void set_shapes(ps_machine *machine, int only, const uint8_t shapes[2])
{
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                if (kind == only || (only < 0 && is_collective(kind)))
                        memcpy(machine->collective[kind], shapes, 2);
}

ps_status ps_part_read_collectives(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        const char *names[PS_K_COUNT + 1];
        int kinds[PS_K_COUNT + 1];
        uint8_t shapes[2];
        (void)field;
        if (cJSON_IsString(item)) {
                PS_TRY(read_shapes(path, item, shapes));
                set_shapes(machine, -1, shapes);
                return PS_OK;
        }
        uint32_t n = list_kinds(names, kinds);
        PS_TRY(ps_json_check_keys(path, item, names, n));
        for (uint32_t i = 0; i < n; i++) {
                const cJSON *child = cJSON_GetObjectItemCaseSensitive(item, names[i]);
                if (!child)
                        continue;
                size_t mark = ps_key_enter(path, names[i]);
                PS_TRY(read_shapes(path, child, shapes));
                ps_key_leave(path, mark);
                set_shapes(machine, kinds[i], shapes);
        }
        return PS_OK;
}

/* The library that all kinds follow, PS_N_SHAPES: none. */
static ps_shape one_shape(const ps_machine *machine)
{
        uint8_t one = machine->collective[PS_K_BARRIER][0];
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                if (is_collective(kind) &&
                    (machine->collective[kind][0] != one || machine->collective[kind][1] != PS_SHAPE_FREE))
                        return PS_N_SHAPES;
        return one == PS_SHAPE_OPENMPI || one == PS_SHAPE_MPICH ? (ps_shape)one : PS_N_SHAPES;
}

void ps_part_write_collectives(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        uint8_t usual[PS_K_COUNT][2];
        bool is_open = false;
        (void)field;
        ps_shape one = one_shape(machine);
        if (one != PS_N_SHAPES) {
                ps_row_exact_text(to, key, ps_shape_names[one]);
                return;
        }
        ps_collective_defaults(usual, machine->model);
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                const uint8_t *own = machine->collective[kind];
                if (!is_collective(kind) || memcmp(own, usual[kind], sizeof(usual[kind])) == 0)
                        continue;
                if (!is_open)
                        ps_row_open(to, key, '{');
                is_open = true;
                ps_row_open(to, ps_kinds[kind].name, '[');
                ps_row_exact_text(to, NULL, ps_shape_names[own[0]]);
                ps_row_exact_text(to, NULL, ps_shape_names[own[1]]);
                ps_row_close(to, ']');
        }
        if (is_open)
                ps_row_close(to, '}');
}

/* -- the table -- */

#define PS_ON(model) (UINT32_C(1) << PS_MODEL_##model)
#define PS_ALL       ((UINT32_C(1) << PS_N_MODELS) - 1)

const ps_machine_part ps_machine_parts[] = {
#define PS_MACHINE_PART(key, sort, field, must, may, doc)                                                    \
        {key, must, may, ps_part_read_##sort, ps_part_write_##sort, offsetof(ps_machine, field)},
#include "simulator/machine/parts.def"
#undef PS_MACHINE_PART
};

const uint32_t ps_n_machine_parts = sizeof(ps_machine_parts) / sizeof(ps_machine_parts[0]);
