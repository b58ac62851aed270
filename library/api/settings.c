/* settings.c - see settings.h. */
#include "library/api/settings.h"
#include "library/api/rows.h"
#include "library/run/quantity.h"
#include "library/run/request.h"
#include "report/facts/report.h"
#include "simulator/machine/file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef enum setting_form {
        NUMBER, /* unsigned, or an int that is 0 or 1 */
        LEVELS, /* the number of levels, of which the first does not count inside */
        TEXT,
        CHOICE, /* a text, which inside is its place among the choices */
        LIST,
        REPORTS
} setting_form;

typedef struct setting {
        setting_form form;
        size_t outside, inside; /* offsets */
        const char *name;
        unsigned most; /* of a number */
        const char *choices;
} setting;

#define SETTING(form, type, member, field, ...)                                                              \
        {                                                                                                    \
                form, offsetof(type, member), offsetof(ps_options, field), #member, __VA_ARGS__              \
        }
#define OPEN(form, member, field, ...)    SETTING(form, patscan_open_options, member, field, __VA_ARGS__)
#define ANALYZE(form, member, field, ...) SETTING(form, patscan_analyze_options, member, field, __VA_ARGS__)
#define COMPARE(form, member, field, ...) SETTING(form, patscan_compare_options, member, field, __VA_ARGS__)
#define PREDICT(form, member, field, ...) SETTING(form, patscan_predict_options, member, field, __VA_ARGS__)
#define INFO(form, member, field, ...)    SETTING(form, patscan_info_options, member, field, __VA_ARGS__)

static const setting open_settings[] = {
        OPEN(NUMBER, threads, load.threads, PS_THREADS_MAX, NULL),
        OPEN(NUMBER, strict, load.strict, 1, NULL),
        OPEN(NUMBER, allow_partial, limits.allow_partial, 1, NULL),
        OPEN(CHOICE, clock, load.clock, 0, PS_CLOCK_CHOICES),
        OPEN(CHOICE, upc_flags, load.upc_flags, 0, PS_UPC_FLAGS_CHOICES),
        OPEN(CHOICE, definitions, analysis.definitions, 0, PS_DEFINITIONS_CHOICES),
        OPEN(TEXT, focus, focus.focus, 0, NULL),
        OPEN(TEXT, from, focus.from, 0, NULL),
        OPEN(TEXT, to, focus.to, 0, NULL),
        OPEN(TEXT, ranks, focus.ranks, 0, NULL),
        OPEN(TEXT, cache, load.cache, 0, NULL),
        OPEN(TEXT, memory, load.memory, 0, NULL),
};

static const setting analyze_settings[] = {
        ANALYZE(NUMBER, top, reports.top, UINT32_MAX, NULL),
        ANALYZE(LEVELS, interval_levels, reports.interval_level, UINT32_MAX, NULL),
        ANALYZE(TEXT, epsilon, analysis.epsilon, 0, NULL),
        ANALYZE(CHOICE, definitions, analysis.definitions, 0, PS_DEFINITIONS_CHOICES),
        ANALYZE(TEXT, eager, analysis.eager, 0, NULL),
        ANALYZE(TEXT, master, analysis.master, 0, NULL),
        ANALYZE(TEXT, baseline, limits.baseline, 0, NULL),
        ANALYZE(TEXT, causes, predict.causes, 0, NULL),
        ANALYZE(TEXT, gains, predict.gains, 0, NULL),
        ANALYZE(CHOICE, rank_by, reports.rank_by, 0, PS_RANK_BY_CHOICES),
        ANALYZE(TEXT, network, machine.network, 0, NULL),
        ANALYZE(LIST, only, analysis.only, 0, NULL),
        ANALYZE(LIST, ignore, analysis.ignore, 0, NULL),
        ANALYZE(LIST, source_root, source.roots, 0, NULL),
        ANALYZE(LIST, path_map, source.maps, 0, NULL),
        ANALYZE(LIST, interval, reports.intervals, 0, NULL),
        ANALYZE(LIST, fail_on, limits.fail_on, 0, NULL),
        ANALYZE(REPORTS, reports, reports, 0, NULL),
};

