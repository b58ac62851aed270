/* test_machine.c - machines as JSON and as presets: what is read is what is written, and each slip is told
 * with its place. */
#include "simulator/cost/amount.h"
#include "simulator/cost/collectives.h"
#include "simulator/cost/models.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REFUSED(text, ...)                                                                                   \
        do {                                                                                                 \
                const char *const words[] = {__VA_ARGS__};                                                   \
                expect_refused(text, words, (int)(sizeof(words) / sizeof(words[0])));                        \
        } while (0)

#define HOCKNEY(more)                                                                                        \
        "{ \"model\": \"hockney\", \"latency_s\": 5e-6, \"bandwidth_bytes_per_s\": 1e9" more " }"

/* Text to machine to text, which must be a fixed point. */
static void assert_round_trip(const ps_machine *m)
{
        char *first, *second, one[PS_FORMULA_ROOM], other[PS_FORMULA_ROOM];
        ps_machine *copy;
        assert_int_equal(ps_machine_print(&first, m, NULL), PS_OK);
        copy = machine_of(first);
        assert_int_equal(ps_machine_print(&second, copy, NULL), PS_OK);
        assert_string_equal(first, second);
        assert_string_equal(ps_machine_formula(m, one), ps_machine_formula(copy, other));
        for (uint32_t i = 0; i < ps_n_machine_keys; i++)
                assert_true(ps_machine_get(m, &ps_machine_keys[i]) ==
                            ps_machine_get(copy, &ps_machine_keys[i]));
        assert_memory_equal(m->collective, copy->collective, sizeof(m->collective));
        ps_machine_free(copy);
        free(first);
        free(second);
}

TEST(presets_open_under_their_name)
{
        for (uint32_t i = 0; i < ps_n_presets; i++) {
                ps_machine *m;
                ps_error err = {0};
                if (ps_machine_open(&m, ps_presets[i].name, &err) != PS_OK)
                        fail_msg("%s: %s", ps_presets[i].name, err.cause[0].text);
                assert_string_equal(m->name, ps_presets[i].name);
                assert_true(*ps_presets[i].numbers && *ps_presets[i].title);
                assert_round_trip(m);
                ps_machine_free(m);
        }
}

static const char everything[] =
        "{ \"model\": \"dimemas\", \"name\": \"n\", \"source\": \"s\", \"latency_s\": 0.1,"
        " \"bandwidth_bytes_per_s\": 333333333.3333333, \"eager_bytes\": 9007199254740992, \"handshakes\": 2,"
        " \"buses\": 3, \"links_in\": 4, \"links_out\": 5, \"ranks_per_node\": 6, \"cpu_ratio\": 1.5,"
        " \"intra_node\": { \"latency_s\": 0, \"bandwidth_bytes_per_s\": null }, \"node_of_rank\": [3, 1, 2],"
        " \"send_mode\": \"synchronous\", \"rendezvous_frees_sender\": \"at-end\", \"cpu_ratios\": [1, 0.1],"
        " \"region_ratios\": { \"b\": 2, \"a\": 3 }, \"grid\": [2, 3, 4], \"block_weights\": [1, 2.5],"
        " \"collectives\": { \"default\": \"linear\", \"bcast\": [\"free\", \"ring\"] } }";

