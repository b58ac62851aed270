/* file.c - finds a machine: a preset by its name, or a file in one of three forms. */
#include "core/base/file.h"
#include "core/base/nearest.h"
#include "simulator/machine/json.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const ps_preset ps_presets[] = {
#define PS_PRESET(name, title, numbers, text) {name, title, numbers, text},
#include "simulator/machine/presets.def"
#undef PS_PRESET
};

const uint32_t ps_n_presets = sizeof(ps_presets) / sizeof(ps_presets[0]);

/* An LMO of 1024 processors has two matrices of a million numbers. */
enum { BYTES_MAX = 64 << 20 };

static ps_status fail_reading(const char *path, const char *reason, ps_error *err)
{
        return PS_FAIL(err, PS_E_INPUT, "cannot read the machine: path=\"%.100s\", reason=\"%s\"", path,
                       reason);
}

/* -- forms -- */

static const char *first_word(const char *text)
{
        if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
                text += 3;
        while (isspace((unsigned char)*text))
                text++;
        return text;
}

static ps_status read_form(ps_machine *out, const char *text, size_t len, const char *path, ps_error *err)
{
        const char *word = first_word(text);
        if (!*word)
                return fail_reading(path, "it is empty", err);
        if (*word == '{' || *word == '[')
                return ps_machine_read_json(out, word, len - (size_t)(word - text), path, err);
        if (strncasecmp(word, "LMO", 3) == 0 && !isalnum((unsigned char)word[3]))
                return ps_machine_read_lmo(out, text, path, err);
        return ps_machine_read_par(out, text, path, err);
}

ps_status ps_machine_parse(ps_machine **out, const char *text, size_t len, const char *path, ps_error *err)
{
        char *copy = malloc(len + 1);
        ps_machine *machine = calloc(1, sizeof(*machine));
        ps_status status = PS_OK;

        *out = NULL;
        if (!copy || !machine) {
                status = PS_NOMEM(err, "machine", len);
        } else if (memchr(text, '\0', len)) {
                status = fail_reading(path, "it is no text", err);
        } else {
                memcpy(copy, text, len);
                copy[len] = '\0';
                status = read_form(machine, copy, len, path, err);
        }
        free(copy);
        if (status != PS_OK)
                ps_machine_free(machine);
        else
                *out = machine;
        return status;
}

/* -- files -- */

static ps_status fail_opening(const char *path, ps_error *err)
{
        int cause = errno;
        if (cause == ENOMEM)
                return ps_file_unopened("machine", path, err);
        const char **names = malloc(ps_n_presets * sizeof(*names)), *near = NULL;
        for (uint32_t i = 0; names && i < ps_n_presets; i++)
                names[i] = ps_presets[i].name;
        if (names && !strchr(path, '/'))
                near = ps_nearest(path, names, ps_n_presets);
        free(names);
        if (near)
                return PS_FAIL(err, PS_E_INPUT,
                               "there is no machine file and no preset \"%.60s\": did you mean %s?", path,
                               near);
        return PS_FAIL(err, PS_E_INPUT, "cannot open the machine: path=\"%.100s\", reason=\"%s\"%s", path,
                       strerror(cause), strchr(path, '/') ? "" : "; \"patscan machines\" lists the presets");
}

static ps_status open_file(ps_machine **out, const char *path, ps_error *err)
{
        FILE *file = strcmp(path, "-") ? ps_file_open(path) : stdin;
        char *text = NULL;
        size_t len = 0;

        if (!file)
                return fail_opening(path, err);
        PS_TRY(ps_file_read(&text, &len, file, BYTES_MAX, "machine", path, err));
        ps_status status = ps_machine_parse(out, text, len, path, err);
        free(text);
        return status;
}

static ps_status open_preset(ps_machine **out, const ps_preset *preset, ps_error *err)
{
        PS_TRY(ps_machine_parse(out, preset->text, strlen(preset->text), preset->name, err));
        if ((*out)->source)
                return PS_OK;
        (*out)->source = strdup(preset->numbers);
        if ((*out)->source)
                return PS_OK;
        ps_machine_free(*out);
        *out = NULL;
        return PS_NOMEM(err, "source", 1);
}

ps_status ps_machine_open(ps_machine **out, const char *spec, ps_error *err)
{
        *out = NULL;
        for (uint32_t i = 0; i < ps_n_presets; i++)
                if (strcmp(ps_presets[i].name, spec) == 0)
                        return open_preset(out, &ps_presets[i], err);
        return open_file(out, spec, err);
}
