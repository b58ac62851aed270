/* regions.c - how evenly the program's own functions are spread over the locations. */
#include "patterns/table/families.h"

PS_REGION_FORMULA(more_than_others, region.n > 1 && region.own - region.mean >= region.length / 100,
                  region.own - region.mean);

static const ps_pattern rows[] = {
        {.id = "region-imbalance",
         .title = "Imbalanced function",
         .summary = "A function of the program takes longer here than on average, by 1 % of the run or more "
                    "in all.",
         .advice = "Give the busy processes or threads less of this work: it is what the others wait for.",
         .source = "Scalasca 2.6: imbalance; " PS_PAPER ", section 5.3",
         .subject = PS_ON_REGION,
         .definitions = PS_BY_PATSCAN,
         .formula = &more_than_others,
         .is_view = 1},
};

const ps_family ps_family_regions = {rows, sizeof(rows) / sizeof(rows[0])};
