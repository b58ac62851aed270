/* fixes_lab.c - see fixes_lab.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/app/commands/fixes_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen_calls.h"

ps_gen *fixes_rounds(uint32_t rounds, const char *name, const uint64_t work[4], uint64_t round)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 4});
        for (uint32_t r = 0; r < 4; r++) {
                ps_gen_enter(g, r, 0, "main");
                for (uint32_t i = 0; i < rounds; i++) {
                        uint64_t from = PS_GEN_US(round * i), to = from + PS_GEN_US(work[r]);
                        ps_gen_visit(g, r, from, to, name);
                        ps_gen_collective(g, "MPI_Allreduce", r, to, from + PS_GEN_US(round), PS_GEN_WORLD,
                                          OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
                }
                ps_gen_leave(g, r, PS_GEN_US(round * rounds), "main");
        }
        ps_gen_close(g);
        return g;
}

const cJSON *fixes_causes(const cJSON *root)
{
        const cJSON *causes = cJSON_GetObjectItem(root, "causes");
        assert_true(cJSON_IsArray(causes));
        return causes;
}

const char *fixes_text(const cJSON *row, const char *key)
{
        const cJSON *item = cJSON_GetObjectItem(row, key);
        return cJSON_IsString(item) ? item->valuestring : "";
}

double fixes_value(const cJSON *row, const char *key)
{
        const cJSON *item = cJSON_GetObjectItem(row, key);
        if (!cJSON_IsNumber(item))
                fail_msg("no number %s", key);
        return item->valuedouble;
}

/* The fix with this word of the first cause, whose function and reason are these. */
void fixes_expect(const cJSON *root, const char *kind, const char *edit, double gain, double run)
{
        const cJSON *fix, *first = cJSON_GetArrayItem(fixes_causes(root), 0);
        cJSON_ArrayForEach(fix, cJSON_GetObjectItem(first, "fixes"))
        {
                if (strcmp(fixes_text(fix, "edit"), edit) != 0)
                        continue;
                assert_string_equal(fixes_text(fix, "kind"), kind);
                predict_near(1e6 * fixes_value(fix, "gain_s"), gain, 1e-3, edit);
                predict_near(1e6 * fixes_value(fix, "run_s"), run, 1e-3, edit);
                return;
        }
        fail_msg("no fix %s in %s", edit, cJSON_Print(first));
}

void fixes_expect_first(const cJSON *root, int n, const char *edit, const char *bound)
{
        const cJSON *fixes = cJSON_GetObjectItem(cJSON_GetArrayItem(fixes_causes(root), 0), "fixes");
        assert_int_equal(cJSON_GetArraySize(fixes), n);
        assert_string_equal(fixes_text(cJSON_GetArrayItem(fixes, 0), "edit"), edit);
        if (n > 1)
                assert_string_equal(fixes_text(cJSON_GetArrayItem(fixes, n - 1), "edit"), bound);
}

double fixes_count_pattern(const cJSON *root, const char *id)
{
        const cJSON *row;
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(root, "patterns"))
        {
                if (strcmp(fixes_text(row, "id"), id) == 0)
                        return fixes_value(row, "count");
        }
        fail_msg("no pattern %s", id);
        return 0;
}

unsigned fixes_count(const cJSON *root, const char *kind)
{
        const cJSON *cause, *fix;
        unsigned n = 0;
        cJSON_ArrayForEach(cause, fixes_causes(root))
        {
                cJSON_ArrayForEach(fix, cJSON_GetObjectItem(cause, "fixes")) n +=
                        strcmp(fixes_text(fix, "kind"), kind) == 0;
        }
        return n;
}
