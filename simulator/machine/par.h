/* par.h - between the files that read the parameter file of Predictor: its words, one at a time. */
#ifndef PS_SIMULATOR_MACHINE_PAR_H
#define PS_SIMULATOR_MACHINE_PAR_H

#include "simulator/cost/amount.h"

enum { PS_PAR_WORD = 63 };

/* The text is lower case after this: the files are case-insensitive. */
typedef struct ps_par {
        const char *path, *at;
        uint32_t line, column;
        bool is_line_begin; /* only blanks so far: a comment may begin */
        ps_error *err;
        /* The word at hand: 'w' word, 'n' number, 0 end, or the sign itself. */
        struct {
                char type;
                char word[PS_PAR_WORD + 1];
                double number;
                uint32_t line, column;
        } token;
} ps_par;

/* Reads the first word. */
ps_status ps_par_begin(ps_par *par, const char *text, const char *path, ps_error *err);
ps_status ps_par_next(ps_par *par);
ps_status ps_par_fail(const ps_par *par, const char *fmt, ...) PS_FORMAT(2, 3);

/* Takes the sign, or fails. */
ps_status ps_par_take(ps_par *par, char sign);
/* Takes it if it is there. */
ps_status ps_par_try(ps_par *par, char sign, bool *taken);
/* Takes a number that, times `factor`, is such an amount. */
ps_status ps_par_number(ps_par *par, ps_amount type, double factor, double *out);
ps_status ps_par_count(ps_par *par, uint32_t least, uint32_t *out);
/* Microseconds for each byte, as a rate. */
ps_status ps_par_rate(ps_par *par, double *out);
ps_status ps_par_word(ps_par *par, char out[PS_PAR_WORD + 1]);
/* search = N: how Predictor looked for a grid, which says nothing of the machine. */
ps_status ps_par_search(ps_par *par);
bool ps_par_is(const ps_par *par, const char *word);

/* The generation of 2007: clusters. */
ps_status ps_par_read_clusters(ps_par *par, ps_machine *out);

#endif
