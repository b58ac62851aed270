/* growth.h - which simple law a cost follows as the number of processes grows. */
#ifndef PS_COMPARE_GROWTH_H
#define PS_COMPARE_GROWTH_H

#include "core/base/types.h"

typedef enum ps_growth_law {
#define PS_GROWTH_LAW(id, name, formula) PS_GROWTH_##id,
#include "compare/growth_laws.def"
#undef PS_GROWTH_LAW
        PS_GROWTH_LAWS
} ps_growth_law;
extern const char *const ps_growth_names[PS_GROWTH_LAWS];

typedef enum ps_growth_trust {
        PS_GROWTH_UNKNOWN,
        PS_GROWTH_LOW,
        PS_GROWTH_MEDIUM,
        PS_GROWTH_HIGH
} ps_growth_trust;
extern const char *const ps_growth_trusts[PS_GROWTH_HIGH + 1];

/* a + b * law(p), neither of them negative. */
typedef struct ps_growth {
        ps_growth_law law;
        double a, b;
        double r_squared;      /* NAN: not known */
        ps_growth_trust trust; /* so few points allow; UNKNOWN: fewer than three tell no law */
} ps_growth;

/* `p` rises; n > 0. The simplest law wins unless another one is clearly nearer. */
ps_growth ps_growth_fit(const double *p, const double *cost, unsigned n);
double ps_growth_at(const ps_growth *growth, double p);

#endif