TEST(all_keys_round_trip)
{
        ps_machine *m = machine_of(everything);
        assert_round_trip(m);
        assert_true(m->eager_bytes == UINT64_C(1) << 53);
        assert_true(isinf(m->intra.bandwidth_bytes_per_s) && m->has_intra);
        assert_int_equal(m->send_mode, PS_SEND_SYNCHRONOUS);
        assert_true(m->sender_free_at_end);
        assert_true(m->grid_rank == 3 && m->grid[2] == 4);
        assert_true(m->block_weights.n == 2 && m->block_weights.row[1] == 2.5);
        assert_string_equal(m->region_ratios[0].region, "a");
        assert_int_equal(m->collective[PS_K_GATHER][0], PS_SHAPE_LINEAR);
        assert_int_equal(m->collective[PS_K_GATHER][1], PS_SHAPE_FREE);
        assert_int_equal(m->collective[PS_K_BCAST][1], PS_SHAPE_RING);
        ps_machine_free(m);
        m = machine_of("{ \"model\": \"topology\", \"network\": \"mesh:4x4\", \"latency_s\": 1e-6,"
                       " \"bandwidth_bytes_per_s\": 1e9, \"hop_latency_s\": 1e-7, "
                       "\"link_bandwidth_bytes_per_s\": 2e9,"
                       " \"send_overhead_s_per_byte\": 1e-10, \"sharing\": \"fair\" }");
        assert_round_trip(m);
        assert_string_equal(m->network, "mesh:4x4");
        assert_int_equal(m->sharing, PS_SHARING_FAIR);
        ps_machine_free(m);
        m = machine_of("{ \"model\": \"plogp\", \"latency_s\": 1e-6, \"send_overhead_table\": [[0, 1e-6], "
                       "[8, 2e-6]],"
                       " \"receive_overhead_table\": [[5, 0.1]], \"gap_table\": [[1, 0.3]] }");
        assert_round_trip(m);
        ps_machine_free(m);
}

TEST(null_is_no_limit)
{
        ps_machine *m =
                machine_of("{ \"model\": \"hockney\", \"latency_s\": 0, \"bandwidth_bytes_per_s\": null,"
                           " \"eager_bytes\": null }");
        assert_true(isinf(m->link.bandwidth_bytes_per_s));
        assert_true(m->eager_bytes == UINT64_MAX);
        assert_round_trip(m);
        ps_machine_free(m);
}

TEST(unknown_keys_are_refused_with_the_nearest)
{
        REFUSED(HOCKNEY(", \"latncy_s\": 1"), "key=\"latncy_s\"", "did you mean latency_s?");
        REFUSED(HOCKNEY(", \"xyzzy\": 1"), "key=\"xyzzy\"", "it is not known");
        REFUSED(HOCKNEY(", \"gap_s\": 1"), "key=\"gap_s\"", "the model hockney does not have it");
        REFUSED(HOCKNEY(", \"latency_s\": 1"), "key=\"latency_s\"", "twice");
        REFUSED("{ \"model\": \"hockney\", \"latency_s\": 1 }", "key=\"bandwidth_bytes_per_s\"", "missing");
        REFUSED("{ \"latency_s\": 1 }", "key=\"model\"", "missing");
        REFUSED("{ \"model\": \"hokney\" }", "key=\"model\"", "did you mean hockney?");
        REFUSED("{ \"model\": 3 }", "key=\"model\"", "text");
        REFUSED("{ \"model\": \"topology\", \"latency_s\": 0, \"bandwidth_bytes_per_s\": 1 }",
                "key=\"network\"", "missing");
        REFUSED(HOCKNEY(", \"intra_node\": { \"latency_s\": 0 }"), "key=\"intra_node.bandwidth_bytes_per_s\"",
                "missing");
        REFUSED(HOCKNEY(", \"intra_node\": { \"latency\": 0 }"), "key=\"intra_node.latency\"", "latency_s?");
        REFUSED(HOCKNEY(", \"intra_node\": 3"), "key=\"intra_node\"", "object");
}

