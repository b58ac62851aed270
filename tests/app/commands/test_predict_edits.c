/* test_predict_edits.c - edits of patscan predict whose effect is worked out by hand. Times are microseconds.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/app/commands/predict_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#define AT(t) PS_GEN_US(t)

static void takes(ps_gen *g, const char *machine, const char *edits, double expected)
{
        char words[2 * TEXT_MAX];
        snprintf(words, sizeof(words), "predict --machine=%s %s", machine, edits);
        double time = predict_duration_us(ps_gen_anchor(g), words);
        if (fabs(time - expected) > 0.0011)
                fail_msg("%s: %.6f us, not %.6f", edits, time, expected);
}

static ps_gen *begun(uint32_t ranks)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = ranks});
        for (uint32_t r = 0; r < ranks; r++)
                ps_gen_enter(g, r, 0, "main");
        return g;
}

static void end(ps_gen *g, uint32_t rank, uint64_t at)
{
        ps_gen_leave(g, rank, AT(at), "main");
}

/* Rank 0 sends 1000 bytes from 20 to 22 and computes 60. Rank 1 computes 60, receives from 60 to 63 and
 * computes 37, until 100. The send did not wait. Where it has to, it is over when the receive is posted: no
 * message was ever seen to take longer after that. */
PREDICT_TEST(sends_wait_above_the_limit)
{
        ps_gen *g = begun(2);
        ps_gen_send(g, 0, AT(20), AT(22), 1, PS_GEN_WORLD, 0, 1000);
        ps_gen_recv(g, 1, AT(60), AT(63), 0, PS_GEN_WORLD, 0, 1000);
        end(g, 0, 82);
        end(g, 1, 100);
        ps_gen_close(g);
        takes(g, "recorded", "eager=1000", 100);
        takes(g, "recorded", "eager=999", 60 + 60);
        takes(g, "recorded", "eager=0 rank:1*0.5", 30 + 60);
        takes(g, "recorded", "eager=0 rank:0*5", 100 + 2 + 300); /* 63 is not before 100 */
        takes(g, "recorded", "eager=0 rank:1*3", 180 + 3 + 111);
        ps_gen_free(g);
}

/* The same with Isend (20..22) and Wait, from 50 to 51: that waits. Rank 0 computes 28 in between and 31. */
PREDICT_TEST(waits_wait_above_the_limit)
{
        ps_gen *g = begun(2);
        ps_gen_isend(g, 0, AT(20), AT(22), 1, PS_GEN_WORLD, 0, 1000, 1);
        ps_gen_wait(g, 0, AT(50), AT(51), PS_GEN_SENT(1));
        ps_gen_recv(g, 1, AT(60), AT(63), 0, PS_GEN_WORLD, 0, 1000);
        end(g, 0, 100);
        end(g, 1, 100);
        ps_gen_close(g);
        takes(g, "recorded", "eager=1000", 100);
        takes(g, "recorded", "eager=999", 60 + 49);
        takes(g, "recorded", "eager=999 rank:1*2", 120 + 3 + 74);
        ps_gen_free(g);
}

/* Rank 0 sends 2000 bytes twice: from 10 to 14, when the receive was there; and from 20 to 62, held up until
 * rank 1 posts the other one at 60. It computes 100 after that, until 162; rank 1 is there at 100. No send is
 * seen that transfers nothing, so that one takes no time as far as is known: where both wait for nobody they
 * are over at 10 and 16, and rank 0 at 116. */
PREDICT_TEST(sends_are_free_below_the_limit)
{
        ps_gen *g = begun(2);
        ps_gen_send(g, 0, AT(10), AT(14), 1, PS_GEN_WORLD, 0, 2000);
        ps_gen_send(g, 0, AT(20), AT(62), 1, PS_GEN_WORLD, 0, 2000);
        ps_gen_recv(g, 1, AT(5), AT(15), 0, PS_GEN_WORLD, 0, 2000);
        ps_gen_recv(g, 1, AT(60), AT(63), 0, PS_GEN_WORLD, 0, 2000);
        end(g, 0, 162);
        end(g, 1, 100);
        ps_gen_close(g);
        takes(g, "recorded", "", 162);
        takes(g, "recorded", "eager=1999", 162);
        takes(g, "recorded", "eager=2000", 116);
        /* The first one is received at 15, whoever is early; posted 22.5 later, the second one is over
         * after 2. */
        takes(g, "recorded", "rank:1*0.5", 15 + 22.5 + 2 + 100);
        ps_gen_free(g);
}

/* Rank 0 computes 50, then Isend until 51 and Wait until 52; it ends at 60. Rank 1 receives from 10 to 55, 5
 * after the send began, and computes 45. If the send begins at 0, the message is there at 10. */
