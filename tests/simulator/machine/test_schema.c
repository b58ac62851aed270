/* test_schema.c - docs/machine.schema.json is what the tables of keys, parts, amounts, models and shapes
 * give. */
#include "report/print/output.h"
#include "simulator/cost/amount.h"
#include "simulator/cost/collectives.h"
#include "simulator/cost/models.h"
#include "tests/support/schema_file.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#define PS_ON(model) (UINT32_C(1) << PS_MODEL_##model)
#define PS_ALL       ((UINT32_C(1) << PS_N_MODELS) - 1)

/* What the file may hold. The plain numbers come first; a part of the same name is what a model has instead.
 */
static const struct {
        const char *key, *type, *doc; /* type: a definition, or what `sort` is in sorts.def */
        int is_part;
        uint32_t must, may;
} keys[] = {
#define PS_MACHINE_KEY(key, symbol, type, field, must, may, doc) {key, #type, doc, 0, must, may},
#include "simulator/cost/machine_keys.def"
#undef PS_MACHINE_KEY
#define PS_MACHINE_PART(key, sort, field, must, may, doc) {key, #sort, doc, 1, must, may},
#include "simulator/machine/parts.def"
#undef PS_MACHINE_PART
};
enum { N_KEYS = sizeof(keys) / sizeof(*keys) };

static const struct named {
        const char *name, *schema;
} sorts[] =
        {
#define SORT(sort, schema) {#sort, schema},
#define NAMED(name, schema)
#include "tests/simulator/machine/sorts.def"
#undef SORT
#undef NAMED
},
  definitions[] = {
#define SORT(sort, schema)
#define NAMED(name, schema) {#name, schema},
#include "tests/simulator/machine/sorts.def"
#undef SORT
#undef NAMED
};

static const char *const amount_names[] = {
#define PS_AMOUNT(id, type, least, most, is_whole, null, unit) #id,
#include "simulator/cost/amounts.def"
#undef PS_AMOUNT
};

/* -- words -- */

static void put_quoted(ps_output *out, const char *text)
{
        for (; *text; text++)
                ps_output_putc(out, *text == '\'' ? '"' : *text);
}

static void put_lower(ps_output *out, const char *text)
{
        for (; *text; text++)
                ps_output_putc(out, *text >= 'A' && *text <= 'Z' ? (char)(*text + ('a' - 'A')) : *text);
}

static void put_strings(ps_output *out, const char *const *text, unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                ps_output_printf(out, "%s\"%s\"", i ? ", " : "", text[i]);
}

/* -- properties -- */

static void put_type(ps_output *out, unsigned k)
{
        if (!keys[k].is_part) {
                ps_output_puts(out, "\"$ref\": \"#/definitions/");
                put_lower(out, keys[k].type);
                ps_output_putc(out, '"');
                return;
        }
        for (size_t i = 0; i < sizeof(sorts) / sizeof(*sorts); i++)
                if (strcmp(sorts[i].name, keys[k].type) == 0) {
                        put_quoted(out, sorts[i].schema);
                        return;
                }
        fail_msg("sorts.def does not tell what %s is", keys[k].type);
}

/* The other row of the same key; N_KEYS: there is none. */
static unsigned twin_of(unsigned k)
{
        for (unsigned i = 0; i < N_KEYS; i++)
                if (i != k && strcmp(keys[i].key, keys[k].key) == 0)
                        return i;
        return N_KEYS;
}

static void put_property(ps_output *out, unsigned k)
{
        unsigned twin = twin_of(k);

        if (twin < k)
                return;
        ps_output_printf(out, ",\n    \"%s\": {\"description\": \"%s", keys[k].key, keys[k].doc);
        if (twin < N_KEYS)
                ps_output_printf(out, "; lmo: %s", keys[twin].doc);
        ps_output_puts(out, twin < N_KEYS ? "\", \"anyOf\": [{" : "\", \"allOf\": [{");
        put_type(out, k);
        if (twin < N_KEYS) {
                ps_output_puts(out, "}, {");
                put_type(out, twin);
        }
        ps_output_puts(out, "}]}");
}

