/* micro.c - reads micro-traces line by line and writes what they say with the trace generator. */
#include "tests/support/damage.h"
#include "tests/support/micro/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void micro_die(const micro *m, unsigned line, const char *what, const char *detail)
{
        ps_test_die("%s:%u: %s: \"%s\"", m->path, line, what, detail);
}

/* -- words -- */

/* Splits the line into words; quotes hold one together, # ends it. */
static void split(micro *m)
{
        char *at = m->text;
        m->n_words = 0;
        for (;;) {
                at += strspn(at, " \t\r\n");
                if (!*at || *at == '#')
                        return;
                if (m->n_words == WORDS)
                        DIE(m, "too many words", at);
                int quoted = *at == '"';
                at += quoted;
                m->word[m->n_words++] = at;
                at += strcspn(at, quoted ? "\"" : " \t\r\n");
                if (*at)
                        *at++ = '\0';
        }
}

const char *micro_word_at(const micro *m, unsigned i)
{
        if (i >= m->n_words)
                DIE(m, "the line ends too early", m->n_words ? m->word[m->n_words - 1] : "");
        return m->word[i];
}

uint64_t micro_number(const micro *m, const char *word)
{
        char *end;
        uint64_t n = strtoull(word, &end, 10);
        if (*word < '0' || *word > '9' || *end)
                DIE(m, "not a number", word);
        return n;
}

uint64_t micro_number_at(const micro *m, unsigned i)
{
        return micro_number(m, micro_word_at(m, i));
}

/* Nanoseconds: "10us", "9.999us", "3ms", "1s", "7ns". */
uint64_t micro_time_of(const micro *m, const char *word)
{
        static const struct {
                const char *unit;
                uint64_t ns;
        } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
        char *end;
        uint64_t whole = strtoull(word, &end, 10), fraction = 0, of = 1;
        if (*end == '.')
                for (end++; *end >= '0' && *end <= '9'; end++, of *= 10)
                        fraction = 10 * fraction + (uint64_t)(*end - '0');
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
                if (!strcmp(end, units[i].unit) && fraction * units[i].ns % of == 0)
                        return whole * units[i].ns + fraction * units[i].ns / of;
        DIE(m, "not a time in whole nanoseconds", word);
        return 0;
}

uint64_t micro_time_at(const micro *m, unsigned i)
{
        return micro_time_of(m, micro_word_at(m, i));
}

/* -- definitions -- */

static ps_gen *gen_of(micro *m)
{
        if (!m->gen)
                m->gen = ps_gen_new(NULL, m->options);
        return m->gen;
}

/* "2" is the first thread of rank 2, "2.1" its second. */
uint32_t micro_loc_of(micro *m, const char *word)
{
        char *end;
        uint32_t rank = (uint32_t)strtoul(word, &end, 10), thread = 0;
        if (*end == '.')
                thread = (uint32_t)strtoul(end + 1, &end, 10);
        if (*end)
                DIE(m, "not a location", word);
        return ps_gen_at(gen_of(m), rank, thread);
}

uint32_t micro_id_of(const micro *m, const char *name)
{
        for (unsigned i = 0; i < m->n_names; i++)
                if (!strcmp(m->names[i].text, name))
                        return m->names[i].id;
        if (strcmp(name, "world") != 0)
                DIE(m, "no such name", name);
        return PS_GEN_WORLD;
}

static void set_name(micro *m, const char *name, uint32_t id)
{
        if (m->n_names == NAMES)
                DIE(m, "too many names", name);
        snprintf(m->names[m->n_names].text, sizeof m->names->text, "%s", name);
        m->names[m->n_names++].id = id;
}

/* Members from word i on, up to the end or "/". */
static uint32_t members_from(micro *m, unsigned i, uint32_t *members, int are_locations)
{
        uint32_t n = 0;
        for (; i < m->n_words && strcmp(m->word[i], "/") != 0; i++)
                members[n++] = are_locations ? micro_loc_of(m, m->word[i]) : (uint32_t)micro_number_at(m, i);
        return n;
}

static void on_comm(micro *m)
{
        uint32_t members[WORDS];
        uint32_t n = members_from(m, 2, members, 0);
        set_name(m, micro_word_at(m, 1), ps_gen_comm(gen_of(m), m->word[1], members, n));
}

