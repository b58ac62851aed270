/* views.c - PGAS programs looked at as a whole: places that communicate often, much or unevenly, and a master
 * among workers. Their times are charged to other patterns, too. */
#include "patterns/table/families.h"

PS_SITE_FORMULA(frequent, site.ops >= 100 && 10 * site.ops >= site.all_ops, site.own);
// NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): small, and printed as it stands
PS_SITE_FORMULA(large,
                site.largest >= 1024 * 1024 || (site.largest >= 65536 && site.largest / 8 >= site.typical),
                site.own);
PS_SITE_FORMULA(uneven, site.n > 1 && site.most - site.mean >= site.most / 4, site.own - site.mean);
PS_MASTER_FORMULA(master_waits,
                  master.waits >= master.duration / 10 && master.is_master &&
                          master.waits > master.workers_wait,
                  master.own);
PS_MASTER_FORMULA(workers_wait,
                  !master.is_master && master.workers_wait >= master.duration / 10 &&
                          master.workers_wait > master.waits,
                  master.own);

#define SECTION_3 PS_PAPER ", section 5.3"
#define SECTION_4 PS_PAPER ", section 5.4"

static const ps_pattern rows[] = {
        {.id = "pgas-frequent-communication",
         .title = "Frequent communication",
         .summary = "A place makes a hundred one-sided or collective operations or more, and a tenth of all.",
         .advice = "Move data in blocks (upc_memget, upc_memput) instead of element by element, or work on a "
                   "local copy.",
         .source = SECTION_3,
         .subject = PS_ON_SITE,
         .definitions = PS_BY_PATSCAN,
         .formula = &frequent,
         .is_view = 1},
        {.id = "pgas-large-messages",
         .title = "Large messages",
         .summary =
                 "A place moves a mebibyte at once, or eight times as much as places usually do and 64 KiB "
                 "at least.",
         .advice = "Begin the transfer early in its nonblocking form and work meanwhile.",
         .source = SECTION_3,
         .subject = PS_ON_SITE,
         .definitions = PS_BY_PATSCAN,
         .formula = &large,
         .is_view = 1},
        {.id = "pgas-imbalanced-communication",
         .title = "Imbalanced communication",
         .summary = "The same operations take longer in this thread than on average, and at their longest at "
                    "least a third longer.",
         .advice = "Look at what this thread sends more, to whom, and whether it comes earlier than others.",
         .source = SECTION_3,
         .subject = PS_ON_SITE,
         .definitions = PS_BY_PATSCAN,
         .formula = &uneven,
         .is_view = 1},
        {.id = "pgas-slow-workers",
         .title = "Slow workers",
         .summary =
                 "A thread that takes part in nearly all communication waits for the others, for a tenth of "
                 "the run and more than they wait for it.",
         .advice = "Use more workers, give them smaller pieces of work, or let the master work, too.",
         .source = SECTION_4,
         .subject = PS_ON_MASTER,
         .definitions = PS_BY_PATSCAN,
         .formula = &master_waits,
         .is_view = 1,
         .is_guess = 1},
        {.id = "pgas-overloaded-master",
         .title = "Overloaded master",
         .summary =
                 "The others wait for a thread that takes part in nearly all communication, for a tenth of "
                 "the run and more than it waits for them.",
         .advice = "Give the master less to do: larger pieces of work, several masters, or no master at all.",
         .source = SECTION_4,
         .subject = PS_ON_MASTER,
         .definitions = PS_BY_PATSCAN,
         .formula = &workers_wait,
         .is_view = 1,
         .is_guess = 1},
};

const ps_family ps_family_views = {rows, sizeof(rows) / sizeof(rows[0])};
