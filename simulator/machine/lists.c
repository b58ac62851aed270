/* lists.c - the keys of a machine that are lists: of numbers by rank, points of a table, rows of a
 * matrix. */
#include "simulator/cost/lmo.h"
#include "simulator/machine/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

/* -- lists of numbers -- */

static ps_status read_list(ps_key_path *path, const cJSON *item, ps_amount type, uint32_t most, double **out,
                           uint32_t *n)
{
        int size = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 0;
        ps_status status = PS_OK;
        *n = 0;
        if (size < 1 || (uint32_t)size > most)
                return ps_key_fail(path, "it must be a list of 1 to %u numbers", most);
        *out = malloc((size_t)size * sizeof(**out));
        if (!*out)
                return PS_NOMEM(path->err, "numbers", size);
        for (const cJSON *child = item->child; child && status == PS_OK; child = child->next) {
                size_t mark = ps_key_enter_at(path, *n);
                status = ps_json_read_number(path, child, type, &(*out)[*n]);
                ps_key_leave(path, mark);
                ++*n;
        }
        return status;
}

static void write_list(ps_row *to, const char *key, const double *values, uint32_t n, ps_amount type)
{
        if (!n)
                return;
        ps_row_open(to, key, '[');
        for (uint32_t i = 0; i < n; i++)
                ps_json_put_number(to, NULL, type, values[i]);
        ps_row_close(to, ']');
}

ps_status ps_part_read_ratios(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        ps_ratios *ratios = (ps_ratios *)(void *)((char *)machine + field);
        return read_list(path, item, PS_A_RATIO, PS_MACHINE_RANKS_MAX, &ratios->row, &ratios->n);
}

void ps_part_write_ratios(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        const ps_ratios *ratios = (const ps_ratios *)(const void *)((const char *)machine + field);
        write_list(to, key, ratios->row, ratios->n, PS_A_RATIO);
}

ps_status ps_part_read_nodes(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        double *values = NULL;
        uint32_t n = 0;
        ps_status status = read_list(path, item, PS_A_COUNT, PS_MACHINE_RANKS_MAX, &values, &n);
        (void)field;
        if (status == PS_OK && !(machine->node_of_rank = malloc(n * sizeof(*machine->node_of_rank))))
                status = PS_NOMEM(path->err, "nodes", n);
        for (uint32_t i = 0; i < n && status == PS_OK; i++)
                machine->node_of_rank[machine->n_node_of_rank++] = (uint32_t)values[i];
        free(values);
        return status;
}

/* Nothing when there are none. */
static void write_counts(ps_row *to, const char *key, const uint32_t *count, uint32_t n)
{
        if (!n)
                return;
        ps_row_open(to, key, '[');
        for (uint32_t i = 0; i < n; i++)
                ps_row_u64(to, NULL, count[i]);
        ps_row_close(to, ']');
}

void ps_part_write_nodes(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        (void)field;
        write_counts(to, key, machine->node_of_rank, machine->n_node_of_rank);
}

ps_status ps_part_read_grid(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        double *values = NULL;
        uint64_t count = 1;
        uint32_t n = 0;
        ps_status status = read_list(path, item, PS_A_COUNT, PS_GRID_RANK, &values, &n);
        (void)field;
        for (uint32_t i = 0; i < n && status == PS_OK; i++) {
                machine->grid[i] = (uint32_t)values[i];
                count *= machine->grid[i];
                if (!count || count > PS_MACHINE_RANKS_MAX)
                        status = ps_key_fail(path, "it must have 1 to %d processors", PS_MACHINE_RANKS_MAX);
        }
        machine->grid_rank = n;
        free(values);
        return status;
}

void ps_part_write_grid(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        (void)field;
        write_counts(to, key, machine->grid, machine->grid_rank);
}

/* -- tables of points: [[bytes, s], ...] -- */

static ps_status read_point(ps_key_path *path, ps_table *table, const cJSON *item)
{
        double *bytes = &table->bytes[table->n], *s = &table->s[table->n];
        if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2)
                return ps_key_fail(path, "it must be [bytes, seconds]");
        PS_TRY(ps_json_read_number(path, item->child, PS_A_BYTES, bytes));
        PS_TRY(ps_json_read_number(path, item->child->next, PS_A_SECONDS, s));
        if (isinf(*bytes) || (table->n && *bytes <= bytes[-1]))
                return ps_key_fail(path, "the sizes must grow");
        table->n++;
        return PS_OK;
}

ps_status ps_part_read_table(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        ps_table *table = (ps_table *)(void *)((char *)machine + field);
        int size = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 0;

        if (size < 1 || size > PS_TABLE_MAX)
                return ps_key_fail(path, "it must be a list of 1 to %d points", PS_TABLE_MAX);
        table->bytes = malloc((size_t)size * sizeof(double));
        table->s = malloc((size_t)size * sizeof(double));
        if (!table->bytes || !table->s)
                return PS_NOMEM(path->err, "table", size);
        for (const cJSON *child = item->child; child; child = child->next) {
                size_t mark = ps_key_enter_at(path, table->n);
                PS_TRY(read_point(path, table, child));
                ps_key_leave(path, mark);
        }
        return PS_OK;
}