static const setting compare_settings[] = {
        COMPARE(TEXT, tolerance, limits.tolerance, 0, NULL),
        COMPARE(TEXT, rank_map, compare.rank_map, 0, NULL),
        COMPARE(NUMBER, weak, scale.weak, 1, NULL),
};

static const setting info_settings[] = {
        INFO(NUMBER, profile, info.profile, 1, NULL),
        INFO(NUMBER, bins, info.bins, 1000000, NULL),
        INFO(NUMBER, functions, info.functions, 1, NULL),
        INFO(TEXT, network, machine.network, 0, NULL),
};

static const setting predict_settings[] = {
        PREDICT(NUMBER, redo_order, predict.redo_order, 1, NULL),
        PREDICT(NUMBER, sensitivity, predict.sensitivity, 1, NULL),
        PREDICT(TEXT, max_drift, predict.max_drift, 0, NULL),
        PREDICT(TEXT, grid, machine.grid, 0, NULL),
        PREDICT(TEXT, procs, machine.procs, 0, NULL),
        PREDICT(CHOICE, pipelining, machine.pipelining, 0, PS_PIPELINING_CHOICES),
        PREDICT(LIST, distribute, predict.distribute, 0, NULL),
};

#define ROWS(rows) (rows), sizeof(rows) / sizeof(*(rows))
static const struct group {
        const char *name;
        size_t size;
        const setting *row;
        size_t n;
} groups[PS_SETTING_GROUPS] = {
        [PS_SETTINGS_OPEN] = {"patscan_open_options", sizeof(patscan_open_options), ROWS(open_settings)},
        [PS_SETTINGS_ANALYZE] = {"patscan_analyze_options", sizeof(patscan_analyze_options),
                                 ROWS(analyze_settings)},
        [PS_SETTINGS_COMPARE] = {"patscan_compare_options", sizeof(patscan_compare_options),
                                 ROWS(compare_settings)},
        [PS_SETTINGS_PREDICT] = {"patscan_predict_options", sizeof(patscan_predict_options),
                                 ROWS(predict_settings)},
        [PS_SETTINGS_INFO] = {"patscan_info_options", sizeof(patscan_info_options), ROWS(info_settings)},
};

/* -- from a program -- */

static ps_status copy_text(const char **to, const char *text, ps_arena *arena, ps_error *err)
{
        *to = ps_made_rows_copy(arena, text);
        return *to || !text ? PS_OK : PS_NOMEM(err, "options", 1);
}

static ps_status take_number(void *to, const setting *s, unsigned value, ps_error *err)
{
        unsigned *field = to;

        if (s->form == NUMBER && value > s->most)
                return PS_FAIL(err, PS_E_USAGE, "an option is too large: option=%s, value=%u, most=%u",
                               s->name, value, s->most);
        *field = s->form == LEVELS ? value - 1 : value;
        return PS_OK;
}

static ps_status take_choice(void *to, const setting *s, const char *value, ps_error *err)
{
        unsigned *field = to;

        if (!value)
                return PS_OK;
        int choice = ps_choice_find(s->choices, value, strlen(value));
        if (choice < 0)
                return PS_FAIL(err, PS_E_USAGE, "%s does not take \"%.40s\": choices=\"%s\"", s->name, value,
                               s->choices);
        *field = (unsigned)choice;
        return PS_OK;
}

static ps_status take_list(void *to, const char *const *words, ps_arena *arena, ps_error *err)
{
        ps_word_list *list = to;

        for (; list->n < PS_LIST_MAX && words[list->n]; list->n++)
                PS_TRY(copy_text(&list->row[list->n], words[list->n], arena, err));
        return PS_OK;
}

static ps_status take_reports(void *to, const char *const *words, ps_arena *arena, ps_error *err)
{
        ps_asked_reports *reports = to;

        reports->are_open = !words[0];
        for (; words[reports->n]; reports->n++) {
                const char *name;
                if (reports->n == PS_REPORTS_MAX)
                        return PS_FAIL(err, PS_E_USAGE, "no more than %d reports can be written at once",
                                       PS_REPORTS_MAX);
                PS_TRY(copy_text(&name, words[reports->n], arena, err));
                PS_TRY(ps_request_parse(&reports->row[reports->n], name, err));
                reports->has_page |= strcmp(name, "html") == 0;
        }
        return PS_OK;
}