PREDICT_TEST(overlap_sends_early)
{
        ps_gen *g = begun(2);
        ps_gen_isend(g, 0, AT(50), AT(51), 1, PS_GEN_WORLD, 0, 1000, 1);
        ps_gen_wait(g, 0, AT(51), AT(52), PS_GEN_SENT(1));
        ps_gen_recv(g, 1, AT(10), AT(55), 0, PS_GEN_WORLD, 0, 1000);
        end(g, 0, 60);
        end(g, 1, 100);
        ps_gen_close(g);
        takes(g, "recorded", "overlap", 60); /* rank 1: 10 + 45 */
        takes(g, "recorded", "overlap rank:1*2", 20 + 90);
        /* There 5 after 0, not before: rank 1 computes 1 and then 4.5. */
        takes(g, "recorded", "overlap rank:0*0 rank:1*0.1", 5 + 4.5);
        ps_gen_free(g);
}

/* Four members begin at 10 with 1000 bytes; X(1000) = 5 + 1, X(250) = 5.25. */
PREDICT_TEST(collectives_change_their_shape)
{
        char path[TEXT_MAX];
        snprintf(path, sizeof(path), "%s/machine.json", predict_dir());
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs("{\"model\": \"hockney\", \"latency_s\": 5e-6, \"bandwidth_bytes_per_s\": 1e9}", file);
        fclose(file);
        ps_gen *g = begun(4);
        for (uint32_t r = 0; r < 4; r++) {
                ps_gen_collective(g, "MPI_Allreduce", r, AT(10), AT(20), PS_GEN_WORLD,
                                  OTF2_COLLECTIVE_ROOT_NONE, 4000,
                                  4000); /* Score-P counts the vector once a member */
                end(g, r, 20);
        }
        ps_gen_close(g);
        takes(g, path, "", 10 + 2 * 6);
        takes(g, path, "coll:allreduce=free", 10);
        takes(g, path, "coll:allreduce=linear", 10 + 3 * 6);
        takes(g, path, "coll:allreduce=linear,constant", 10 + 3 * 6 + 6);
        takes(g, path, "coll:allreduce=ring", 10 + 6 * 5.25);
        takes(g, path, "coll:allreduce=p2p", 10 + 2 * 6);
        takes(g, path, "coll:barrier=ring", 10 + 2 * 6);
        ps_gen_free(g);
}

static const cJSON *interval_named(const cJSON *root, const char *name)
{
        const cJSON *row, *whole = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "intervals"), 0);
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(whole, "children"))
        {
                const cJSON *own = cJSON_GetObjectItem(row, "name");
                if (cJSON_IsString(own) && !strcmp(own->valuestring, name))
                        return row;
        }
        fail_msg("no interval %s", name);
        return NULL;
}

/* `solve`: rank 0 computes 60 and sends (60..62), rank 1 computes 20 and receives (20..63): mean 40, longest
 * 60, of 63. If messages cost nothing, the send and the receive are over at 60. `rest`: 38 and 40
 * of computation, nothing else. */
PREDICT_TEST(intervals_have_efficiencies)
{
        ps_gen *g = begun(2);
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "solve");
        ps_gen_send(g, 0, AT(60), AT(62), 1, PS_GEN_WORLD, 0, 1000);
        ps_gen_recv(g, 1, AT(20), AT(63), 0, PS_GEN_WORLD, 0, 1000);
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_leave(g, r, AT(62 + r), "solve");
                ps_gen_visit(g, r, AT(62 + r), AT(100 + 3 * r), "rest");
                end(g, r, 100 + 3 * r);
        }
        ps_gen_close(g);
        static const struct {
                const char *name;
                double balance, communication, transfer;
        } rows[] = {{"solve", 40 / 60., 60 / 63., 60 / 63.}, {"rest", 39 / 40., 1, 1}};
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --interval=solve,rest");
        for (size_t i = 0; i < 2; i++) {
                const cJSON *row = interval_named(root, rows[i].name);
                NEAR(predict_number(row, "pop", "load_balance"), rows[i].balance, 1e-8);
                NEAR(predict_number(row, "pop", "communication"), rows[i].communication, 1e-8);
                NEAR(predict_number(row, "pop", "parallel"), rows[i].balance * rows[i].communication, 1e-8);
                NEAR(predict_number(row, "pop", "transfer"), rows[i].transfer, 1e-8);
                NEAR(predict_number(row, "pop", "serialization"), rows[i].communication / rows[i].transfer,
                     1e-8);
        }
        cJSON_Delete(root);
        ps_gen_free(g);
}
