/* json.c - a machine as JSON: an object with a key for each parameter, and the model of which they
 * are.
 *
 * Plain numbers stand in machine_keys.def, the rest in parts.c. A key that is unknown, misplaced,
 * repeated or missing is an error: a slip of the pen must not become a prediction. */
#include "simulator/machine/json.h"
#include "core/base/nearest.h"
#include "report/print/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- where we are -- */

size_t ps_key_enter(ps_key_path *path, const char *name)
{
        size_t n = strlen(path->key);
        snprintf(path->key + n, PS_KEY_ROOM - n, "%s%.40s", n ? "." : "", name);
        return n;
}

size_t ps_key_enter_at(ps_key_path *path, uint32_t index)
{
        size_t n = strlen(path->key);
        snprintf(path->key + n, PS_KEY_ROOM - n, "[%u]", index);
        return n;
}

void ps_key_leave(ps_key_path *path, size_t mark)
{
        path->key[mark] = '\0';
}

ps_status ps_key_fail(const ps_key_path *path, const char *fmt, ...)
{
        char reason[PS_ERROR_TEXT];
        va_list args;
        va_start(args, fmt);
        vsnprintf(reason, sizeof(reason), fmt, args);
        va_end(args);
        return PS_FAIL(path->err, PS_E_INPUT,
                       "cannot read the machine: path=\"%.60s\", key=\"%s\", reason=\"%s\"", path->file,
                       path->key, reason);
}

ps_status ps_key_fail_unknown(const ps_key_path *path, const char *word, const char *const *known, uint32_t n)
{
        const char *near = ps_nearest(word, known, n);
        return ps_key_fail(path, near ? "it is not known: did you mean %s?" : "it is not known", near);
}

/* -- values -- */

ps_status ps_json_read_number(ps_key_path *path, const cJSON *item, ps_amount type, double *out)
{
        const ps_amount_info *info = &ps_amounts[type];
        if (cJSON_IsNull(item) && !isnan(info->null)) {
                *out = info->null;
                return PS_OK;
        }
        if (!cJSON_IsNumber(item))
                return ps_key_fail(path, "it must be a number");
        double value = cJSON_GetNumberValue(item);
        if (isinf(value) || !ps_amount_fits(type, value))
                return ps_key_fail(path, "%g is not between %g and %g%s", value, info->least, info->most,
                                   info->is_whole ? ", or not whole" : "");
        *out = value;
        return PS_OK;
}

ps_status ps_json_read_member(ps_key_path *path, const cJSON *object, const char *name, ps_amount type,
                              double *out)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
        size_t mark = ps_key_enter(path, name);
        ps_status status =
                item ? ps_json_read_number(path, item, type, out) : ps_key_fail(path, "it is missing");
        ps_key_leave(path, mark);
        return status;
}

ps_status ps_json_read_text(ps_key_path *path, const cJSON *item, char **out)
{
        const char *text = cJSON_GetStringValue(item);
        if (!text || !*text || strlen(text) > PS_TEXT_MAX)
                return ps_key_fail(path, "it must be a text of 1 to %d bytes", PS_TEXT_MAX);
        free(*out);
        *out = strdup(text);
        return *out ? PS_OK : PS_NOMEM(path->err, "text", strlen(text));
}

/* The shortest text that reads back as the same double: cJSON itself is content with nearly the same. */
void ps_json_put_number(ps_row *to, const char *key, ps_amount type, double value)
{
        if (isinf(value) && !isnan(ps_amounts[type].null))
                ps_row_null(to, key);
        else
                ps_row_exact_real(to, key, value);
}

ps_status ps_json_check_keys(ps_key_path *path, const cJSON *item, const char *const *known, uint32_t n)
{
        const cJSON *child;
        if (!cJSON_IsObject(item))
                return ps_key_fail(path, "it must be an object");
        for (child = item->child; child; child = child->next) {
                uint32_t i = 0;
                size_t mark = ps_key_enter(path, child->string);
                while (i < n && strcmp(known[i], child->string) != 0)
                        i++;
                if (i == n)
                        return ps_key_fail_unknown(path, child->string, known, n);
                if (cJSON_GetObjectItemCaseSensitive(item, child->string) != child)
                        return ps_key_fail(path, "it is there twice");
                ps_key_leave(path, mark);
        }
        return PS_OK;
}

/* -- the keys of a model -- */

enum { KEYS_MAX = 64 };

static bool has_bit(uint32_t models, ps_model model)
{
        return (models >> model & 1) != 0;
}

/* All keys of the model, or those that it needs. */
static uint32_t list_keys(const char *keys[KEYS_MAX], ps_model model, int needed)
{
        uint32_t n = 0;
        keys[n++] = "model";
        for (uint32_t i = 0; i < ps_n_machine_keys; i++) {
                const ps_machine_key *key = &ps_machine_keys[i];
                if (has_bit(key->must | (needed ? 0 : key->may), model))
                        keys[n++] = key->key;
        }
        for (uint32_t i = 0; i < ps_n_machine_parts; i++) {
                const ps_machine_part *part = &ps_machine_parts[i];
                if (has_bit(part->must | (needed ? 0 : part->may), model))
                        keys[n++] = part->key;
        }
        return n;
}

static ps_status read_model(ps_key_path *path, const cJSON *root, ps_model *out)
{
        const char *names[PS_N_MODELS];
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, "model");
        size_t mark = ps_key_enter(path, "model");
        if (!item)
                return ps_key_fail(path, "it is missing");
        if (!cJSON_IsString(item))
                return ps_key_fail(path, "it must be a text");
        for (int i = 0; i < PS_N_MODELS; i++) {
                names[i] = ps_models[i].name;
                if (strcmp(names[i], item->valuestring) == 0) {
                        *out = (ps_model)i;
                        ps_key_leave(path, mark);
                        return PS_OK;
                }
        }
        const char *near = ps_nearest(item->valuestring, names, PS_N_MODELS);
        return ps_key_fail(path, near ? "no such model %.40s: did you mean %s?" : "no such model %.40s",
                           item->valuestring, near);
}

