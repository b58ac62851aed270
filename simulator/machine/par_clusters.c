/* par_clusters.c - the parameter file of Predictor of DVM as of 2007: clusters of clusters.
 *
 *   cluster = TOP; TOP = {512 x NODE, OTHER}; TOP.CommType = myrinet(2) | ethernet | transputer |
 * NODE.CommType; TOP.TStart = us; TOP.TByte = us; NODE = power;
 *
 * Names may be used before they are defined. Ethernet and transputer have one channel; the CommType of
 * another cluster brings its times along. */
#include "simulator/machine/par.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 1024, MEMBERS_MAX = 4096, DEPTH_MAX = 16 };

typedef struct member {
        uint32_t count, name;
} member;

typedef struct name {
        char word[PS_PAR_WORD + 1];
        uint32_t line, column; /* where it is first met */
        bool is_defined, has_type, has_start, has_byte;
        ps_link link;
        uint32_t channels, like; /* like: the name whose CommType it has, or PS_NONE */
        double cpu_ratio;
        uint32_t first, n; /* of members; n 0: a processor */
        int state;         /* of building: 0 not begun, 1 under way, 2 done as `cluster` */
        uint32_t cluster;
} name;

typedef struct reader {
        ps_par *par;
        ps_machine *machine;
        name *names;
        member *members;
        uint32_t n_names, n_members, top;
} reader;

static ps_status fail_at(const reader *r, const name *n, const char *what)
{
        ps_par place = *r->par;
        place.token.line = n->line;
        place.token.column = n->column;
        return ps_par_fail(&place, "%.40s: %s", n->word, what);
}

/* The name at hand, which is new if it has not been met yet. */
static ps_status take_name(reader *r, uint32_t *out)
{
        char word[PS_PAR_WORD + 1];
        uint32_t line = r->par->token.line, column = r->par->token.column;
        PS_TRY(ps_par_word(r->par, word));
        for (*out = 0; *out < r->n_names; ++*out)
                if (strcmp(r->names[*out].word, word) == 0)
                        return PS_OK;
        if (r->n_names == NAMES_MAX)
                return ps_par_fail(r->par, "there are more than %d names", NAMES_MAX);
        name *n = &r->names[r->n_names++];
        *n = (name){.line = line, .column = column, .channels = 1, .like = PS_NONE, .cpu_ratio = 1};
        n->link.bandwidth_bytes_per_s = INFINITY;
        memcpy(n->word, word, sizeof(word));
        return PS_OK;
}

/* -- items -- */

static ps_status read_type(reader *r, name *n)
{
        n->has_type = true;
        if (ps_par_is(r->par, "ethernet") || ps_par_is(r->par, "transputer"))
                return ps_par_next(r->par);
        if (ps_par_is(r->par, "myrinet")) {
                PS_TRY(ps_par_next(r->par));
                PS_TRY(ps_par_take(r->par, '('));
                PS_TRY(ps_par_count(r->par, 1, &n->channels));
                return ps_par_take(r->par, ')');
        }
        PS_TRY(take_name(r, &n->like));
        PS_TRY(ps_par_take(r->par, '.'));
        return ps_par_is(r->par, "commtype") ? ps_par_next(r->par)
                                             : ps_par_fail(r->par, "there must be CommType");
}

static ps_status read_property(reader *r, name *n)
{
        char word[PS_PAR_WORD + 1];
        ps_par before = *r->par;
        PS_TRY(ps_par_word(r->par, word));
        bool *has = strcmp(word, "commtype") == 0 ? &n->has_type
                    : strcmp(word, "tstart") == 0 ? &n->has_start
                    : strcmp(word, "tbyte") == 0  ? &n->has_byte
                                                  : NULL;
        if (!has || *has)
                return ps_par_fail(&before,
                                   has ? "%.40s is there twice" : "%.40s is not CommType, TStart or TByte",
                                   word);
        PS_TRY(ps_par_take(r->par, '='));
        if (has == &n->has_type)
                return read_type(r, n);
        *has = 1;
        return has == &n->has_start ? ps_par_number(r->par, PS_A_SECONDS, 1e6, &n->link.latency_s)
                                    : ps_par_rate(r->par, &n->link.bandwidth_bytes_per_s);
}

/* NAME, or COUNT x NAME. */
static ps_status read_member(reader *r)
{
        member *m = &r->members[r->n_members];
        m->count = 1;
        if (r->n_members == MEMBERS_MAX)
                return ps_par_fail(r->par, "there are more than %d members", MEMBERS_MAX);
        if (r->par->token.type == 'n') {
                PS_TRY(ps_par_count(r->par, 1, &m->count));
                if (!ps_par_is(r->par, "x"))
                        return ps_par_fail(r->par, "there must be x and a name");
                PS_TRY(ps_par_next(r->par));
        }
        PS_TRY(take_name(r, &m->name));
        r->n_members++;
        return PS_OK;
}

