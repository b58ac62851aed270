/* test_redo_order.c - programs that hand out work, with some ranks slower or faster: the prediction with
 * --redo-order against a run of the same program with such ranks. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/app/commands/master_worker.h"
#include "tests/app/commands/predict_lab.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

static const double as_it_is[MW_WORKERS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static ps_gen *recorded(const mw_program *p, const double *factor)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = p->n_workers + 1});
        mw_run(p, factor, g);
        ps_gen_close(g);
        return g;
}

/* How far the prediction is from the run in which the worker computes `factor` times as long, as a part of
 * it; recorded was one in which it computed `before` times as long. */
static double off_from(const mw_program *p, uint32_t slow, double before, double factor, const char *option)
{
        char words[TEXT_MAX];
        double factors[MW_WORKERS_MAX];
        memcpy(factors, as_it_is, sizeof(factors));
        factors[slow] = before * factor;
        double truth = (double)mw_run(p, factors, NULL) / 1000;
        factors[slow] = before;
        ps_gen *g = recorded(p, factors);
        snprintf(words, sizeof(words), "predict rank:%u*%g --focus whole-run --causes none %s", slow + 1,
                 factor, option);
        double predicted = predict_duration_us(ps_gen_anchor(g), words);
        ps_gen_free(g);
        return predicted / truth - 1;
}

static double off_by(const mw_program *p, uint32_t slow, double factor, const char *option)
{
        return off_from(p, slow, 1, factor, option);
}

static mw_program simple(uint32_t n_workers, uint32_t n_tasks)
{
        mw_program p = {.n_workers = n_workers,
                        .n_tasks = n_tasks,
                        .latency = 10000,
                        .per_kb = 1000,
                        .result_bytes = 1000};
        for (uint32_t i = 0; i < n_tasks; i++)
                p.length[i] = 500000 + 977 * (i * 37 % 100);
        return p;
}

PREDICT_TEST(work_goes_to_whoever_is_free)
{
        mw_program p = simple(4, 100);
        assert_true(fabs(off_by(&p, 2, 10, "--redo-order")) < 0.02);
        assert_true(off_by(&p, 2, 10, "") > 3); /* a tenth of the speed for a fourth of the tasks */
}

PREDICT_TEST(every_shape_of_program_is_predicted)
{
        static const double factors[] = {10, 3, 0.25};
        unsigned n = 0, n_near = 0;
        for (uint64_t seed = 1; seed <= (SANITIZED ? 30 : 60); seed++) {
                mw_program p = mw_random(seed);
                double off = off_by(&p, (uint32_t)(seed % p.n_workers), factors[seed % 3], "--redo-order");
                n++;
                n_near += fabs(off) <= 0.03;
                if (fabs(off) > 0.1)
                        fail_msg("program %d: %.1f %% off: workers=%u, tasks=%u, prefetch=%u, results=%d, "
                                 "probes=%d, "
                                 "late stops=%d, serves=%d",
                                 (int)seed, 100 * off, p.n_workers, p.n_tasks, p.prefetch, p.sends_results,
                                 p.probes, p.stops_at_the_end, (int)p.serves);
        }
        assert_true(n_near * 100 >= n * 95);
}

/* Tasks of a rank that was slow are not long by themselves, and those of others not as long there as
 * elsewhere. */
PREDICT_TEST(a_rank_that_was_slow_is_mended)
{
        mw_program p = simple(4, 100);
        assert_true(fabs(off_from(&p, 2, 10, 0.1, "--redo-order")) < 0.03);
        assert_true(fabs(off_from(&p, 2, 0.25, 4, "--redo-order")) < 0.03);
        assert_true(fabs(off_from(&p, 2, 4, 1, "--redo-order")) < 1e-6);
}

/* Calls take a microsecond here and nothing there, of half a millisecond that a task takes. */
PREDICT_TEST(machines_and_regions_deal_anew_too)
{
        char path[TEXT_MAX], words[TEXT_MAX];
        double factors[MW_WORKERS_MAX];
        mw_program p = simple(4, 100);
        snprintf(path, sizeof(path), "%s/machine.json", predict_dir());
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs("{\"model\": \"hockney\", \"latency_s\": 1e-5, \"bandwidth_bytes_per_s\": 1.024e9, "
              "\"eager_bytes\": 65536}",
              file);
        fclose(file);
        memcpy(factors, as_it_is, sizeof(factors));
        factors[2] = 5;
        double truth = (double)mw_run(&p, factors, NULL) / 1000;
        ps_gen *g = recorded(&p, as_it_is);
        for (int i = 0; i < 2; i++) {
                int n = snprintf(words, sizeof(words),
                                 i ? "predict --machine=%s region:work@3*5" : "predict --machine=%s rank:3*5",
                                 path);
                snprintf(words + n, sizeof(words) - (size_t)n,
                         " --redo-order --focus whole-run --causes none");
                NEAR(predict_duration_us(ps_gen_anchor(g), words), truth, 0.03 * truth);
        }
        ps_gen_free(g);
}

