/* json.c - thin layers over cJSON. */
#include "report/print/json.h"
#include "report/print/text.h"

#include <stdlib.h>

static cJSON *attach(ps_json *json, cJSON *parent, const char *key, cJSON *item)
{
        int attached = item && parent &&
                       (key ? cJSON_AddItemToObject(parent, key, item) : cJSON_AddItemToArray(parent, item));

        if (attached)
                return item;
        cJSON_Delete(item);
        json->failed = 1;
        return NULL;
}

cJSON *ps_json_root(ps_json *json)
{
        json->root = cJSON_CreateObject();
        json->failed = !json->root;
        return json->root;
}

cJSON *ps_json_object(ps_json *json, cJSON *parent, const char *key)
{
        return attach(json, parent, key, cJSON_CreateObject());
}

cJSON *ps_json_array(ps_json *json, cJSON *parent, const char *key)
{
        return attach(json, parent, key, cJSON_CreateArray());
}

void ps_json_null(ps_json *json, cJSON *parent, const char *key)
{
        attach(json, parent, key, cJSON_CreateNull());
}

void ps_json_bool(ps_json *json, cJSON *parent, const char *key, int value)
{
        attach(json, parent, key, cJSON_CreateBool(value));
}

void ps_json_u64(ps_json *json, cJSON *parent, const char *key, uint64_t value)
{
        char room[PS_NUMBER_ROOM];

        ps_text_u64(room, value);
        attach(json, parent, key, cJSON_CreateRaw(room));
}

void ps_json_time(ps_json *json, cJSON *parent, const char *key, ps_time value)
{
        char room[PS_NUMBER_ROOM];

        ps_text_seconds(room, value);
        attach(json, parent, key, cJSON_CreateRaw(room));
}

void ps_json_text(ps_json *json, cJSON *parent, const char *key, const char *value)
{
        char *clean;

        if (!value || !*value) {
                ps_json_null(json, parent, key);
                return;
        }
        clean = ps_text_clean(value);
        attach(json, parent, key, clean ? cJSON_CreateString(clean) : NULL);
        free(clean);
}

ps_status ps_json_finish(ps_json *json, ps_output *out, ps_error *err)
{
        char *text = json->failed ? NULL : cJSON_Print(json->root);

        cJSON_Delete(json->root);
        *json = (ps_json){0};
        if (!text)
                return PS_NOMEM(err, "JSON document", 1);
        ps_output_puts(out, text);
        ps_output_putc(out, '\n');
        cJSON_free(text);
        return PS_OK;
}

ps_status ps_json_finish_members(ps_json *json, ps_output *out, ps_error *err)
{
        ps_status status = json->failed ? PS_NOMEM(err, "JSON document", 1) : PS_OK;

        for (const cJSON *item = json->root ? json->root->child : NULL; item && !status; item = item->next) {
                char *text = cJSON_PrintUnformatted(item);
                if (!text)
                        status = PS_NOMEM(err, "JSON document", 1);
                else
                        ps_output_printf(out, "\"%s\": ", item->string);
                ps_output_puts(out, text ? text : "");
                ps_output_puts(out, item->next ? ",\n" : "");
                cJSON_free(text);
        }
        cJSON_Delete(json->root);
        *json = (ps_json){0};
        return status;
}
