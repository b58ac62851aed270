/* lmo.c - an LMO machine as plain text: "LMO", then a keyword and its numbers, in seconds and bytes.
 *
 *   n 3   S 0   M1 4096   M2 65536   C 50e-6 60e-6 40e-6   t 4e-9 5e-9 3e-9
 *   L (3 x 3 numbers)   beta (3 x 3 numbers)
 *
 * The manual of CPM names LMO_read() and LMO_write() but not what they write: this form is patscan's own.
 * What stands on the diagonals is not used and may be "-"; "inf" is a rate without limit. */
#include "simulator/cost/lmo.h"
#include "simulator/machine/json.h"
#include "simulator/machine/par.h"

#include <math.h>
#include <string.h>

/* `size`: how many numbers, as a power of n; -1: it is n itself. */
static const struct keyword {
        const char *word, *shown;
        ps_amount type;
        size_t field;
        int size, must;
} keywords[] = {
        {"n", "n", PS_A_COUNT, offsetof(ps_lmo, n), -1, 1},
        {"s", "S", PS_A_SIZE, offsetof(ps_lmo, scatter_bytes), 0, 0},
        {"m1", "M1", PS_A_SIZE, offsetof(ps_lmo, gather_low_bytes), 0, 0},
        {"m2", "M2", PS_A_SIZE, offsetof(ps_lmo, gather_high_bytes), 0, 0},
        {"escalation", "escalation", PS_A_SECONDS, offsetof(ps_lmo, escalation_s), 0, 0},
        {"probability", "probability", PS_A_PROBABILITY, offsetof(ps_lmo, escalation_probability), 0, 0},
        {"c", "C", PS_A_SECONDS, offsetof(ps_lmo, processing_s), 1, 1},
        {"t", "t", PS_A_SECONDS_PER_BYTE, offsetof(ps_lmo, processing_s_per_byte), 1, 1},
        {"l", "L", PS_A_SECONDS, offsetof(ps_lmo, latency_s), 2, 1},
        {"beta", "beta", PS_A_RATE, offsetof(ps_lmo, bandwidth_bytes_per_s), 2, 1},
};

enum { N_KEYWORDS = sizeof(keywords) / sizeof(keywords[0]) };

/* The numbers of a keyword, of which there are `*n`; pairs have their rows one after the other. */
static double *column_of(const ps_lmo *lmo, const struct keyword *k, size_t *n)
{
        char *at = (char *)(uintptr_t)lmo + k->field; /* NOLINT(performance-no-int-to-ptr): const goes */
        *n = k->size == 0 ? 1 : k->size == 1 ? lmo->n : (size_t)lmo->n * lmo->n;
        return k->size == 0 ? (double *)(void *)at : *(double **)(void *)at;
}

static ps_status read_size(ps_par *par, ps_lmo *lmo)
{
        ps_par before = *par;
        uint32_t n;
        PS_TRY(ps_par_count(par, 1, &n));
        if (n > PS_LMO_RANKS_MAX)
                return ps_par_fail(&before, "there are more than %d processors", PS_LMO_RANKS_MAX);
        return ps_lmo_alloc(lmo, n, par->err);
}

static ps_status read_column(ps_par *par, ps_lmo *lmo, const struct keyword *k)
{
        size_t n;
        double *column = column_of(lmo, k, &n);
        for (size_t i = 0; i < n; i++) {
                bool is_diagonal = k->size == 2 && i % lmo->n == i / lmo->n;
                if (is_diagonal && (par->token.type == '-' || par->token.type == 'n')) {
                        PS_TRY(ps_par_next(par));
                } else if (ps_par_is(par, "inf") && isinf(ps_amounts[k->type].null)) {
                        column[i] = INFINITY;
                        PS_TRY(ps_par_next(par));
                } else {
                        PS_TRY(ps_par_number(par, k->type, 1, &column[i]));
                }
        }
        return PS_OK;
}

static ps_status read_keyword(ps_par *par, ps_lmo *lmo, unsigned *seen)
{
        for (unsigned i = 0; i < N_KEYWORDS; i++) {
                if (!ps_par_is(par, keywords[i].word))
                        continue;
                if (*seen >> i & 1)
                        return ps_par_fail(par, "%s is there twice", keywords[i].shown);
                if (keywords[i].size >= 0 && !lmo->n)
                        return ps_par_fail(par, "n must come first");
                *seen |= 1U << i;
                PS_TRY(ps_par_next(par));
                return keywords[i].size < 0 ? read_size(par, lmo) : read_column(par, lmo, &keywords[i]);
        }
        return ps_par_fail(par, "%.40s is not n, S, M1, M2, escalation, probability, C, t, L or beta",
                           par->token.word);
}

ps_status ps_machine_read_lmo(ps_machine *out, const char *text, const char *path, ps_error *err)
{
        ps_par par;
        unsigned seen = 0;
        ps_status status = ps_par_begin(&par, text, path, err);

        ps_machine_init(out, PS_MODEL_LMO);
        PS_THEN(status, ps_par_next(&par)); /* LMO */
        while (status == PS_OK && par.token.type)
                status = read_keyword(&par, &out->lmo, &seen);
        for (unsigned i = 0; i < N_KEYWORDS && status == PS_OK; i++)
                if (keywords[i].must && !(seen >> i & 1))
                        status = ps_par_fail(&par, "%s is missing", keywords[i].shown);
        return status;
}
