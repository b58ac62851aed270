/* micro.c - reads micro-traces line by line and writes what they say with the trace generator. */
#include "tests/support/micro.h"

#include "core/load.h"
#include "tests/support/damage.h"
#include "tests/support/tracegen.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 512, WORDS = 48, NAMES = 16, REQUESTS = 256, DONE = 24 };

#define NOBODY UINT32_MAX

struct name {
        char text[32];
        uint32_t id;
};

/* A call as its line says it. */
struct call {
        const char *region;
        ps_name_info info;
        uint64_t begin, end;
        uint64_t begins, ends; /* of its records */
        uint64_t to, from, tag, bytes, comm, root, sent, got, request, window, group, lock;
        uint64_t times, every; /* how often the call is made, and how far apart */
        uint64_t done[DONE];
        unsigned n_done;
        int cancels, shared;
        const char *in, *out; /* modes of a PGAS collective */
};

/* What a request will be completed by. */
struct open_request {
        ps_gen_rec record;
        uint32_t loc;
};

struct micro {
        FILE *file;
        char path[256];
        unsigned line;
        uint32_t own;
        char header[LINE_ROOM]; /* of the next case; "": none */
        char text[LINE_ROOM];
        char *word[WORDS];
        unsigned n_words;
        ps_gen *gen; /* NULL until the case needs it */
        ps_gen_options options;
        struct name names[NAMES];
        unsigned n_names;
        struct open_request requests[REQUESTS];
        unsigned n_requests;
        micro_case now;
};

#define DIE(m, ...) die(m, (m)->line, __VA_ARGS__)

static void die(const micro *m, unsigned line, const char *what, const char *detail)
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

static const char *word_at(const micro *m, unsigned i)
{
        if (i >= m->n_words)
                DIE(m, "the line ends too early", m->n_words ? m->word[m->n_words - 1] : "");
        return m->word[i];
}

static uint64_t number(const micro *m, const char *word)
{
        char *end;
        uint64_t n = strtoull(word, &end, 10);
        if (*word < '0' || *word > '9' || *end)
                DIE(m, "not a number", word);
        return n;
}

static uint64_t number_at(const micro *m, unsigned i)
{
        return number(m, word_at(m, i));
}

/* Nanoseconds: "10us", "9.999us", "3ms", "1s", "7ns". */
static uint64_t time_of(const micro *m, const char *word)
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

static uint64_t time_at(const micro *m, unsigned i)
{
        return time_of(m, word_at(m, i));
}

/* -- definitions -- */

static ps_gen *gen_of(micro *m)
{
        if (!m->gen)
                m->gen = ps_gen_new(NULL, m->options);
        return m->gen;
}

/* "2" is the first thread of rank 2, "2.1" its second. */
static uint32_t loc_of(micro *m, const char *word)
{
        char *end;
        uint32_t rank = (uint32_t)strtoul(word, &end, 10), thread = 0;
        if (*end == '.')
                thread = (uint32_t)strtoul(end + 1, &end, 10);
        if (*end)
                DIE(m, "not a location", word);
        return ps_gen_at(gen_of(m), rank, thread);
}

static uint32_t id_of(const micro *m, const char *name)
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
                members[n++] = are_locations ? loc_of(m, m->word[i]) : (uint32_t)number_at(m, i);
        return n;
}

static void on_comm(micro *m)
{
        uint32_t members[WORDS];
        uint32_t n = members_from(m, 2, members, 0);
        set_name(m, word_at(m, 1), ps_gen_comm(gen_of(m), m->word[1], members, n));
}

static void on_intercomm(micro *m)
{
        uint32_t a[WORDS], b[WORDS];
        uint32_t n_a = members_from(m, 2, a, 0), n_b = members_from(m, 3 + n_a, b, 0);
        set_name(m, word_at(m, 1), ps_gen_intercomm(gen_of(m), m->word[1], a, n_a, b, n_b));
}