static void put_properties(ps_output *out)
{
        const char *names[PS_N_MODELS];

        for (int i = 0; i < PS_N_MODELS; i++)
                names[i] = ps_models[i].name;
        ps_output_puts(out,
                       "    \"model\": {\"description\": \"which parameters there are, and what they cost: "
                       "docs/MACHINES.md\", \"enum\": [");
        put_strings(out, names, PS_N_MODELS);
        ps_output_puts(out, "]}");
        for (unsigned k = 0; k < N_KEYS; k++)
                put_property(out, k);
}

/* -- what each model needs, and may have -- */

static void put_keys_of(ps_output *out, int model, int is_needed)
{
        uint32_t bit = UINT32_C(1) << model;
        int n = 0;

        for (unsigned k = 0; k < N_KEYS; k++)
                if ((keys[k].must | (is_needed ? 0 : keys[k].may)) & bit)
                        ps_output_printf(out, "%s\"%s\"", n++ ? ", " : "", keys[k].key);
}

static void put_models(ps_output *out)
{
        for (int i = 0; i < PS_N_MODELS; i++) {
                ps_output_printf(
                        out,
                        "%s    {\"if\": {\"properties\": {\"model\": {\"const\": \"%s\"}}}, \"then\": {"
                        "\"required\": [",
                        i ? ",\n" : "", ps_models[i].name);
                put_keys_of(out, i, 1);
                ps_output_puts(out, "], \"propertyNames\": {\"enum\": [\"model\", ");
                put_keys_of(out, i, 0);
                ps_output_puts(out, "]}}}");
        }
}

/* -- definitions -- */

static void put_definitions(ps_output *out)
{
        for (int i = 0; i < PS_N_AMOUNTS; i++) {
                const ps_amount_info *info = &ps_amounts[i];
                const char *type = info->is_whole ? "integer" : "number";
                ps_output_puts(out, "    \"");
                put_lower(out, amount_names[i]);
                ps_output_printf(out,
                                 isnan(info->null) ? "\": {\"type\": \"%s\""
                                                   : "\": {\"type\": [\"%s\", \"null\"]",
                                 type);
                ps_output_printf(out, ", \"minimum\": %.17g, \"maximum\": %.17g},\n", info->least,
                                 info->most);
        }
        for (size_t i = 0; i < sizeof(definitions) / sizeof(*definitions); i++) {
                ps_output_printf(out, "    \"%s\": {", definitions[i].name);
                put_quoted(out, definitions[i].schema);
                ps_output_puts(out, "},\n");
        }
        ps_output_puts(out, "    \"shape\": {\"enum\": [");
        put_strings(out, ps_shape_names, PS_N_SHAPES);
        ps_output_puts(out, "]}");
}

TEST(docs_has_the_schema_of_the_tables)
{
        ps_output *out;

        assert_int_equal(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, NULL), PS_OK);
        ps_output_puts(out,
                       "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                       "  \"title\": \"patscan machine\",\n"
                       "  \"description\": \"A parallel machine, as `--machine FILE` reads it. The key tells "
                       "the unit. docs/MACHINES.md tells what the models are.\",\n"
                       "  \"type\": \"object\",\n  \"required\": [\"model\"],\n"
                       "  \"additionalProperties\": false,\n  \"properties\": {\n");
        put_properties(out);
        ps_output_puts(out, "\n  },\n  \"allOf\": [\n");
        put_models(out);
        ps_output_puts(out, "\n  ],\n  \"definitions\": {\n");
        put_definitions(out);
        ps_output_puts(out, "\n  }\n}\n");
        schema_file_check("docs/machine.schema.json", ps_output_text(out));
        ps_output_discard(out);
}
