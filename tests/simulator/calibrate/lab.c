/* lab.c - see lab.h. */
#include "tests/simulator/calibrate/lab.h"
#include "core/base/hash.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double calib_uniform(uint64_t *state)
{
        *state += UINT64_C(0x9e3779b97f4a7c15);
        return (double)(ps_hash_mix(*state) >> 11) * 0x1p-53;
}

double calib_exponential(uint64_t *state, double mean)
{
        return -mean * log(1 - calib_uniform(state));
}

double calib_normal(uint64_t *state)
{
        double r = sqrt(-2 * log(1 - calib_uniform(state)));
        return r * cos(6.283185307179586 * calib_uniform(state));
}

void calib_near(const char *file, int line, double value, double expected, double relative)
{
        if (!(fabs(value - expected) <= relative * fabs(expected)))
                fail_msg("%s:%d: %.9g is not %.9g", file, line, value, expected);
}

static const double c4[] = {50e-6, 60e-6, 40e-6, 80e-6}, t4[] = {4e-9, 5e-9, 3e-9, 8e-9};
static const double l4[] = {0,     20e-6, 25e-6, 30e-6, 20e-6, 0,     22e-6, 35e-6,
                            25e-6, 22e-6, 0,     28e-6, 30e-6, 35e-6, 28e-6, 0};
static const double i4[] = {0,    8e-9,   9e-9, 10e-9,  8e-9,  0,     8.5e-9, 11e-9,
                            9e-9, 8.5e-9, 0,    9.5e-9, 10e-9, 11e-9, 9.5e-9, 0};
const calib_lmo calib_worked = {4, c4, t4, l4, i4};

static double noisy(double time, double noise, uint64_t *state)
{
        return noise > 0 ? time * (1 + noise * calib_normal(state)) : time;
}

/* The root's two sends, then the longer way to a receiver and back without data. */
static double one_to_two(const calib_lmo *m, const uint32_t rank[3], double bytes)
{
        double longest = 0;
        for (int x = 1; x < 3; x++) {
                size_t at = rank[0] * m->n + rank[x];
                double way = 2 * (m->l[at] + m->c[rank[x]]) + bytes * (m->inverse[at] + m->t[rank[x]]);
                longest = way > longest ? way : longest;
        }
        return 2 * (2 * m->c[rank[0]] + bytes * m->t[rank[0]]) + longest;
}

static void put_pairs(FILE *out, const calib_lmo *m, double bytes, double noise, uint64_t *state)
{
        for (uint32_t i = 0; i < m->n; i++)
                for (uint32_t j = i + 1; j < m->n; j++) {
                        size_t at = i * m->n + j;
                        double way =
                                m->c[i] + m->l[at] + m->c[j] + bytes * (m->t[i] + m->inverse[at] + m->t[j]);
                        fprintf(out, "pair %u %u %.17g %.17g\n", i, j, bytes, noisy(2 * way, noise, state));
                }
}

static void put_triples(FILE *out, const calib_lmo *m, double bytes, double noise, uint64_t *state)
{
        for (uint32_t i = 0; i < m->n; i++)
                for (uint32_t j = 0; j < m->n; j++)
                        for (uint32_t k = j + 1; k < m->n; k++)
                                if (i != j && i != k)
                                        fprintf(out, "triple %u %u %u %.17g %.17g\n", i, j, k, bytes,
                                                noisy(one_to_two(m, (uint32_t[]){i, j, k}, bytes), noise,
                                                      state));
}

char *calib_table(const calib_lmo *lmo, const double *sizes, int n_sizes, double noise, uint64_t *state)
{
        char *text;
        size_t len;
        FILE *out = open_memstream(&text, &len);
        if (!out)
                fail_msg("no memory");
        fprintf(out, "patscan-rtt 1\nprocesses %u # planted\n", lmo->n);
        for (int i = -1; i < n_sizes; i++) {
                put_pairs(out, lmo, i < 0 ? 0 : sizes[i], noise, state);
                put_triples(out, lmo, i < 0 ? 0 : sizes[i], noise, state);
        }
        fclose(out);
        return text;
}

ps_rtt_table *calib_parsed(const char *text)
{
        ps_rtt_table *table;
        ps_error err = {0};
        if (ps_rtt_parse(&table, text, strlen(text), "test", &err))
                fail_msg("%s", err.cause[0].text);
        return table;
}

ps_samples calib_samples(const ps_trace *trace)
{
        ps_samples samples = {0};
        uint64_t n, n_graded = 0;
        assert_int_equal(ps_samples_add_trace(&samples, trace, &trace->measured, NULL), PS_OK);
        assert_int_equal(ps_samples_finish(&samples, NULL), PS_OK);
        n = samples.n;
        for (int i = 0; i < PS_N_UNUSED; i++)
                n += samples.unused[i];
        for (int i = 0; i < PS_N_GRADES; i++)
                n_graded += samples.graded[i];
        assert_int_equal(n, 2 * samples.n_messages);
        assert_int_equal(n_graded, samples.n);
        return samples;
}

ps_calibration calib_fitted(const ps_samples *samples, ps_model model)
{
        ps_calibration c;
        assert_int_equal(ps_calibrate(&c, samples, NULL, model, NULL), PS_OK);
        if (c.refusal)
                fail_msg("%s", c.refusal);
        return c;
}

ps_samples calib_samples_of(calib_run *r)
{
        ps_trace *trace = loaded(r->g, PS_CLOCK_AS_IS);
        ps_samples samples = calib_samples(trace);
        ps_trace_close(trace);
        ps_gen_free(r->g);
        return samples;
}

const ps_calibrated *calib_row(const ps_calibration *c, const char *name)
{
        for (uint32_t i = 0; i < c->n_rows; i++)
                if (strcmp(c->row[i].name, name) == 0)
                        return &c->row[i];
        fail_msg("no row %s", name);
        return NULL;
}

uint64_t calib_jitter(calib_run *r, double ns)
{
        return (uint64_t)(ns + calib_exponential(&r->random, 0.01 * ns) + 0.5);
}

uint64_t calib_sending(calib_run *r, uint64_t bytes)
{
        return calib_jitter(r, 2000 + 0.1 * (double)bytes);
}
