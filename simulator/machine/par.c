/* par.c - the parameter file of Predictor of DVM, as its design document of 2000 and its versions
 * until 2005 have it: type, start time, send byte time, power, topology, and later scale, weight, procpowers,
 * mapping, search. Items stand in any order, KEY = VALUE; with microseconds as the unit. */
#include "simulator/machine/par.h"
#include "core/base/nearest.h"
#include "core/base/vector.h"
#include "simulator/machine/json.h"

#include <stdlib.h>
#include <string.h>

/* A cluster of procpowers: processors first..first + n - 1 of `ratios`. */
typedef struct group {
        uint32_t number, first, n;
} group;

enum { GROUPS_MAX = 64 };

typedef struct reader {
        ps_par par;
        ps_machine *machine;
        double start_s, rate, scale;
        unsigned seen; /* a bit for each keyword */
        ps_ratios ratios;
        uint32_t n_groups;
        group groups[GROUPS_MAX];
} reader;

/* Appends `count` times `value`. */
static ps_status append_ratio(const ps_par *par, ps_ratios *list, double value, uint32_t count)
{
        if (count > PS_MACHINE_RANKS_MAX - list->n)
                return ps_par_fail(par, "there are more than %d processors", PS_MACHINE_RANKS_MAX);
        for (uint32_t i = 0; i < count; i++)
                if (PS_APPEND(list->row, list->n, list->cap, value))
                        return PS_NOMEM(par->err, "processors", list->n);
        return PS_OK;
}

/* -- items -- */

static ps_status read_type(reader *r)
{
        static const struct {
                const char *word;
                ps_model model;
        } types[] = {{"network", PS_MODEL_BUS},
                     {"ethernet", PS_MODEL_BUS},
                     {"transputer", PS_MODEL_TRANSPUTER},
                     {"myrinet", PS_MODEL_MYRINET}};
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
                if (!ps_par_is(&r->par, types[i].word))
                        continue;
                r->machine->model = types[i].model;
                PS_TRY(ps_par_next(&r->par));
                if (types[i].model != PS_MODEL_MYRINET)
                        return PS_OK;
                PS_TRY(ps_par_take(&r->par, '('));
                PS_TRY(ps_par_count(&r->par, 1, &r->machine->channels));
                return ps_par_take(&r->par, ')');
        }
        return ps_par_fail(&r->par, "type is network, ethernet, transputer or myrinet(channels)");
}

static ps_status read_start(reader *r)
{
        return ps_par_number(&r->par, PS_A_SECONDS, 1e6, &r->start_s);
}

static ps_status read_send(reader *r)
{
        return ps_par_rate(&r->par, &r->rate);
}

static ps_status read_power(reader *r)
{
        return ps_par_number(&r->par, PS_A_RATIO, 1, &r->machine->cpu_ratio);
}

static ps_status read_scale(reader *r)
{
        return ps_par_number(&r->par, PS_A_RATIO, 1, &r->scale);
}

static ps_status read_search(reader *r)
{
        return ps_par_search(&r->par);
}

/* A size, or FIRST:LAST for that many. */
static ps_status read_size(reader *r)
{
        ps_machine *m = r->machine;
        uint32_t size, last;
        bool is_range;
        uint64_t count = 1;
        ps_par before = r->par;
        PS_TRY(ps_par_count(&r->par, 0, &size));
        PS_TRY(ps_par_try(&r->par, ':', &is_range));
        if (is_range) {
                PS_TRY(ps_par_count(&r->par, size, &last));
                size = last - size + 1;
        }
        if (m->grid_rank == PS_GRID_RANK)
                return ps_par_fail(&before, "there are more than %d dimensions", PS_GRID_RANK);
        m->grid[m->grid_rank++] = size;
        for (uint32_t d = 0; d < m->grid_rank; d++)
                count *= m->grid[d];
        if (!count || count > PS_MACHINE_RANKS_MAX)
                return ps_par_fail(&before, "there must be 1 to %d processors", PS_MACHINE_RANKS_MAX);
        return PS_OK;
}