static void on_group(micro *m)
{
        uint32_t members[WORDS];
        uint32_t n = members_from(m, 2, members, 0);
        set_name(m, word_at(m, 1), ps_gen_group(gen_of(m), members, n));
}

static void on_paradigm(micro *m)
{
        if (m->gen)
                DIE(m, "comes after events or names", m->word[0]);
        int upc = !strcmp(word_at(m, 1), "upc");
        if (!upc && strcmp(m->word[1], "shmem") != 0)
                DIE(m, "no such paradigm", m->word[1]);
        m->options.pgas = upc ? OTF2_PARADIGM_UPC : OTF2_PARADIGM_SHMEM;
}

static void on_team(micro *m)
{
        uint32_t members[WORDS];
        uint32_t n = members_from(m, 2, members, 1);
        set_name(m, word_at(m, 1), ps_gen_team(gen_of(m), m->word[1], members, n));
}

static void on_window(micro *m)
{
        const char *name = word_at(m, 1);
        set_name(m, name, ps_gen_window(gen_of(m), name, id_of(m, word_at(m, 2))));
}

static void on_count(micro *m)
{
        if (m->gen)
                DIE(m, "comes after events or names", m->word[0]);
        uint32_t *field = m->word[0][0] == 'r' ? &m->options.ranks : &m->options.threads;
        *field = (uint32_t)number_at(m, 1);
}

static void on_epsilon(micro *m)
{
        m->now.epsilon = (ps_time)time_at(m, 1) * PS_PS_PER_NS;
}

static void on_definitions(micro *m)
{
        static const char *const names[PS_N_DEFINITIONS] = {"patscan", "scalasca", "paper"};
        unsigned i = 0;
        while (i < PS_N_DEFINITIONS && strcmp(names[i], word_at(m, 1)) != 0)
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
        if (!strcmp(word_at(m, 1), "nothing")) {
                m->now.expects_nothing = 1;
                return;
        }
        if (m->word[1][0] < '0' || m->word[1][0] > '9')
                e.pattern = ps_pattern_find(m->word[at++]);
        if (e.pattern == PS_NONE)
                DIE(m, "no such pattern", m->word[1]);
        e.loc = loc_of(m, word_at(m, at));
        e.lost = (ps_time)time_at(m, at + 1) * PS_PS_PER_NS;
        if (at + 2 < m->n_words)
                e.count = number(m, m->word[at + 2] + (m->word[at + 2][0] == 'x'));
        if (m->now.n_expects == MICRO_EXPECTS)
                DIE(m, "expects too much", m->word[1]);
        m->now.expect[m->now.n_expects++] = e;
}

/* -- events -- */

/* What happens at one time: LOCATION TIME VERB [ARGUMENT]... */
static int put_instant(micro *m, uint32_t loc, uint64_t time)
{
        const struct {
                const char *verb;
                ps_gen_kind kind;
                const char *arguments; /* r: region, n: number to tag, t: team, l: number to ref */
                uint8_t op;
        } verbs[] = {
                {"enter", PS_GEN_R_ENTER, "r", 0},
                {"leave", PS_GEN_R_LEAVE, "r", 0},
                {"fork", PS_GEN_R_FORK, "n", OTF2_PARADIGM_OPENMP},
                {"join", PS_GEN_R_JOIN, "", OTF2_PARADIGM_OPENMP},
                {"team-begin", PS_GEN_R_TEAM_BEGIN, "t", 0},
                {"team-end", PS_GEN_R_TEAM_END, "t", 0},
                {"acquire", PS_GEN_R_LOCK_ACQUIRE, "ln", OTF2_PARADIGM_OPENMP},
                {"release", PS_GEN_R_LOCK_RELEASE, "ln", OTF2_PARADIGM_OPENMP},
        };
        for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
                if (strcmp(verbs[v].verb, m->word[2]) != 0)
                        continue;
                ps_gen_rec record = {.kind = verbs[v].kind, .op = verbs[v].op};
                for (unsigned i = 0; verbs[v].arguments[i]; i++) {
                        const char *word = word_at(m, 3 + i);
                        switch (verbs[v].arguments[i]) {
                        case 'r':
                                record.ref = ps_gen_region(m->gen, word, "", 0);
                                break;
                        case 't':
                                record.comm = id_of(m, word);
                                break;
                        case 'l':
                                record.ref = (uint32_t)number(m, word);
                                break;
                        default:
                                record.tag = (uint32_t)number(m, word);
                        }
                }
                ps_gen_put(m->gen, loc, time, record);
                return 1;
        }
        return 0;
}

