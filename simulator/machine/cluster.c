/* cluster.c - a hierarchy of clusters as JSON: { "name", "channels", "latency_s",
 * "bandwidth_bytes_per_s", "members": [ { "count": 512, "cluster": {...} }, { "count": 2, "cpu_ratio": 1 } ]
 * }. */
#include "simulator/machine/json.h"

#include "core/base/vector.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* The cluster at `item` and all below it, members first; recursion ends at PS_CLUSTER_DEPTH. */
typedef struct builder {
        ps_key_path *path;
        ps_machine *machine;
        unsigned depth;
} builder;

static ps_status read_node(builder *b, const cJSON *item, uint32_t *out);

static ps_status add_cluster(builder *b, const ps_cluster *cluster, uint32_t *out)
{
        ps_machine *m = b->machine;
        if (m->n_clusters == PS_CLUSTERS_MAX)
                return ps_key_fail(b->path, "there are more than %d parts", PS_CLUSTERS_MAX);
        *out = m->n_clusters;
        return PS_APPEND(m->clusters, m->n_clusters, m->cap_clusters, *cluster)
                       ? PS_NOMEM(b->path->err, "clusters", m->n_clusters)
                       : PS_OK;
}

static ps_status read_count(builder *b, const cJSON *item, uint32_t *out)
{
        double count = 1;
        if (cJSON_GetObjectItemCaseSensitive(item, "count"))
                PS_TRY(ps_json_read_member(b->path, item, "count", PS_A_COUNT, &count));
        *out = (uint32_t)count;
        return *out ? PS_OK : ps_key_fail(b->path, "its count must be at least 1");
}

static ps_status read_member(builder *b, const cJSON *item, ps_cluster_member *out)
{
        static const char *const known[] = {"count", "cluster", "cpu_ratio"};
        ps_cluster processor = {.cpu_ratio = 1};
        const cJSON *inner = cJSON_GetObjectItemCaseSensitive(item, "cluster");
        bool has_ratio = cJSON_GetObjectItemCaseSensitive(item, "cpu_ratio") != NULL;
        PS_TRY(ps_json_check_keys(b->path, item, known, 3));

        if (inner && has_ratio)
                return ps_key_fail(b->path, "it is a cluster or a processor, not both");
        PS_TRY(read_count(b, item, &out->count));
        if (inner) {
                size_t mark = ps_key_enter(b->path, "cluster");
                PS_TRY(read_node(b, inner, &out->cluster));
                ps_key_leave(b->path, mark);
                return PS_OK;
        }
        if (has_ratio)
                PS_TRY(ps_json_read_member(b->path, item, "cpu_ratio", PS_A_RATIO, &processor.cpu_ratio));
        return add_cluster(b, &processor, &out->cluster);
}

static ps_status read_members(builder *b, const cJSON *list, ps_cluster *out)
{
        ps_machine *m = b->machine;
        int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
        ps_cluster_member *own = NULL;
        ps_status status = PS_OK;

        if (size < 1 || size > PS_TABLE_MAX)
                return ps_key_fail(b->path, "it must be a list of 1 to %d members", PS_TABLE_MAX);
        own = calloc((size_t)size, sizeof(*own));
        if (!own)
                return PS_NOMEM(b->path->err, "members", size);
        for (const cJSON *child = list->child; child && status == PS_OK; child = child->next) {
                size_t mark = ps_key_enter_at(b->path, out->n_members);
                status = read_member(b, child, &own[out->n_members++]);
                ps_key_leave(b->path, mark);
        }
        out->first_member = m->n_cluster_members;
        for (uint32_t i = 0; i < out->n_members && status == PS_OK; i++)
                if (PS_APPEND(m->cluster_members, m->n_cluster_members, m->cap_cluster_members, own[i]))
                        status = PS_NOMEM(b->path->err, "members", size);
        free(own);
        return status;
}

static ps_status read_node(builder *b, const cJSON *item, uint32_t *out)
{
        static const char *const known[] = {"name", "channels", "latency_s", "bandwidth_bytes_per_s",
                                            "members"};
        ps_cluster cluster = {.cpu_ratio = 1};
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name");
        const cJSON *members = cJSON_GetObjectItemCaseSensitive(item, "members");
        double channels = 0;
        ps_status status = ps_json_check_keys(b->path, item, known, 5);

        if (status == PS_OK && ++b->depth > PS_CLUSTER_DEPTH)
                status = ps_key_fail(b->path, "clusters are nested deeper than %d", PS_CLUSTER_DEPTH);
        PS_THEN(status, ps_json_read_member(b->path, item, "channels", PS_A_COUNT, &channels));
        PS_THEN(status,
                ps_json_read_member(b->path, item, "latency_s", PS_A_SECONDS, &cluster.link.latency_s));
        PS_THEN(status, ps_json_read_member(b->path, item, "bandwidth_bytes_per_s", PS_A_RATE,
                                            &cluster.link.bandwidth_bytes_per_s));
        cluster.channels = (uint32_t)channels;
        if (status == PS_OK) {
                size_t mark = ps_key_enter(b->path, "members");
                status = read_members(b, members, &cluster);
                ps_key_leave(b->path, mark);
        }
        if (status == PS_OK && name)
                status = ps_json_read_text(b->path, name, &cluster.name);
        PS_THEN(status, add_cluster(b, &cluster, out));
        if (status != PS_OK)
                free(cluster.name);
        b->depth--;
        return status;
}

ps_status ps_part_read_cluster(ps_key_path *path, ps_machine *machine, const cJSON *item, size_t field)
{
        builder b = {path, machine, 0};
        uint32_t top;
        ps_status status = read_node(&b, item, &top);
        const char *wrong = status != PS_OK ? NULL : ps_clusters_count(machine);
        (void)field;
        return wrong ? ps_key_fail(path, "%s", wrong) : status;
}

/* -- writing -- */

static void write_node(ps_row *to, const char *key, const ps_machine *m, uint32_t at)
{
        const ps_cluster *c = &m->clusters[at];
        ps_row_open(to, key, '{');
        if (c->name)
                ps_row_exact_text(to, "name", c->name);
        ps_row_u64(to, "channels", c->channels);
        ps_json_put_number(to, "latency_s", PS_A_SECONDS, c->link.latency_s);
        ps_json_put_number(to, "bandwidth_bytes_per_s", PS_A_RATE, c->link.bandwidth_bytes_per_s);
        ps_row_open(to, "members", '[');
        for (uint32_t i = 0; i < c->n_members; i++) {
                const ps_cluster_member *member = &m->cluster_members[c->first_member + i];
                const ps_cluster *inner = &m->clusters[member->cluster];
                ps_row_open(to, NULL, '{');
                ps_row_u64(to, "count", member->count);
                if (inner->n_members)
                        write_node(to, "cluster", m, member->cluster);
                else
                        ps_json_put_number(to, "cpu_ratio", PS_A_RATIO, inner->cpu_ratio);
                ps_row_close(to, '}');
        }
        ps_row_close(to, ']');
        ps_row_close(to, '}');
}

void ps_part_write_cluster(ps_row *to, const char *key, const ps_machine *machine, size_t field)
{
        (void)field;
        write_node(to, key, machine, machine->n_clusters - 1);
}