/* WEIGHT, or WEIGHT(COUNT). */
static ps_status read_weight(reader *r)
{
        double weight;
        uint32_t count = 1;
        bool has_count;
        ps_par before = r->par;
        PS_TRY(ps_par_number(&r->par, PS_A_RATIO, 1, &weight));
        PS_TRY(ps_par_try(&r->par, '(', &has_count));
        if (has_count) {
                PS_TRY(ps_par_count(&r->par, 1, &count));
                PS_TRY(ps_par_take(&r->par, ')'));
        }
        return append_ratio(&before, &r->machine->block_weights, weight, count);
}

/* FIRST LAST : POWER, in the group at hand. */
static ps_status read_power_range(reader *r)
{
        group *g = &r->groups[r->n_groups - 1];
        uint32_t first, last;
        double ratio;
        ps_par before = r->par;
        PS_TRY(ps_par_count(&r->par, 0, &first));
        if (first != g->n)
                return ps_par_fail(&before, "the next processor of this cluster is %u", g->n);
        PS_TRY(ps_par_count(&r->par, first, &last));
        PS_TRY(ps_par_take(&r->par, ':'));
        PS_TRY(ps_par_number(&r->par, PS_A_RATIO, 1, &ratio));
        PS_TRY(append_ratio(&before, &r->ratios, ratio, last - first + 1));
        g->n = r->ratios.n - g->first;
        return PS_OK;
}

static group *find_group(reader *r, uint32_t number)
{
        for (uint32_t i = 0; i < r->n_groups; i++)
                if (r->groups[i].number == number)
                        return &r->groups[i];
        return NULL;
}

/* CLUSTER : FIRST LAST : STEP, processors of a cluster that become the next ones of the machine. */
static ps_status read_mapping_range(reader *r)
{
        uint32_t number, first, last, by;
        ps_par before = r->par;
        PS_TRY(ps_par_count(&r->par, 0, &number));
        PS_TRY(ps_par_take(&r->par, ':'));
        PS_TRY(ps_par_count(&r->par, 0, &first));
        PS_TRY(ps_par_count(&r->par, first, &last));
        PS_TRY(ps_par_take(&r->par, ':'));
        PS_TRY(ps_par_count(&r->par, 1, &by));
        const group *g = find_group(r, number);
        if (!g)
                return ps_par_fail(&before, "procpowers has no cluster %u before this", number);
        if (last >= g->n)
                return ps_par_fail(&before, "cluster %u has %u processors", number, g->n);
        for (uint64_t i = first; i <= last; i += by)
                PS_TRY(append_ratio(&before, &r->machine->cpu_ratios, r->ratios.row[g->first + i], 1));
        return PS_OK;
}

static ps_status read_list(reader *r, ps_status (*read)(reader *))
{
        bool more = true;
        PS_TRY(ps_par_take(&r->par, '{'));
        while (more) {
                PS_TRY(read(r));
                PS_TRY(ps_par_try(&r->par, ',', &more));
        }
        return ps_par_take(&r->par, '}');
}

static ps_status read_topology(reader *r)
{
        return read_list(r, read_size);
}

static ps_status read_weights(reader *r)
{
        return read_list(r, read_weight);
}

static ps_status read_mapping(reader *r)
{
        return read_list(r, read_mapping_range);
}

static ps_status read_group(reader *r)
{
        uint32_t number;
        ps_par before = r->par;
        PS_TRY(ps_par_count(&r->par, 0, &number));
        if (find_group(r, number) || r->n_groups == GROUPS_MAX)
                return ps_par_fail(&before, "cluster %u is there twice, or one of more than %d", number,
                                   GROUPS_MAX);
        r->groups[r->n_groups++] = (group){.number = number, .first = r->ratios.n};
        return read_list(r, read_power_range);
}

static ps_status read_powers(reader *r)
{
        return read_list(r, read_group);
}

/* -- the file -- */