/* Who was first is first again. */
PREDICT_TEST(nothing_moves_unless_something_changes)
{
        for (uint64_t seed = 1; seed <= 20; seed++) {
                mw_program p = mw_random(seed);
                assert_true(fabs(off_by(&p, 0, 1, "--redo-order")) < 1e-9);
        }
}

static const cJSON *note_with(const cJSON *root, const char *part)
{
        const cJSON *note, *notes = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "prediction"), "notes");
        cJSON_ArrayForEach(note, notes)
        {
                const cJSON *text = cJSON_IsString(note) ? note : cJSON_GetObjectItem(note, "text");
                if (cJSON_IsString(text) && strstr(text->valuestring, part))
                        return note;
        }
        return NULL;
}

PREDICT_TEST(the_report_says_who_hands_out_work)
{
        mw_program p = simple(3, 60);
        ps_gen *g = recorded(&p, as_it_is);
        static const struct {
                const char *words, *told;
        } cases[] = {{"predict rank:2*4", "stay with the workers that had them"},
                     {"predict rank:2*4 --redo-order", "are dealt out anew to 3 workers"},
                     {"predict rank:0-3*2", NULL},
                     {"predict L*1", NULL}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), cases[i].words);
                if (cases[i].told)
                        assert_non_null(note_with(root, cases[i].told));
                else
                        assert_null(note_with(root, "hands out work"));
                cJSON_Delete(root);
        }
        predict_refused(ps_gen_anchor(g), "predict remove:late-sender --redo-order", "remove");
        ps_gen_free(g);
}

/* A table of factors has in each row what the edit says alone. */
PREDICT_TEST(each_row_of_a_table_deals_anew)
{
        static const double factors[] = {1, 3, 10};
        mw_program p = simple(4, 80);
        ps_gen *g = recorded(&p, as_it_is);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict rank:2*1,3,10 --redo-order");
        const cJSON *rows = cJSON_GetObjectItem(root, "rows");
        assert_int_equal(cJSON_GetArraySize(rows), 3);
        assert_non_null(note_with(root, "in each row its 80 tasks are dealt out anew to 4 workers"));
        for (int i = 0; i < 3; i++) {
                double of[MW_WORKERS_MAX];
                memcpy(of, as_it_is, sizeof(of));
                of[1] = factors[i];
                double truth = (double)mw_run(&p, of, NULL) / 1e9;
                const cJSON *row = cJSON_GetArrayItem(rows, i);
                NEAR(cJSON_GetObjectItem(row, "whole_s")->valuedouble, truth, 0.03 * truth);
        }
        cJSON_Delete(root);
        root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict rank:2*1,10");
        assert_non_null(note_with(root, "stay with the workers that had them"));
        cJSON_Delete(root);
        root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict L*1,2");
        assert_null(note_with(root, "hands out work"));
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* A fix says the same as the prediction with its edit. */
PREDICT_TEST(what_is_tried_deals_anew_too)
{
        mw_program p = simple(3, 60);
        p.serves = 100000; /* the master is what all wait for */
        ps_gen *g = recorded(&p, as_it_is);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g),
                                   "predict rank:2*4 --redo-order --causes all --focus whole-run");
        const cJSON *cause, *fix;
        unsigned n = 0;
        cJSON_ArrayForEach(cause, cJSON_GetObjectItem(root, "causes"))
        {
                cJSON_ArrayForEach(fix, cJSON_GetObjectItem(cause, "fixes"))
                {
                        const cJSON *edit = cJSON_GetObjectItem(fix, "edit"),
                                    *run = cJSON_GetObjectItem(fix, "run_s");
                        char words[TEXT_MAX];
                        if (!cJSON_IsString(edit) || !cJSON_IsNumber(run) ||
                            strncmp(edit->valuestring, "region:", 7) != 0)
                                continue;
                        snprintf(words, sizeof(words),
                                 "predict rank:2*4 %s --redo-order --causes none --focus whole-run",
                                 edit->valuestring);
                        NEAR(predict_duration_us(ps_gen_anchor(g), words), 1e6 * run->valuedouble, 0.01);
                        n++;
                }
        }
        assert_true(n > 0);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* Ranks that wait for one another in turn get no work from anybody. */
PREDICT_TEST(a_ring_hands_out_nothing)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        for (uint32_t r = 0; r < 3; r++)
                for (uint32_t i = 0; i < 9; i++) {
                        uint64_t at = PS_GEN_US(100 * i + 50);
                        ps_gen_send(g, r, at, at + 1000, (r + 1) % 3, PS_GEN_WORLD, 0, 8);
                        ps_gen_recv(g, r, at + 1000, at + 9000, (r + 2) % 3, PS_GEN_WORLD, 0, 8);
                }
        ps_gen_close(g);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict rank:1*2 --redo-order");
        assert_non_null(note_with(root, "no work is dealt out anew"));
        cJSON_Delete(root);
        ps_gen_free(g);
}