static ps_status read_definition(reader *r, name *n)
{
        bool more = true;
        PS_TRY(ps_par_take(r->par, '='));
        if (n->is_defined)
                return fail_at(r, n, "it is defined twice");
        n->is_defined = true;
        if (r->par->token.type != '{')
                return ps_par_number(r->par, PS_A_RATIO, 1, &n->cpu_ratio);
        PS_TRY(ps_par_take(r->par, '{'));
        n->first = r->n_members;
        while (more) {
                PS_TRY(read_member(r));
                PS_TRY(ps_par_try(r->par, ',', &more));
        }
        n->n = r->n_members - n->first;
        return ps_par_take(r->par, '}');
}

static ps_status read_item(reader *r)
{
        uint32_t which;
        bool is_property;
        bool is_cluster = ps_par_is(r->par, "cluster"), is_search = ps_par_is(r->par, "search");
        if (is_cluster || is_search) {
                PS_TRY(ps_par_next(r->par));
                PS_TRY(ps_par_take(r->par, '='));
                if (is_cluster && r->top != PS_NONE)
                        return ps_par_fail(r->par, "cluster is there twice");
                PS_TRY(is_cluster ? take_name(r, &r->top) : ps_par_search(r->par));
        } else {
                PS_TRY(take_name(r, &which));
                PS_TRY(ps_par_try(r->par, '.', &is_property));
                PS_TRY(is_property ? read_property(r, &r->names[which])
                                   : read_definition(r, &r->names[which]));
        }
        return ps_par_take(r->par, ';');
}

/* -- from names to clusters -- */

/* The link and the channels, of another name if it says so. */
static ps_status take_communication(reader *r, const name *n, ps_cluster *out)
{
        const name *from = n->like == PS_NONE ? n : &r->names[n->like];
        if (from->like != PS_NONE || (n->like != PS_NONE && !from->has_type))
                return fail_at(r, n, "its CommType leads to none");
        if (n->n && (!from->has_start || !from->has_byte || !from->has_type))
                return fail_at(r, n, "a cluster needs CommType, TStart and TByte");
        out->link = from->link;
        out->channels = from->channels;
        return PS_OK;
}

static ps_status build(reader *r, uint32_t which, unsigned depth)
{
        name *n = &r->names[which];
        ps_cluster cluster = {.cpu_ratio = n->cpu_ratio, .n_members = n->n};

        if (n->state == 2)
                return PS_OK;
        if (n->state == 1)
                return fail_at(r, n, "it is a part of itself");
        if (!n->is_defined)
                return fail_at(r, n, "it is not defined");
        if (depth == DEPTH_MAX)
                return fail_at(r, n, "clusters are nested too deep");
        n->state = 1;
        for (uint32_t i = 0; i < n->n; i++)
                PS_TRY(build(r, r->members[n->first + i].name, depth + 1));
        PS_TRY(take_communication(r, n, &cluster));
        ps_machine *m = r->machine;
        cluster.first_member = m->n_cluster_members;
        for (uint32_t i = 0; i < n->n; i++) {
                const member *from = &r->members[n->first + i];
                m->cluster_members[m->n_cluster_members++] =
                        (ps_cluster_member){from->count, r->names[from->name].cluster};
        }
        if (n->n && !(cluster.name = strdup(n->word)))
                return PS_NOMEM(r->par->err, "name", 1);
        n->cluster = m->n_clusters;
        n->state = 2;
        m->clusters[m->n_clusters++] = cluster;
        return PS_OK;
}

static ps_status finish_clusters(reader *r)
{
        ps_machine *m = r->machine;
        const name *top = &r->names[r->top];
        m->clusters = calloc((size_t)r->n_names + 1, sizeof(*m->clusters));
        m->cluster_members = calloc((size_t)r->n_members + 1, sizeof(*m->cluster_members));
        if (!m->clusters || !m->cluster_members)
                return PS_NOMEM(r->par->err, "clusters", r->n_names);
        if (top->is_defined && !top->n)
                return fail_at(r, top, "it must be a cluster");
        ps_status status = build(r, r->top, 0);
        const char *wrong = status != PS_OK ? NULL : ps_clusters_count(m);
        return wrong ? fail_at(r, top, wrong) : status;
}

ps_status ps_par_read_clusters(ps_par *par, ps_machine *out)
{
        reader r = {.par = par, .machine = out, .top = PS_NONE};
        ps_status status = PS_OK;

        ps_machine_init(out, PS_MODEL_CLUSTER);
        r.names = calloc(NAMES_MAX, sizeof(*r.names));
        r.members = calloc(MEMBERS_MAX + 1, sizeof(*r.members));
        if (!r.names || !r.members)
                status = PS_NOMEM(par->err, "names", NAMES_MAX);
        while (status == PS_OK && par->token.type)
                status = read_item(&r);
        PS_THEN(status, finish_clusters(&r));
        free(r.names);
        free(r.members);
        return status;
}
