/* views.c - patterns of PGAS programs as a whole: places that communicate often, much or unevenly, and a
 * master among workers. Their times are charged to other patterns as well. */
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
#include "patterns/engine/views.def"
};

const ps_family ps_family_views = {rows, sizeof(rows) / sizeof(rows[0])};
