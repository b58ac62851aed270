/* test_predict_deadlock.c - a run that never ends with what is asked for: who waits for whom, and no times.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/app/commands/predict_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

/* And nothing of times, which there are none of. */
static void says_who_waits(const char *anchor, const char *format)
{
        static char text[1 << 18]; /* all of a page */
        char words[2 * TEXT_MAX], path[TEXT_MAX];
        snprintf(path, sizeof(path), "%s/page", predict_dir());
        snprintf(words, sizeof(words), "predict --machine=recorded eager=999 --report=%s:%s", format, path);
        cJSON_Delete(predict_told(PS_EXIT_PARTIAL, anchor, words));
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        size_t n = fread(text, 1, sizeof(text) - 1, file);
        assert_true(n < sizeof(text) - 1);
        text[n] = '\0';
        fclose(file);
        assert_non_null(strstr(text, "the run never ends: 2 of its locations wait for ever"));
        assert_non_null(
                strstr(text, "rank 0 waits in MPI_Send for rank 1; rank 1 waits in MPI_Send for rank 0"));
        const char *script = strstr(text, "</script>"),
                   *said = script ? script : text; /* behind a page's head */
        assert_null(strstr(said, "lost"));
        assert_null(strstr(said, "erdict"));
}

/* Both send 1000 bytes to each other before they receive: fine as long as sends are eager. */
PREDICT_TEST(a_deadlock_is_told)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_send(g, r, PS_GEN_US(10), PS_GEN_US(12), 1 - r, PS_GEN_WORLD, 7, 1000);
                ps_gen_recv(g, r, PS_GEN_US(20), PS_GEN_US(23), 1 - r, PS_GEN_WORLD, 7, 1000);
                ps_gen_leave(g, r, PS_GEN_US(40), "main");
        }
        ps_gen_close(g);
        predict_takes(ps_gen_anchor(g), "eager=1000", 40);
        cJSON *root = predict_told(PS_EXIT_PARTIAL, ps_gen_anchor(g), "predict --machine=recorded eager=999");
        const cJSON *deadlock = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "prediction"), "deadlock");
        const cJSON *calls = cJSON_GetObjectItem(deadlock, "calls"), *call;
        assert_int_equal(cJSON_GetArraySize(calls), 2);
        assert_true(cJSON_IsTrue(cJSON_GetObjectItem(deadlock, "circle")));
        cJSON_ArrayForEach(call, calls)
        {
                assert_string_equal(cJSON_GetObjectItem(call, "call")->valuestring, "MPI_Send");
                assert_int_equal(cJSON_GetObjectItem(call, "partner_process")->valueint,
                                 1 - cJSON_GetObjectItem(call, "process")->valueint);
        }
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "findings")), 0);
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "trace"), "duration_s")));
        cJSON_Delete(root);
        says_who_waits(ps_gen_anchor(g), "html");
        says_who_waits(ps_gen_anchor(g), "markdown");
        ps_gen_free(g);
}
