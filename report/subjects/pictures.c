/* pictures.c - the tables behind the pictures of a page, for --report csv.NAME. */
#include "report/facts/report.h"
#include "report/print/record_rows.h"
#include "report/subjects/profile.h"

struct at_once {
        uint32_t n;
        ps_time state[PS_STATE_COUNT];
};

#define RECORD     concurrency
#define RECORD_DEF "report/subjects/concurrency.def"
#define RECORD_IT  struct at_once
#define RECORD_DOC "for how long exactly so many locations were in each state"
#include "report/print/make_record.def"

#define RECORD     queue
#define RECORD_DEF "report/subjects/queue.def"
#define RECORD_IN  ps_trace
#define RECORD_IT  ps_profile_row
#define RECORD_DOC "how long the queue of a location was at most"
#include "report/print/make_record.def"

static void put_concurrency(ps_row *to, const char *key, const ps_profile *profile)
{
        ps_records table = ps_records_open(to, key, &ps_record_concurrency);
        for (uint32_t k = 0; k <= profile->n_rows; k++) {
                struct at_once row = {.n = k};
                for (int state = 0; state < PS_STATE_COUNT; state++)
                        row.state[state] = profile->concurrency[state][k];
                ps_records_row(&table, NULL, &row);
        }
        ps_records_close(&table);
}

#define RECORD     pictures
#define RECORD_DEF "report/subjects/pictures.def"
#define RECORD_IT  ps_report
#define RECORD_DOC "what is behind the pictures of a page"
#include "report/print/make_record.def"