/* A key that another model has deserves better than "unknown". */
static ps_status check_misplaced(ps_key_path *path, const cJSON *root, ps_model model)
{
        for (const cJSON *child = root->child; child; child = child->next) {
                uint32_t models = 0;
                for (uint32_t i = 0; i < ps_n_machine_keys; i++)
                        if (strcmp(ps_machine_keys[i].key, child->string) == 0)
                                models |= ps_machine_keys[i].must | ps_machine_keys[i].may;
                for (uint32_t i = 0; i < ps_n_machine_parts; i++)
                        if (strcmp(ps_machine_parts[i].key, child->string) == 0)
                                models |= ps_machine_parts[i].must | ps_machine_parts[i].may;
                if (!models || has_bit(models, model))
                        continue;
                ps_key_enter(path, child->string);
                return ps_key_fail(path, "the model %s does not have it", ps_models[model].name);
        }
        return PS_OK;
}

static ps_status check_keys(ps_key_path *path, const cJSON *root, ps_model model)
{
        const char *keys[KEYS_MAX];
        PS_TRY(check_misplaced(path, root, model));
        PS_TRY(ps_json_check_keys(path, root, keys, list_keys(keys, model, 0)));
        uint32_t n = list_keys(keys, model, 1);
        for (uint32_t i = 0; i < n; i++) {
                if (cJSON_GetObjectItemCaseSensitive(root, keys[i]))
                        continue;
                ps_key_enter(path, keys[i]);
                return ps_key_fail(path, "it is missing");
        }
        return PS_OK;
}

static ps_status read_keys(ps_key_path *path, ps_machine *machine, const cJSON *root)
{
        for (uint32_t i = 0; i < ps_n_machine_keys; i++) {
                const ps_machine_key *key = &ps_machine_keys[i];
                double value = 0;
                if (!has_bit(key->must | key->may, machine->model) ||
                    !cJSON_GetObjectItemCaseSensitive(root, key->key))
                        continue;
                PS_TRY(ps_json_read_member(path, root, key->key, key->type, &value));
                ps_machine_set(machine, key, value);
        }
        for (uint32_t i = 0; i < ps_n_machine_parts; i++) {
                const ps_machine_part *part = &ps_machine_parts[i];
                const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, part->key);
                if (!item || !has_bit(part->must | part->may, machine->model))
                        continue;
                size_t mark = ps_key_enter(path, part->key);
                PS_TRY(part->read(path, machine, item, part->field));
                ps_key_leave(path, mark);
        }
        return PS_OK;
}

/* The error's place in lines and columns. */
static ps_status fail_syntax(const char *text, const char *end, const char *path, ps_error *err)
{
        uint32_t line = 1, column = 1;
        for (const char *at = text; end && at < end; at++) {
                column = *at == '\n' ? 1 : column + 1;
                line += *at == '\n';
        }
        return PS_FAIL(
                err, PS_E_INPUT,
                "cannot read the machine: path=\"%.60s\", reason=\"it is not JSON\", line=%u, column=%u",
                path, line, column);
}

ps_status ps_machine_read_json(ps_machine *out, const char *text, size_t len, const char *path, ps_error *err)
{
        ps_key_path where = {.file = path, .err = err};
        const char *end = NULL;
        ps_model model = PS_MODEL_HOCKNEY;
        cJSON *root;
        ps_status status;

        PS_TRY(ps_json_parse(&root, text, len, &end, err));
        if (!root)
                return fail_syntax(text, end, path, err);
        status = cJSON_IsObject(root) ? read_model(&where, root, &model)
                                      : ps_key_fail(&where, "it must be an object");
        if (status == PS_OK) {
                ps_machine_init(out, model);
                status = check_keys(&where, root, model);
        }
        PS_THEN(status, read_keys(&where, out, root));
        cJSON_Delete(root);
        return status;
}

/* -- writing -- */

/* What is not as it is without its key. */
void ps_machine_put(ps_row *to, const char *key, const ps_machine *machine)
{
        ps_machine usual;
        ps_machine_init(&usual, machine->model);
        ps_row_open(to, key, '{');
        ps_row_exact_text(to, "model", ps_models[machine->model].name);
        for (uint32_t i = 0; i < ps_n_machine_keys; i++) {
                const ps_machine_key *row = &ps_machine_keys[i];
                double value = ps_machine_get(machine, row);
                bool is_usual = !has_bit(row->must, machine->model) && value == ps_machine_get(&usual, row);
                if (has_bit(row->must | row->may, machine->model) && !is_usual)
                        ps_json_put_number(to, row->key, row->type, value);
        }
        for (uint32_t i = 0; i < ps_n_machine_parts; i++) {
                const ps_machine_part *part = &ps_machine_parts[i];
                if (has_bit(part->must | part->may, machine->model))
                        part->write(to, part->key, machine, part->field);
        }
        ps_row_close(to, '}');
}

ps_status ps_machine_print(char **out, const ps_machine *machine, ps_error *err)
{
        ps_output *text;
        ps_status status = ps_output_open_memory(&text, PS_WIDTH_DEFAULT, err);
        *out = NULL;
        if (status != PS_OK)
                return status;
        ps_machine_put(&(ps_row){.out = text, .style = PS_ROW_INDENTED}, NULL, machine);
        *out = ps_output_text(text) ? strdup(ps_output_text(text)) : NULL;
        ps_output_discard(text);
        return *out ? PS_OK : PS_NOMEM(err, "machine", 1);
}