static int is_number(const micro *m, unsigned i)
{
        return i < m->n_words && m->word[i][0] >= '0' && m->word[i][0] <= '9';
}

/* KEY VALUE pairs from word i on; `done` and `cancelled` take as many requests as follow. */
static void read_keys(micro *m, struct call *c, unsigned i)
{
        const struct {
                const char *key;
                uint64_t *field;
                char type; /* n: number, t: time, i: name */
        } keys[] = {
                {"group", &c->group, 'i'},   {"lock", &c->lock, 'n'},       {"to", &c->to, 'n'},
                {"from", &c->from, 'n'},     {"tag", &c->tag, 'n'},         {"bytes", &c->bytes, 'n'},
                {"comm", &c->comm, 'i'},     {"root", &c->root, 'n'},       {"sent", &c->sent, 'n'},
                {"got", &c->got, 'n'},       {"request", &c->request, 'n'}, {"times", &c->times, 'n'},
                {"every", &c->every, 't'},   {"begins", &c->begins, 't'},   {"ends", &c->ends, 't'},
                {"window", &c->window, 'i'},
        };
        while (i < m->n_words) {
                const char *key = m->word[i++];
                size_t k = 0, n = sizeof keys / sizeof *keys;
                if (!strcmp(key, "done") || !strcmp(key, "cancelled")) {
                        c->cancels = key[0] == 'c';
                        for (; is_number(m, i) && c->n_done < DONE; i++)
                                c->done[c->n_done++] = number_at(m, i);
                        continue;
                }
                if (!strcmp(key, "shared")) {
                        c->shared = 1;
                        continue;
                }
                if (!strcmp(key, "in") || !strcmp(key, "out")) {
                        *(key[0] == 'i' ? &c->in : &c->out) = word_at(m, i++);
                        continue;
                }
                while (k < n && strcmp(keys[k].key, key) != 0)
                        k++;
                if (k == n)
                        DIE(m, "no such word", key);
                const char *value = word_at(m, i++);
                *keys[k].field = keys[k].type == 'n'   ? number(m, value)
                                 : keys[k].type == 't' ? time_of(m, value)
                                                       : id_of(m, value);
        }
}

static ps_gen_rec message(const struct call *c, ps_gen_kind kind, uint64_t peer)
{
        return (ps_gen_rec){.kind = kind,
                            .peer = (uint32_t)peer,
                            .comm = (uint32_t)c->comm,
                            .tag = (uint32_t)c->tag,
                            .bytes = c->bytes,
                            .request = c->request};
}

static ps_gen_rec collective(const struct call *c, ps_gen_kind kind)
{
        return (ps_gen_rec){.kind = kind,
                            .op = ps_gen_op(c->region),
                            .comm = (uint32_t)c->comm,
                            .ref = c->window == NOBODY ? 0 : (uint32_t)c->window,
                            .tag = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                            .peer = (uint32_t)c->root,
                            .bytes = c->sent,
                            .received = c->got,
                            .request = c->request};
}

static void put(micro *m, uint32_t loc, uint64_t time, ps_gen_rec record)
{
        ps_gen_put(m->gen, loc, time, record);
}

