/* regions.c - how evenly the program's own functions are spread over the locations. */
#include "patterns/table/families.h"

PS_REGION_FORMULA(more_than_others, region.n > 1 && region.own - region.mean >= region.length / 100,
                  region.own - region.mean);

static const ps_pattern rows[] = {
#include "patterns/table/regions.def"
};

const ps_family ps_family_regions = {rows, sizeof(rows) / sizeof(rows[0])};