TEST(values_out_of_range_are_refused)
{
        REFUSED("{ \"model\": \"hockney\", \"latency_s\": -1, \"bandwidth_bytes_per_s\": 1e9 }",
                "key=\"latency_s\"", "-1 is not between 0 and");
        REFUSED("{ \"model\": \"hockney\", \"latency_s\": 1e7, \"bandwidth_bytes_per_s\": 1e9 }",
                "key=\"latency_s\"");
        REFUSED("{ \"model\": \"hockney\", \"latency_s\": 1e999, \"bandwidth_bytes_per_s\": 1e9 }",
                "key=\"latency_s\"", "inf");
        REFUSED("{ \"model\": \"hockney\", \"latency_s\": NaN, \"bandwidth_bytes_per_s\": 1e9 }", "not JSON",
                "line=1, column=36");
        REFUSED("{ \"model\": \"hockney\", \"latency_s\": null, \"bandwidth_bytes_per_s\": 1e9 }",
                "key=\"latency_s\"", "number");
        REFUSED("{ \"model\": \"hockney\", \"latency_s\": \"5us\", \"bandwidth_bytes_per_s\": 1e9 }",
                "number");
        REFUSED("{ \"model\": \"hockney\", \"latency_s\": 0, \"bandwidth_bytes_per_s\": 0 }",
                "key=\"bandwidth_bytes_per_s\"");
        REFUSED("{ \"model\": \"hockney\", \"latency_s\": 0, \"bandwidth_bytes_per_s\": 1e999 }",
                "key=\"bandwidth_bytes_per_s\"");
        REFUSED(HOCKNEY(", \"eager_bytes\": 1.5"), "key=\"eager_bytes\"", "not whole");
        REFUSED(HOCKNEY(", \"eager_bytes\": -1"), "key=\"eager_bytes\"");
        REFUSED(HOCKNEY(", \"handshakes\": 1e10"), "key=\"handshakes\"");
        REFUSED(HOCKNEY(", \"cpu_ratio\": 0"), "key=\"cpu_ratio\"");
        REFUSED(HOCKNEY(", \"cpu_ratios\": []"), "key=\"cpu_ratios\"", "list");
        REFUSED(HOCKNEY(", \"cpu_ratios\": [1, 0]"), "key=\"cpu_ratios[1]\"");
        REFUSED(HOCKNEY(", \"grid\": [2, 0]"), "key=\"grid\"");
        REFUSED(HOCKNEY(", \"grid\": [1, 1, 1, 1, 1]"), "key=\"grid\"", "4");
        REFUSED(HOCKNEY(", \"grid\": [1048576, 1048576]"), "key=\"grid\"");
        REFUSED(HOCKNEY(", \"name\": \"\""), "key=\"name\"");
        REFUSED(HOCKNEY(", \"send_mode\": \"buffred\""), "key=\"send_mode.buffred\"", "buffered?");
        REFUSED(HOCKNEY(", \"region_ratios\": { \"a\": 1, \"a\": 2 }"), "key=\"region_ratios\"", "twice");
        REFUSED(HOCKNEY(", \"collectives\": { \"bcst\": \"ring\" }"), "key=\"collectives.bcst\"", "bcast?");
        REFUSED(HOCKNEY(", \"collectives\": { \"bcast\": \"rng\" }"), "key=\"collectives.bcast.rng\"",
                "ring?");
        REFUSED(HOCKNEY(", \"collectives\": { \"bcast\": [\"ring\", \"ring\", \"ring\"] }"),
                "key=\"collectives.bcast\"");
        REFUSED(HOCKNEY(", \"collectives\": { \"send\": \"ring\" }"), "key=\"collectives.send\"");
}

#define PLOGP(gap)                                                                                           \
        "{ \"model\": \"plogp\", \"latency_s\": 0, \"send_overhead_table\": [[0, 0]],"                       \
        " \"receive_overhead_table\": [[0, 0]], \"gap_table\": " gap " }"

#define LMO(c, l)                                                                                            \
        "{ \"model\": \"lmo\", \"processing_s\": " c                                                         \
        ", \"processing_s_per_byte\": [0, 0], \"latency_s\": " l                                             \
        ", \"bandwidth_bytes_per_s\": [[null, 1e9], [null, null]] }"

