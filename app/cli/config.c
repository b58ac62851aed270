/* config.c - see config.h. */
#include "app/cli/config.h"

#include "app/cli/commands.h"
#include "core/base/file.h"
#include "core/base/nearest.h"
#include "core/base/number.h"
#include "core/base/vector.h"
#include "report/print/json.h"
#include "report/print/row.h"
#include "report/print/text.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PROJECT_FILE ".patscan.json"
enum { FILE_MOST = 1 << 20 };

static const struct setting {
        const char *key, *option, *variable;
} settings[PS_CONFIG_KEYS] = {
#define PS_CONFIG(...) {__VA_ARGS__},
#include "app/cli/config.def"
#undef PS_CONFIG
};

/* -- a file -- */

typedef struct reading {
        ps_config *config;
        const char *path;
        ps_error *err;
} reading;

static ps_status fail_at_key(const reading *r, const char *key, const char *wanted)
{
        return PS_FAIL(r->err, PS_E_USAGE,
                       "cannot use configuration: path=\"%s\", key=\"%.60s\", wanted=\"%s\"", r->path, key,
                       wanted);
}

static const char *keep(const reading *r, const char *text, ps_status *status)
{
        size_t n = strlen(text) + 1;
        char *copy = ps_arena_room(r->config->arena, n);
        if (!copy)
                *status = PS_NOMEM(r->err, "configuration", n);
        return copy ? memcpy(copy, text, n) : "";
}

static ps_status add_value(const reading *r, ps_config_value *value, const char *key, const cJSON *item)
{
        ps_status status = PS_OK;
        if (!cJSON_IsString(item) || !*item->valuestring)
                return fail_at_key(r, key, "a text, or a list of texts");
        if (value->values.n == PS_LIST_MAX)
                return fail_at_key(r, key, "fewer of them");
        value->values.row[value->values.n++] = keep(r, item->valuestring, &status);
        return status;
}

/* It replaces what an earlier file says. */
static ps_status read_setting(const reading *r, ps_config_value *value, const cJSON *item)
{
        *value = (ps_config_value){.from = r->path};
        if (!cJSON_IsArray(item))
                return add_value(r, value, item->string, item);
        for (const cJSON *row = item->child; row; row = row->next)
                PS_TRY(add_value(r, value, item->string, row));
        return PS_OK;
}

static ps_status append_ignored(const reading *r, const char *site, const char *reason)
{
        ps_config *config = r->config;
        ps_status status = PS_OK;
        ps_ignored ignored = {keep(r, site, &status), keep(r, reason, &status), r->path};
        if (status == PS_OK && PS_APPEND(config->ignored, config->n_ignored, config->cap_ignored, ignored))
                status = PS_NOMEM(r->err, "configuration", config->n_ignored);
        return status;
}

static ps_status add_ignored(const reading *r, const cJSON *row)
{
        const cJSON *site = cJSON_GetObjectItemCaseSensitive(row, "site");
        const cJSON *reason = cJSON_GetObjectItemCaseSensitive(row, "reason");
        uint64_t number;
        for (const cJSON *member = cJSON_IsObject(row) ? row->child : NULL; member; member = member->next)
                if (member != site && member != reason)
                        return fail_at_key(r, member->string, "site and reason");
        if (!cJSON_IsString(site) || !ps_number_is_hex(site->valuestring, &number))
                return fail_at_key(r, "ignore", "rows with the site of a finding, 16 hexadecimal digits");
        if (reason && !cJSON_IsString(reason))
                return fail_at_key(r, "ignore", "a reason in words");
        return append_ignored(r, site->valuestring, reason ? reason->valuestring : "no reason given");
}

static ps_status fail_key(const reading *r, const char *key)
{
        const char *names[PS_CONFIG_KEYS + 1] = {"ignore"}, *near;
        for (unsigned i = 0; i < PS_CONFIG_KEYS; i++)
                names[i + 1] = settings[i].key;
        near = strlen(key) <= PS_NEAREST_MAX ? ps_nearest(key, names, PS_CONFIG_KEYS + 1) : NULL;
        return PS_FAIL(r->err, PS_E_USAGE, "unknown key in configuration: path=\"%s\", key=\"%.60s\"%s%s",
                       r->path, key, near ? ", did you mean " : "", near ? near : "");
}