void ps_part_write_table(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        const ps_table *table = (const ps_table *)(const void *)((const char *)machine + field);
        ps_row_open(to, key, '[');
        for (uint32_t i = 0; i < table->n; i++) {
                ps_row_open(to, NULL, '[');
                ps_json_put_number(to, NULL, PS_A_BYTES, table->bytes[i]);
                ps_json_put_number(to, NULL, PS_A_SECONDS, table->s[i]);
                ps_row_close(to, ']');
        }
        ps_row_close(to, ']');
}

/* -- LMO: a list by processor, a matrix by pairs -- */

static double **lmo_column(const ps_machine *machine, size_t field)
{
        char *at = (char *)(uintptr_t)machine + field; /* NOLINT(performance-no-int-to-ptr): const goes */
        return (double **)(void *)at;
}

/* The first list that is read tells how many processors there are. */
static ps_status size_lmo(ps_key_path *path, ps_machine *machine, const cJSON *item)
{
        int size = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 0;
        ps_lmo sized;
        if (size < 1 || size > PS_LMO_RANKS_MAX)
                return ps_key_fail(path, "it must be a list for 1 to %d processors", PS_LMO_RANKS_MAX);
        if (machine->lmo.n)
                return (uint32_t)size == machine->lmo.n
                               ? PS_OK
                               : ps_key_fail(path, "it is for %d processors, others for %u", size,
                                             machine->lmo.n);
        PS_TRY(ps_lmo_alloc(&sized, (uint32_t)size, path->err));
        machine->lmo.n = sized.n;
        machine->lmo.processing_s = sized.processing_s;
        machine->lmo.processing_s_per_byte = sized.processing_s_per_byte;
        machine->lmo.latency_s = sized.latency_s;
        machine->lmo.bandwidth_bytes_per_s = sized.bandwidth_bytes_per_s;
        return PS_OK;
}

/* `n` numbers; nobody reads the one at `but`, the diagonal of a matrix: null, or whatever stands there. */
static ps_status read_numbers(ps_key_path *path, const cJSON *item, uint32_t but, uint32_t n, double *out,
                              ps_amount type)
{
        uint32_t i = 0;
        if (!cJSON_IsArray(item) || (uint32_t)cJSON_GetArraySize(item) != n)
                return ps_key_fail(path, "it must be a list of %u numbers", n);
        for (const cJSON *child = item->child; child; child = child->next, i++) {
                size_t mark = ps_key_enter_at(path, i);
                if (i != but)
                        PS_TRY(ps_json_read_number(path, child, type, &out[i]));
                ps_key_leave(path, mark);
        }
        return PS_OK;
}

static ps_status read_column(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field,
                             ps_amount type)
{
        PS_TRY(size_lmo(path, machine, item));
        return read_numbers(path, item, PS_NONE, machine->lmo.n, *lmo_column(machine, field), type);
}

ps_status ps_part_read_delays(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        return read_column(path, machine, item, field, PS_A_SECONDS);
}

ps_status ps_part_read_byte_delays(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        return read_column(path, machine, item, field, PS_A_SECONDS_PER_BYTE);
}

void ps_part_write_delays(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        write_list(to, key, *lmo_column(machine, field), machine->lmo.n, PS_A_SECONDS);
}

void ps_part_write_byte_delays(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        ps_part_write_delays(to, key, machine, field);
}

static ps_status read_matrix(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field,
                             ps_amount type)
{
        uint32_t i = 0;
        ps_status status = size_lmo(path, machine, item);
        for (const cJSON *child = status != PS_OK ? NULL : item->child; child && status == PS_OK;
             child = child->next) {
                size_t mark = ps_key_enter_at(path, i);
                double *row = *lmo_column(machine, field) + (size_t)i * machine->lmo.n;
                status = read_numbers(path, child, i++, machine->lmo.n, row, type);
                ps_key_leave(path, mark);
        }
        return status;
}

static void write_matrix(ps_row *to, const char *key, const ps_machine *machine, size_t field, ps_amount type)
{
        uint32_t n = machine->lmo.n;
        const double *values = *lmo_column(machine, field);
        ps_row_open(to, key, '[');
        for (uint32_t i = 0; i < n; i++) {
                ps_row_open(to, NULL, '[');
                for (uint32_t k = 0; k < n; k++)
                        if (i == k)
                                ps_row_null(to, NULL);
                        else
                                ps_json_put_number(to, NULL, type, values[(size_t)i * n + k]);
                ps_row_close(to, ']');
        }
        ps_row_close(to, ']');
}

ps_status ps_part_read_latencies(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        return read_matrix(path, machine, item, field, PS_A_SECONDS);
}

void ps_part_write_latencies(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        write_matrix(to, key, machine, field, PS_A_SECONDS);
}

ps_status ps_part_read_rates(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        return read_matrix(path, machine, item, field, PS_A_RATE);
}

void ps_part_write_rates(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        write_matrix(to, key, machine, field, PS_A_RATE);
}