TEST(tables_and_matrices)
{
        ps_machine *m = machine_of(LMO("[1e-6, 2e-6]", "[[null, 1e-6], [3e-6, 7]]"));
        assert_round_trip(m);
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), PS_US(1 + 1 + 2 + 1));
        assert_int_equal(ps_machine_p2p(m, 1, 0, 1000), PS_US(2 + 3 + 1));
        assert_int_equal(ps_machine_fit(m, 2, NULL), PS_OK);
        assert_int_equal(ps_machine_fit(m, 3, NULL), PS_E_USAGE);
        ps_machine_p2p(m, 5, 6, 1000); /* no such ranks: no crash */
        ps_machine_free(m);
        REFUSED(LMO("[1, 2, 3]", "[[0, 0], [0, 0]]"), "for 2 processors, others for 3");
        REFUSED(LMO("[1, 2]", "[[0, 0], [0]]"), "key=\"latency_s[1]\"", "list of 2");
        REFUSED(LMO("[1, 2]", "[[0, -3], [0, 0]]"), "key=\"latency_s[0][1]\"");
        REFUSED(LMO("1", "[[0, 0], [0, 0]]"), "key=\"processing_s\"", "list");
        REFUSED(PLOGP("[]"), "key=\"gap_table\"");
        REFUSED(PLOGP("[[0, 1], [0, 2]]"), "key=\"gap_table[1]\"", "grow");
        REFUSED(PLOGP("[[0]]"), "key=\"gap_table[0]\"", "[bytes, seconds]");
        REFUSED(PLOGP("[[null, 1]]"), "key=\"gap_table[0]\"");
        REFUSED(PLOGP("[3]"), "key=\"gap_table[0]\"");
}

#define CLUSTER(members)                                                                                     \
        "{ \"model\": \"cluster\", \"cluster\": { \"channels\": 1, \"latency_s\": 7e-6,"                     \
        " \"bandwidth_bytes_per_s\": 1e9, \"members\": " members " } }"
#define NODE                                                                                                 \
        "{ \"channels\": 0, \"latency_s\": 1e-6, \"bandwidth_bytes_per_s\": null, \"members\": [{ "          \
        "\"count\": 3 }] }"

TEST(clusters_contain_clusters)
{
        ps_machine *m = machine_of(CLUSTER("[{ \"cluster\": " NODE ", \"count\": 2 }, { \"cpu_ratio\": 4 },"
                                           " { \"cluster\": " NODE " }]"));
        uint32_t instance;
        assert_round_trip(m);
        assert_int_equal(ps_machine_ranks(m), 10);
        assert_int_equal(m->clusters[m->n_clusters - 1].n_instances, 4);
        assert_int_equal(ps_machine_p2p(m, 0, 2, 1000), PS_US(1));
        assert_int_equal(ps_machine_p2p(m, 2, 3, 1000), PS_US(8));
        assert_int_equal(ps_machine_p2p(m, 7, 9, 1000), PS_US(1));
        assert_int_equal(ps_machine_p2p(m, 6, 7, 1000), PS_US(8));
        assert_true(ps_machine_cpu_ratio(m, 6) == 4 && ps_machine_cpu_ratio(m, 7) == 1);
        ps_cluster_find(m, 0, 2, &instance);
        assert_int_equal(instance, 1);
        ps_cluster_find(m, 3, 5, &instance);
        assert_int_equal(instance, 2);
        ps_cluster_find(m, 8, 7, &instance);
        assert_int_equal(instance, 3);
        ps_cluster_find(m, 6, 7, &instance);
        assert_int_equal(instance, 0);
        ps_machine_p2p(m, 100, UINT32_MAX, 1); /* no such ranks: no crash */
        ps_machine_free(m);
        REFUSED(CLUSTER("[]"), "key=\"cluster.members\"");
        REFUSED(CLUSTER("3"), "key=\"cluster.members\"");
        REFUSED(CLUSTER("[{ \"count\": 0 }]"), "key=\"cluster.members[0]\"", "at least 1");
        REFUSED(CLUSTER("[{ \"cpu_ratio\": 1, \"cluster\": " NODE " }]"), "not both");
        REFUSED(CLUSTER("[{ \"count\": 1048576, \"cluster\": " NODE " }]"), "key=\"cluster\"", "too many");
        REFUSED(CLUSTER("[{ \"cluster\": { \"members\": [] } }]"),
                "key=\"cluster.members[0].cluster.channels\"");
        REFUSED("{ \"model\": \"cluster\", \"cluster\": { \"channels\": 1, \"latency_s\": 0,"
                " \"bandwidth_bytes_per_s\": 1 } }",
                "key=\"cluster.members\"");
}