static ps_status read_member(const reading *r, const cJSON *item)
{
        for (unsigned i = 0; i < PS_CONFIG_KEYS; i++)
                if (strcmp(item->string, settings[i].key) == 0)
                        return read_setting(r, &r->config->value[i], item);
        if (strcmp(item->string, "ignore") != 0)
                return fail_key(r, item->string);
        if (!cJSON_IsArray(item))
                return fail_at_key(r, "ignore", "a list");
        for (const cJSON *row = item->child; row; row = row->next)
                PS_TRY(add_ignored(r, row));
        return PS_OK;
}

static ps_status read_text(const reading *r, const char *text, size_t n)
{
        cJSON *root;
        PS_TRY(ps_json_parse(&root, text, n, NULL, r->err));
        ps_status status = cJSON_IsObject(root) ? PS_OK : fail_at_key(r, "", "an object of JSON");
        for (const cJSON *item = root ? root->child : NULL; item && status == PS_OK; item = item->next)
                status = read_member(r, item);
        cJSON_Delete(root);
        return status;
}

static ps_status read_file(ps_config *config, const char *path, ps_error *err)
{
        ps_status status = PS_OK;
        reading r = {config, path, err};
        char *text = NULL;
        size_t n = 0;
        r.path = config->file[config->n_files++] = keep(&r, path, &status);
        PS_THEN(status, ps_file_read(&text, &n, ps_file_open(path), FILE_MOST, "configuration", path, err));
        if (status == PS_E_INPUT) /* the command line leads to it */
                status = PS_E_USAGE;
        PS_THEN(status, read_text(&r, text, n));
        free(text);
        return status;
}

/* -- where they are -- */

/* The nearest one from `folder` upwards, by the shortest name that opens it. */
static bool find_project(char path[PATH_MAX], const char *folder)
{
        char at[PATH_MAX];
        if (!realpath(folder ? folder : ".", at))
                return false;
        for (unsigned above = 0;; above++) {
                int n = folder || above
                                ? snprintf(path, PATH_MAX, "%s/" PROJECT_FILE, strcmp(at, "/") ? at : "")
                                : snprintf(path, PATH_MAX, PROJECT_FILE);
                char *slash = strrchr(at, '/');
                if (n < PATH_MAX && access(path, F_OK) == 0)
                        return true;
                if (!slash || !slash[1])
                        return false;
                slash[slash == at] = '\0';
        }
}

static bool find_own(char path[PATH_MAX])
{
        const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
        int n = base && *base == '/'   ? snprintf(path, PATH_MAX, "%s/patscan/config.json", base)
                : home && *home == '/' ? snprintf(path, PATH_MAX, "%s/.config/patscan/config.json", home)
                                       : PATH_MAX;
        return n < PATH_MAX && access(path, F_OK) == 0;
}

static void read_environment(ps_config *config)
{
        for (unsigned i = 0; i < PS_CONFIG_KEYS; i++) {
                const char *text = getenv(settings[i].variable);
                if (text && *text)
                        config->value[i] = (ps_config_value){settings[i].variable, {{text}, 1}};
        }
}

ps_status ps_config_read(ps_config *out, const char *folder, ps_error *err)
{
        char path[PATH_MAX];
        *out = (ps_config){.arena = ps_arena_new()};
        if (!out->arena)
                return PS_NOMEM(err, "configuration", 1);
        if (find_own(path))
                PS_TRY(read_file(out, path, err));
        if (find_project(path, folder))
                PS_TRY(read_file(out, path, err));
        read_environment(out);
        return PS_OK;
}

void ps_config_clear(ps_config *config)
{
        ps_arena_free(config->arena);
        free(config->ignored);
        *config = (ps_config){.arena = NULL};
}

/* -- what they change -- */

static ps_status apply(ps_config *config, unsigned i, ps_options *options, ps_error *err)
{
        const ps_config_value *value = &config->value[i];
        ps_sentence says = {config->says, sizeof(config->says), strlen(config->says)};
        if (!value->values.n || ps_options_given(options, settings[i].option) ||
            !ps_options_has(options, settings[i].option))
                return PS_OK;
        for (unsigned k = 0; k < value->values.n; k++)
                if (ps_options_set(options, settings[i].option, value->values.row[k], err) != PS_OK)
                        return PS_CAUSE(err, PS_E_USAGE, "in %s", value->from);
        ps_sentence_add(&says, "%s%s %s from %s", says.n ? ", " : "", settings[i].option,
                        value->values.row[0], value->from);
        return PS_OK;
}