static void on_intercomm(micro *m)
{
        uint32_t a[WORDS], b[WORDS];
        uint32_t n_a = members_from(m, 2, a, 0), n_b = members_from(m, 3 + n_a, b, 0);
        set_name(m, micro_word_at(m, 1), ps_gen_intercomm(gen_of(m), m->word[1], a, n_a, b, n_b));
}

/* Whose data a rank gets in the operations along a topology. */
static void on_neighbours(micro *m)
{
        char others[LINE_ROOM];
        size_t at = 0;
        others[0] = '\0';
        for (unsigned i = 3; i < m->n_words; i++)
                at += (size_t)snprintf(others + at, sizeof(others) - at, i > 3 ? " %s" : "%s", m->word[i]);
        ps_gen_neighbours(gen_of(m), micro_id_of(m, micro_word_at(m, 1)), (uint32_t)micro_number_at(m, 2),
                          others);
}

static void on_group(micro *m)
{
        uint32_t members[WORDS];
        uint32_t n = members_from(m, 2, members, 0);
        set_name(m, micro_word_at(m, 1), ps_gen_group(gen_of(m), members, n));
}

static void on_paradigm(micro *m)
{
        if (m->gen)
                DIE(m, "comes after events or names", m->word[0]);
        int upc = !strcmp(micro_word_at(m, 1), "upc");
        if (!upc && strcmp(m->word[1], "shmem") != 0)
                DIE(m, "no such paradigm", m->word[1]);
        m->options.pgas = upc ? OTF2_PARADIGM_UPC : OTF2_PARADIGM_SHMEM;
}

static void on_team(micro *m)
{
        uint32_t members[WORDS];
        uint32_t n = members_from(m, 2, members, 1);
        set_name(m, micro_word_at(m, 1), ps_gen_team(gen_of(m), m->word[1], members, n));
}

static void on_window(micro *m)
{
        const char *name = micro_word_at(m, 1);
        set_name(m, name, ps_gen_window(gen_of(m), name, micro_id_of(m, micro_word_at(m, 2))));
}

static void on_describe(micro *m)
{
        uint32_t region = ps_gen_region(gen_of(m), micro_word_at(m, 1), "", 0);
        ps_gen_describe(m->gen, region, micro_word_at(m, 2));
}

static void on_count(micro *m)
{
        if (m->gen)
                DIE(m, "comes after events or names", m->word[0]);
        uint32_t *field = m->word[0][0] == 'r' ? &m->options.ranks : &m->options.threads;
        *field = (uint32_t)micro_number_at(m, 1);
}

static void on_epsilon(micro *m)
{
        m->now.epsilon = (ps_time)micro_time_at(m, 1) * PS_PS_PER_NS;
}

static void on_definitions(micro *m)
{
        static const char *const names[PS_N_DEFINITIONS] = {"patscan", "scalasca", "paper"};
        unsigned i = 0;
        while (i < PS_N_DEFINITIONS && strcmp(names[i], micro_word_at(m, 1)) != 0)
                i++;
        if (i == PS_N_DEFINITIONS)
                DIE(m, "no such definitions", m->word[1]);
        m->now.definitions = (ps_definitions)i;
}

/* expect nothing | expect [ID] LOCATION LOST [xCOUNT]; the location is the generator's until the trace is
 * loaded. */
static void on_expect(micro *m)
{
        unsigned at = 1;
        micro_expect e = {.pattern = m->own, .count = 1};
        if (!strcmp(micro_word_at(m, 1), "nothing")) {
                m->now.expects_nothing = 1;
                return;
        }
        if (m->word[1][0] < '0' || m->word[1][0] > '9')
                e.pattern = ps_pattern_find(m->word[at++]);
        if (e.pattern == PS_NONE)
                DIE(m, "no such pattern", m->word[1]);
        e.loc = micro_loc_of(m, micro_word_at(m, at));
        e.lost = (ps_time)micro_time_at(m, at + 1) * PS_PS_PER_NS;
        if (at + 2 < m->n_words)
                e.count = micro_number(m, m->word[at + 2] + (m->word[at + 2][0] == 'x'));
        if (m->now.n_expects == MICRO_EXPECTS)
                DIE(m, "expects too much", m->word[1]);
        m->now.expect[m->now.n_expects++] = e;
}