static void open_request(micro *m, uint32_t loc, ps_gen_rec completion)
{
        if (m->n_requests == REQUESTS)
                DIE(m, "too many requests", "");
        m->requests[m->n_requests++] = (struct open_request){completion, loc};
}

static void complete(micro *m, uint32_t loc, uint64_t time, uint64_t request, int cancels)
{
        for (unsigned i = 0; i < m->n_requests; i++) {
                struct open_request *open = &m->requests[i];
                if (open->loc != loc || open->record.request != request)
                        continue;
                put(m, loc, time, cancels ? PS_GEN_CANCELLED(request) : open->record);
                *open = m->requests[--m->n_requests];
                return;
        }
        DIE(m, "no such request", m->word[m->n_words - 1]);
}

static void put_start(micro *m, uint32_t loc, const struct call *c)
{
        if (c->to != NOBODY) {
                put(m, loc, c->begins, message(c, PS_GEN_R_ISEND, c->to));
                open_request(m, loc, PS_GEN_SENT(c->request));
        } else {
                put(m, loc, c->begins, PS_GEN_REC_OF(IRECV_REQUEST, .request = c->request));
                open_request(m, loc, message(c, PS_GEN_R_IRECV, c->from));
        }
}

static void put_collective(micro *m, uint32_t loc, const struct call *c)
{
        uint16_t traits = ps_kinds[c->info.kind].traits;
        if (traits & PS_T_LIFE)
                return;
        if (c->info.nonblocking) {
                put(m, loc, c->begins, PS_GEN_REC_OF(NBC_REQUEST, .request = c->request));
                open_request(m, loc, collective(c, PS_GEN_R_NBC_DONE));
        } else if (traits & PS_T_RMA || c->window != NOBODY) {
                put(m, loc, c->begins, PS_GEN_REC_OF(RMA_COLL_BEGIN, .op = 0));
                put(m, loc, c->ends, collective(c, PS_GEN_R_RMA_COLL_END));
        } else {
                put(m, loc, c->begins, PS_GEN_REC_OF(COLL_BEGIN, .op = 0));
                put(m, loc, c->ends, collective(c, PS_GEN_R_COLL_END));
        }
}

/* What a recorder notes of one-sided calls where it knows the window. */
static void put_one_sided(micro *m, uint32_t loc, const struct call *c)
{
        ps_gen_rec r = {.ref = (uint32_t)c->window,
                        .peer = (uint32_t)c->to,
                        .comm = (uint32_t)c->group,
                        .bytes = c->bytes,
                        .request = c->lock == UINT64_MAX ? 0 : c->lock,
                        .tag = OTF2_RMA_SYNC_LEVEL_PROCESS,
                        .op = c->shared ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE};
        uint64_t at = c->begins;
        switch (c->info.kind) {
        case PS_K_PUT:
                r.kind = PS_GEN_R_PUT;
                break;
        case PS_K_GET:
                r.kind = PS_GEN_R_GET;
                break;
        case PS_K_ATOMIC:
                r.kind = PS_GEN_R_ATOMIC;
                r.op = OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD;
                break;
        case PS_K_WIN_LOCK:
                r.kind = PS_GEN_R_RMA_LOCK_REQUEST;
                break;
        case PS_K_WIN_UNLOCK:
                r.kind = PS_GEN_R_RMA_LOCK_RELEASE;
                at = c->ends;
                break;
        default:
                if (c->group == NOBODY)
                        return;
                r.kind = PS_GEN_R_RMA_GROUP_SYNC;
        }
        put(m, loc, at, r);
}

static int is_pgas(const struct call *c)
{
        return c->info.family == PS_NAMES_UPC || c->info.family == PS_NAMES_SHMEM;
}