ps_status ps_config_apply(ps_config *config, ps_options *options, ps_error *err)
{
        for (unsigned i = 0; i < PS_CONFIG_KEYS; i++)
                PS_TRY(apply(config, i, options, err));
        config->configured = (ps_configured){config->ignored, config->n_ignored, config->file,
                                             config->n_files, *config->says ? config->says : NULL};
        options->configured = config->configured;
        return PS_OK;
}

ps_status ps_config_print(const ps_config *config, ps_error *err)
{
        ps_output *out;
        PS_TRY(ps_output_open(&out, "-", PS_COLOR_NEVER, err));
        for (unsigned i = 0; i < config->n_files; i++) {
                ps_output_puts(out, "file      ");
                ps_text_write(out, config->file[i]);
                ps_output_putc(out, '\n');
        }
        for (unsigned i = 0; i < PS_CONFIG_KEYS; i++)
                for (unsigned k = 0; k < config->value[i].values.n; k++) {
                        ps_output_printf(out, "%-9s ", settings[i].key);
                        ps_text_write(out, config->value[i].values.row[k]);
                        ps_output_puts(out, "  from ");
                        ps_text_write(out, config->value[i].from);
                        ps_output_putc(out, '\n');
                }
        for (uint32_t i = 0; i < config->n_ignored; i++) {
                ps_output_printf(out, "ignore    %s  ", config->ignored[i].site);
                ps_text_write(out, config->ignored[i].reason);
                ps_output_puts(out, "  from ");
                ps_text_write(out, config->ignored[i].from);
                ps_output_putc(out, '\n');
        }
        if (!config->n_files && !config->n_ignored)
                ps_output_puts(out, "There is no " PROJECT_FILE
                                    " from here upwards, and none for all projects.\n");
        return ps_output_commit(out, err);
}

/* -- one more site -- */

static void put_ignored(ps_row *row, const char *site, const char *reason)
{
        ps_row_open(row, NULL, '{');
        ps_row_exact_text(row, "site", site);
        ps_row_exact_text(row, "reason", reason);
        ps_row_close(row, '}');
}

static void put_settings(ps_row *row, const ps_config *config)
{
        for (unsigned i = 0; i < PS_CONFIG_KEYS; i++) {
                const ps_word_list *values = &config->value[i].values;
                if (values->n == 1)
                        ps_row_exact_text(row, settings[i].key, values->row[0]);
                if (values->n < 2)
                        continue;
                ps_row_open(row, settings[i].key, '[');
                for (unsigned k = 0; k < values->n; k++)
                        ps_row_exact_text(row, NULL, values->row[k]);
                ps_row_close(row, ']');
        }
}

static ps_status write_file(const ps_config *config, const char *path, const char *site, const char *reason,
                            ps_error *err)
{
        ps_output *out;
        PS_TRY(ps_output_open(&out, path, PS_COLOR_NEVER, err));
        ps_row row = {.out = out, .style = PS_ROW_SPACED};
        ps_row_open_lines(&row, NULL, '{');
        put_settings(&row, config);
        ps_row_open_lines(&row, "ignore", '[');
        for (uint32_t i = 0; i < config->n_ignored; i++)
                put_ignored(&row, config->ignored[i].site, config->ignored[i].reason);
        put_ignored(&row, site, reason);
        ps_row_close(&row, ']');
        ps_row_close(&row, '}');
        ps_output_putc(out, '\n');
        return ps_output_commit(out, err);
}

static ps_status add_to_file(const char *folder, const char *site, const char *reason, ps_error *err)
{
        ps_config config = {.arena = ps_arena_new()};
        char path[PATH_MAX];
        ps_status status = config.arena ? PS_OK : PS_NOMEM(err, "configuration", 1);
        if (status == PS_OK && find_project(path, folder))
                status = read_file(&config, path, err);
        else if (snprintf(path, sizeof(path), "%s/" PROJECT_FILE, folder ? folder : ".") >= PATH_MAX)
                status = PS_FAIL(err, PS_E_OUTPUT, "the folder's name is too long");
        if (status == PS_OK && !ps_ignored_find(config.ignored, config.n_ignored, site))
                status = write_file(&config, path, site, reason, err);
        ps_config_clear(&config);
        return status;
}

ps_status ps_config_ignore(ps_config *config, const char *folder, const char *site, const char *reason,
                           ps_error *err)
{
        reading r = {config, PROJECT_FILE, err};
        PS_TRY(add_to_file(folder, site, reason, err));
        return append_ignored(&r, site, reason);
}