/* `more`: words that may follow the first one. */
static const struct keyword {
        const char *word, *more[2];
        ps_status (*read)(reader *);
        bool must, repeats;
} keywords[] = {
        {"type", {0}, read_type, 1, 0},
        {"start", {"time"}, read_start, 1, 0},
        {"send", {"byte", "time"}, read_send, 1, 0},
        {"power", {0}, read_power, 0, 0},
        {"topology", {0}, read_topology, 0, 0},
        {"scale", {0}, read_scale, 0, 0},
        {"weight", {0}, read_weights, 0, 0},
        {"procpowers", {0}, read_powers, 0, 1},
        {"mapping", {0}, read_mapping, 0, 1},
        {"search", {0}, read_search, 0, 0},
};

enum { N_KEYWORDS = sizeof(keywords) / sizeof(keywords[0]) };

static ps_status find_keyword(const reader *r, unsigned *out)
{
        const char *words[N_KEYWORDS];
        for (*out = 0; *out < N_KEYWORDS; ++*out) {
                words[*out] = keywords[*out].word;
                if (ps_par_is(&r->par, words[*out]))
                        return PS_OK;
        }
        if (r->par.token.type != 'w')
                return ps_par_fail(&r->par, "there must be a keyword, such as type");
        const char *near = ps_nearest(r->par.token.word, words, N_KEYWORDS);
        return ps_par_fail(&r->par, near ? "%.40s is not known: did you mean %s?" : "%.40s is not known",
                           r->par.token.word, near);
}

static ps_status read_item(reader *r)
{
        unsigned which;
        PS_TRY(find_keyword(r, &which));
        if (r->seen >> which & 1 && !keywords[which].repeats)
                return ps_par_fail(&r->par, "%s is there twice", keywords[which].word);
        PS_TRY(ps_par_next(&r->par));
        for (int i = 0; i < 2 && keywords[which].more[i]; i++)
                if (ps_par_is(&r->par, keywords[which].more[i]))
                        PS_TRY(ps_par_next(&r->par));
        PS_TRY(ps_par_take(&r->par, '='));
        PS_TRY(keywords[which].read(r));
        r->seen |= 1U << which;
        return ps_par_take(&r->par, ';');
}

static ps_status finish_machine(reader *r)
{
        ps_machine *m = r->machine;
        for (unsigned i = 0; i < N_KEYWORDS; i++)
                if (keywords[i].must && !(r->seen >> i & 1))
                        return ps_par_fail(&r->par, "%s is missing", keywords[i].word);
        m->link.latency_s = r->start_s * r->scale;
        m->link.bandwidth_bytes_per_s = r->rate / r->scale;
        if (!ps_amount_fits(PS_A_SECONDS, m->link.latency_s) ||
            !ps_amount_fits(PS_A_RATE, m->link.bandwidth_bytes_per_s))
                return ps_par_fail(&r->par, "scale makes the times too large or too small");
        if (m->cpu_ratios.row)
                return PS_OK;
        m->cpu_ratios = r->ratios; /* no mapping: all of them, in their order */
        r->ratios = (ps_ratios){0};
        return PS_OK;
}

/* Only the files of 2007 name a cluster. */
static ps_status is_of_2007(bool *out, const char *text, const char *path, ps_error *err)
{
        ps_par par;
        char last = ';';
        PS_TRY(ps_par_begin(&par, text, path, err));
        for (*out = 0; par.token.type && !*out;) {
                *out = last == ';' && ps_par_is(&par, "cluster");
                last = par.token.type;
                PS_TRY(ps_par_next(&par));
        }
        return PS_OK;
}

ps_status ps_machine_read_par(ps_machine *out, const char *text, const char *path, ps_error *err)
{
        reader r = {.machine = out, .scale = 1};
        bool has_clusters;
        PS_TRY(is_of_2007(&has_clusters, text, path, err));
        PS_TRY(ps_par_begin(&r.par, text, path, err));
        if (has_clusters)
                return ps_par_read_clusters(&r.par, out);
        ps_machine_init(out, PS_MODEL_BUS);
        ps_status status = PS_OK;
        while (status == PS_OK && r.par.token.type)
                status = read_item(&r);
        PS_THEN(status, finish_machine(&r));
        free(r.ratios.row);
        return status;
}