/* The records of a call, which follow from its name. */
static void put_records(micro *m, uint32_t loc, const struct call *c)
{
        const ps_kind_info *kind = c->info.kind == PS_K_NONE ? NULL : &ps_kinds[c->info.kind];
        int blocks = kind && kind->traits & PS_T_BLOCKING;
        for (unsigned i = 0; i < c->n_done; i++)
                complete(m, loc, c->ends, c->done[i], c->cancels);
        if (kind && c->window != NOBODY && kind->cls != PS_C_COLL)
                put_one_sided(m, loc, c);
        if (!kind || (is_pgas(c) && c->window == NOBODY))
                return; /* names only */
        if (kind->cls == PS_C_COLL)
                put_collective(m, loc, c);
        else if ((kind->cls == PS_C_SEND || kind->cls == PS_C_RECV) && !blocks)
                put_start(m, loc, c);
        else if (kind->cls == PS_C_REQUEST && c->info.kind == PS_K_START)
                put_start(m, loc, c);
        else if (kind->cls == PS_C_SEND && c->to != NOBODY)
                put(m, loc, c->begins, message(c, PS_GEN_R_SEND, c->to));
        if (blocks && c->from != NOBODY)
                put(m, loc, c->ends, message(c, PS_GEN_R_RECV, c->from));
}

static void put_hints(micro *m, uint32_t loc, const struct call *c)
{
        char text[40];
        const char *const modes[] = {c->in, c->out};
        for (int half = 0; half < 2; half++) {
                if (!modes[half])
                        continue;
                snprintf(text, sizeof text, "UPC_%s_%sSYNC", half ? "OUT" : "IN",
                         !strcmp(modes[half], "all")  ? "ALL"
                         : !strcmp(modes[half], "my") ? "MY"
                                                      : "NO");
                ps_gen_hint_text(m->gen, loc, half ? "UPC_OUT_SYNC" : "UPC_IN_SYNC", text);
        }
        if (is_pgas(c) && c->root != NOBODY)
                ps_gen_hint(m->gen, loc, "ROOT", c->root);
        if (is_pgas(c) && c->lock != UINT64_MAX && c->window == NOBODY)
                ps_gen_hint(m->gen, loc, "LOCK_ID", c->lock);
}

static void put_call(micro *m, uint32_t loc, const struct call *c)
{
        put_hints(m, loc, c);
        ps_gen_enter(m->gen, loc, c->begin, c->region);
        put_records(m, loc, c);
        ps_gen_leave(m->gen, loc, c->end, c->region);
}

/* LOCATION BEGIN REGION END [KEY VALUE]... */
static void on_event(micro *m)
{
        uint32_t loc = loc_of(m, word_at(m, 0));
        struct call c = {.begin = time_at(m, 1),
                         .to = NOBODY,
                         .from = NOBODY,
                         .root = NOBODY,
                         .window = NOBODY,
                         .group = NOBODY,
                         .lock = UINT64_MAX,
                         .times = 1};
        c.region = word_at(m, 2);
        if (put_instant(m, loc, c.begin))
                return;
        c.info = ps_kind_of_name(c.region);
        c.end = c.ends = time_at(m, 3);
        c.begins = c.begin;
        read_keys(m, &c, 4);
        for (uint64_t i = 0; i < c.times; i++) {
                put_call(m, loc, &c);
                c.begin += c.every;
                c.begins += c.every;
                c.ends += c.every;
                c.end += c.every;
        }
}

/* -- cases -- */

static void interpret(micro *m)
{
        static const struct {
                const char *word;
                void (*read)(micro *m);
        } lines[] = {
                {"ranks", on_count},   {"threads", on_count},     {"epsilon", on_epsilon},
                {"expect", on_expect}, {"comm", on_comm},         {"intercomm", on_intercomm},
                {"team", on_team},     {"window", on_window},     {"definitions", on_definitions},
                {"group", on_group},   {"paradigm", on_paradigm},
        };
        if (is_number(m, 0)) {
                on_event(m);
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
                die(m, m->now.line, "cannot load", m->now.title);
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
