/* patterns.c - patscan patterns and patscan explain: the table of patterns, and one of them. */
#include "app/cli/commands.h"
#include "core/base/nearest.h"
#include "report/subjects/manual.h"
#include "report/subjects/terms.h"

enum { WORDS_MOST = 32 };

static ps_manual_form form_of(const ps_asked_manual *asked)
{
        return asked->markdown ? PS_MANUAL_MARKDOWN : PS_MANUAL_TEXT;
}

static ps_status fail_unknown(const char *id, ps_error *err)
{
        const char *ids[PS_MAX_PATTERNS + WORDS_MOST];
        unsigned n = 0;
        for (uint32_t i = 0; i < ps_pattern_count(); i++)
                ids[n++] = ps_pattern_at(i)->id;
        for (unsigned i = 0; i < ps_n_terms && i < WORDS_MOST; i++)
                ids[n++] = ps_term_id(i);
        const char *near = ps_nearest(id, ids, n);
        if (near)
                return PS_FAIL(err, PS_E_USAGE, "no such pattern \"%s\": did you mean %s?", id, near);
        return PS_FAIL(err, PS_E_USAGE, "no such pattern \"%s\": `patscan patterns` lists them", id);
}

/* All patterns if `pattern` is PS_NONE. */
static void write_explanation(const ps_options *options, uint32_t pattern, ps_output *out)
{
        if (options->manual.json && pattern == PS_NONE)
                ps_manual_write_all_json(out);
        else if (options->manual.json)
                ps_manual_write_json(out, pattern);
        else if (pattern == PS_NONE)
                ps_manual_write_all(out, form_of(&options->manual));
        else
                ps_manual_write_pattern(out, form_of(&options->manual), pattern);
}

static void write_term(const ps_options *options, uint32_t i, ps_output *out)
{
        if (options->manual.json)
                ps_term_write_json(out, i);
        else
                ps_term_write(out, form_of(&options->manual), i);
}

static void write_tree(const ps_options *options, uint32_t pattern, ps_output *out)
{
        (void)pattern;
        if (options->manual.json)
                ps_manual_write_all_json(out);
        else
                ps_manual_write_tree(out, form_of(&options->manual));
}

static ps_status print_by(const ps_options *options, uint32_t pattern,
                          void (*write)(const ps_options *, uint32_t, ps_output *), ps_error *err)
{
        ps_output *out;
        PS_TRY(ps_output_open(&out, options->reports.output ? options->reports.output : "-",
                              (ps_color_mode)options->terminal.color, err));
        write(options, pattern, out);
        return ps_output_commit(out, err);
}

ps_status ps_cmd_patterns(const ps_options *options, ps_exit *code, ps_error *err)
{
        (void)code;
        return print_by(options, PS_NONE, write_tree, err);
}

ps_status ps_cmd_explain(const ps_options *options, ps_exit *code, ps_error *err)
{
        (void)code;
        if (!options->n_arguments != !!options->manual.all)
                return PS_FAIL(err, PS_E_USAGE,
                               "patscan explain needs the id of a pattern, a word of the reports, or --all");
        uint32_t pattern = options->manual.all ? PS_NONE : ps_pattern_find(options->arguments[0]);
        uint32_t word = options->manual.all ? PS_NONE : ps_term_find(options->arguments[0]);
        if (word != PS_NONE)
                return print_by(options, word, write_term, err);
        if (pattern == PS_NONE && !options->manual.all)
                return fail_unknown(options->arguments[0], err);
        return print_by(options, pattern, write_explanation, err);
}