TEST(deep_nesting_is_refused)
{
        enum { DEPTH = 40 };
        static const char open[] =
                "{\"channels\":1,\"latency_s\":0,\"bandwidth_bytes_per_s\":1,\"members\":[{\"cluster\":";
        char *text = calloc(DEPTH + 4, sizeof(open) + 8);
        assert_non_null(text);
        strcat(text, "{\"model\":\"cluster\",\"cluster\":");
        for (int i = 0; i < DEPTH; i++)
                strcat(text, open);
        strcat(text, "0");
        for (int i = 0; i < DEPTH; i++)
                strcat(text, "}]}");
        strcat(text, "}");
        REFUSED(text, "deeper than 16");
        memset(text, '[', 3000);
        text[3000] = '\0';
        REFUSED(text, "not JSON");
        free(text);
}

TEST(what_is_no_machine)
{
        ps_machine *m;
        ps_error err = {0};
        char path[] = "/tmp/patscan-machine-XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        REFUSED("", "empty");
        REFUSED(" \n ", "empty");
        REFUSED("[1]", "object");
        REFUSED("{", "not JSON");
        REFUSED("{ } x", "not JSON");
        REFUSED("{\n \"model\": \"hockney\",,\n}", "line=2");
        assert_int_equal(ps_machine_parse(&m, "{\0}", 3, "t", &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "no text"));
        assert_int_equal(ps_machine_open(&m, "ethernet-1", &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "did you mean ethernet-1"));
        assert_int_equal(ps_machine_open(&m, "/nowhere/x.json", &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "No such file"));
        assert_int_equal(ps_machine_open(&m, "/tmp", &err), PS_E_INPUT);
        assert_true(write(file, "\xef\xbb\xbf" HOCKNEY(""), sizeof(HOCKNEY("")) + 2) > 0);
        close(file);
        assert_int_equal(ps_machine_open(&m, path, NULL), PS_OK);
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), PS_US(6));
        ps_machine_free(m);
        unlink(path);
        ps_machine_free(NULL);
}

/* A random machine of each model with plain numbers within their limits. */
TEST(random_numbers_round_trip)
{
        uint64_t seed = 42;
        for (int round = 0; round < 400; round++) {
                ps_machine m;
                ps_model model = (ps_model)(round % PS_N_MODELS);
                if (model == PS_MODEL_LMO || model == PS_MODEL_PLOGP || model == PS_MODEL_CLUSTER)
                        continue;
                ps_machine_init(&m, model);
                m.network = model == PS_MODEL_TOPOLOGY ? strdup("x") : NULL;
                for (uint32_t i = 0; i < ps_n_machine_keys; i++) {
                        const ps_machine_key *key = &ps_machine_keys[i];
                        const ps_amount_info *info = &ps_amounts[key->type];
                        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                        double part = (double)(seed >> 11) * 0x1p-53;
                        double value = info->least + (info->most - info->least) * part * part * part;
                        if (info->is_whole)
                                value = floor(value);
                        if (((key->must | key->may) >> model & 1) != 0)
                                ps_machine_set(&m, key, value);
                }
                assert_round_trip(&m);
                ps_machine_clear(&m);
        }
}