static ps_status take_setting(void *to, const setting *s, const void *from, ps_arena *arena, ps_error *err)
{
        switch (s->form) {
        case NUMBER:
        case LEVELS:
                return take_number(to, s, *(const unsigned *)from, err);
        case TEXT:
                return copy_text(to, *(const char *const *)from, arena, err);
        case CHOICE:
                return take_choice(to, s, *(const char *const *)from, err);
        case LIST:
                return take_list(to, from, arena, err);
        default:
                return take_reports(to, from, arena, err);
        }
}

ps_status ps_settings_take(ps_options *to, ps_setting_group group, const void *from, ps_arena *arena,
                           ps_error *err)
{
        const struct group *of = &groups[group];
        const char defaults[sizeof(patscan_analyze_options)] = {0};
        size_t size = from ? *(const size_t *)from : of->size;

        assert(of->size <= sizeof(defaults));
        if (size < sizeof(size_t) || size % sizeof(void *))
                return PS_FAIL(err, PS_E_USAGE, "%s.size must be the size of the struct: value=%zu", of->name,
                               size);
        for (size_t i = 0; i < of->n; i++) {
                /* A program of an older version has no such member. */
                const char *base = from && of->row[i].outside < size ? from : defaults;
                PS_TRY(take_setting((char *)to + of->row[i].inside, &of->row[i], base + of->row[i].outside,
                                    arena, err));
        }
        return PS_OK;
}

/* -- from a command line -- */

static const char *nth_choice(char room[PS_SETTINGS_WORD], const char *choices, unsigned n)
{
        for (; n; n--)
                choices += strcspn(choices, "|") + 1;
        snprintf(room, PS_SETTINGS_WORD, "%.*s", (int)strcspn(choices, "|"), choices);
        return room;
}

static void give_setting(void *to, const setting *s, const void *from, char room[PS_SETTINGS_WORD])
{
        const ps_word_list *list = from;
        const ps_asked_reports *reports = from;
        const char **words = to;

        switch (s->form) {
        case NUMBER:
        case LEVELS:
                *(unsigned *)to = *(const unsigned *)from + (s->form == LEVELS);
                break;
        case TEXT:
                *words = *(const char *const *)from;
                break;
        case CHOICE:
                *words = nth_choice(room, s->choices, *(const unsigned *)from);
                break;
        case LIST:
                memcpy(words, list->row, list->n * sizeof(*words));
                break;
        default:
                for (unsigned i = 0; i < reports->n; i++)
                        words[i] = reports->row[i].name;
        }
}

void ps_settings_give(void *to, ps_setting_group group, const ps_options *from, ps_settings_words words)
{
        const struct group *of = &groups[group];
        unsigned n_words = 0;

        memset(to, 0, of->size);
        *(size_t *)to = of->size;
        for (size_t i = 0; i < of->n; i++) {
                assert(n_words < PS_SETTINGS_WORDS);
                give_setting((char *)to + of->row[i].outside, &of->row[i],
                             (const char *)from + of->row[i].inside, words[n_words]);
                n_words += of->row[i].form == CHOICE;
        }
}

/* -- what they choose from -- */

size_t patscan_choice_count(patscan_choices of)
{
        return of == PATSCAN_CHOICES_REPORT ? ps_report_n_formats : ps_n_presets;
}

patscan_choice_row patscan_choice(patscan_choices of, size_t i)
{
        patscan_choice_row row = {.name = NULL};

        if (i >= patscan_choice_count(of))
                return row;
        if (of == PATSCAN_CHOICES_REPORT) {
                row.name = ps_report_formats[i].name;
                row.summary = ps_report_formats[i].summary;
        } else {
                row = (patscan_choice_row){ps_presets[i].name, ps_presets[i].title, ps_presets[i].numbers};
        }
        return row;
}