/* -- cases -- */

static void interpret(micro *m)
{
        static const struct {
                const char *word;
                void (*read)(micro *m);
        } lines[] = {
                {"ranks", on_count},
                {"threads", on_count},
                {"epsilon", on_epsilon},
                {"expect", on_expect},
                {"comm", on_comm},
                {"intercomm", on_intercomm},
                {"team", on_team},
                {"window", on_window},
                {"definitions", on_definitions},
                {"group", on_group},
                {"paradigm", on_paradigm},
                {"describe", on_describe},
                {"neighbours", on_neighbours},
        };
        if (micro_is_number(m, 0)) {
                micro_put_event(m);
                return;
        }
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
                if (!strcmp(lines[i].word, m->word[0])) {
                        lines[i].read(m);
                        return;
                }
        DIE(m, "no such line", m->word[0]);
}

/* The next line with words; a header stays in `header`. 0 at the end of the case or file. */
static int next_line(micro *m)
{
        while (fgets(m->text, sizeof m->text, m->file)) {
                m->line++;
                if (m->text[0] == '[') {
                        memcpy(m->header, m->text, sizeof m->header);
                        return 0;
                }
                split(m);
                if (m->n_words)
                        return 1;
        }
        return 0;
}

static void finish_case(micro *m)
{
        ps_trace_close(m->now.trace);
        ps_gen_free(m->gen);
        m->now.trace = NULL;
        m->gen = NULL;
        m->n_names = m->n_requests = 0;
}

static void begin_case(micro *m)
{
        m->now = (micro_case){.line = m->line, .epsilon = 10000 * PS_PS_PER_NS};
        m->options = (ps_gen_options){.ranks = 2};
        size_t n = strcspn(m->header, "]\n");
        if (m->header[n] != ']' || n > sizeof m->now.kind)
                DIE(m, "no header", m->header);
        memcpy(m->now.kind, m->header + 1, n - 1);
        const char *title = m->header + n + 1 + strspn(m->header + n + 1, " ");
        snprintf(m->now.title, sizeof m->now.title, "%.*s", (int)strcspn(title, "#\r\n"), title);
        for (size_t end = strlen(m->now.title); end && m->now.title[end - 1] == ' ';)
                m->now.title[--end] = '\0';
        m->header[0] = '\0';
}

static ps_loc loaded_location(const micro *m, uint32_t loc)
{
        const ps_defs *defs = &m->now.trace->defs;
        for (ps_loc l = 0; l < defs->locations.n; l++)
                if (ps_gen_at(m->gen, defs->locations.row[l].process, defs->locations.row[l].thread) == loc)
                        return l;
        DIE(m, "a location is not in the trace", "");
        return PS_NONE;
}

static void load_case(micro *m)
{
        ps_error err = {0};
        const ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_gen_close(gen_of(m));
        m->now.anchor = ps_gen_anchor(m->gen);
        if (ps_trace_load(&m->now.trace, m->now.anchor, &options, &err) < 0)
                micro_die(m, m->now.line, "cannot load", m->now.title);
        for (unsigned i = 0; i < m->now.n_expects; i++)
                m->now.expect[i].loc = loaded_location(m, m->now.expect[i].loc);
}

micro *micro_open(const char *path, uint32_t own)
{
        FILE *file = fopen(path, "r");
        if (!file)
                return NULL;
        micro *m = calloc(1, sizeof *m);
        if (!m)
                ps_test_die("out of memory");
        m->file = file;
        m->own = own;
        snprintf(m->path, sizeof m->path, "%s", path);
        if (next_line(m))
                DIE(m, "stands before the first case", m->word[0]);
        return m;
}

const micro_case *micro_next(micro *m)
{
        finish_case(m);
        if (!m->header[0])
                return NULL;
        begin_case(m);
        while (next_line(m))
                interpret(m);
        load_case(m);
        return &m->now;
}

void micro_close(micro *m)
{
        if (!m)
                return;
        finish_case(m);
        fclose(m->file);
        free(m);
}
