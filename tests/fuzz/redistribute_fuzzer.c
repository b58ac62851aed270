/* redistribute_fuzzer.c - the text of a distribution and, after a line break, that of the grids.
 *
 * What can be read must be worked out or be refused; what is worked out must account for every element, and
 * its plan must say for each transfer where as many elements lie as it has, on both sides. */
#include "simulator/redistribute/load.h"
#include "simulator/redistribute/plan.h"
#include "tests/support/fuzz_lab.h"

#include <stdlib.h>
#include <string.h>

/* Larger ones are legal and slow. */
enum { PROCS_MAX = 64, PLANS_MAX = 256 };

static uint64_t positions(const ps_redist_runs *runs, uint64_t extent)
{
        uint64_t sum = 0;

        for (size_t i = 0; i < runs->n; i++) {
                const ps_redist_run *run = &runs->row[i];
                fuzz_must(run->count && run->length && (run->count == 1 || run->stride >= run->length));
                fuzz_must(run->first + (run->count - 1) * run->stride + run->length <= extent);
                sum += run->count * run->length;
        }
        return sum;
}

static void check_plan(const ps_redist *r, const ps_redist_plan *plan, const ps_redist_transfer *t)
{
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++) {
                uint64_t shape[PS_REDIST_DIMS], n = 1;
                ps_redist_local_shape(shape, r, (ps_redist_side)side,
                                      side == PS_REDIST_SOURCE ? t->source : t->destination);
                for (unsigned d = 0; d < r->spec.n_dims; d++) {
                        const ps_redist_part *part = &plan->part[side][d];
                        n *= positions(&part->cycle, shape[d]) * part->repeats +
                             positions(&part->rest, shape[d]);
                }
                fuzz_must(n == t->elements);
        }
}

static void check(const ps_redist *r)
{
        uint64_t elements = r->grid[PS_REDIST_DESTINATION].procs;
        ps_redist_loads loads;
        ps_redist_plan plan = {0};

        for (unsigned d = 0; d < r->spec.n_dims; d++)
                if (r->axis[PS_REDIST_DESTINATION][d] != PS_REDIST_AXES)
                        elements /= r->line[PS_REDIST_DESTINATION][d].procs;
        for (unsigned d = 0; d < r->spec.n_dims; d++)
                elements *= r->spec.extent[d];
        fuzz_must(elements == r->sums.elements + r->sums.local_elements);
        fuzz_must(ps_redist_loads_find(&loads, r, NULL) == PS_OK);
        if (r->transfers.n > PLANS_MAX || ps_redist_plan_check(r, NULL))
                return;
        for (size_t i = 0; i < r->transfers.n; i++) {
                fuzz_must(ps_redist_plan_transfer(&plan, r, &r->transfers.row[i], NULL) == PS_OK);
                check_plan(r, &plan, &r->transfers.row[i]);
        }
        ps_redist_plan_free(&plan);
}

/* Whether it takes milliseconds: few processors, and blocks that fit together or a small array. */
static int is_quick(const ps_redist_spec *spec, const ps_redist_grid *grid)
{
        if (grid[0].procs > PROCS_MAX || grid[1].procs > PROCS_MAX)
                return 0;
        for (unsigned d = 0; d < spec->n_dims; d++) {
                uint64_t a = spec->format[0][d].block, b = spec->format[1][d].block;
                if (spec->extent[d] > 10000 &&
                    (!a || !b || (a % b && b % a) || grid[0].procs != grid[1].procs))
                        return 0;
        }
        return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        ps_redist_spec spec;
        ps_redist_grid grid[PS_REDIST_SIDES];
        ps_redist *r;
        ps_error err = {0};
        char *text = fuzz_text(data, size), *grids = strchr(text, '\n');

        if (grids)
                *grids++ = '\0';
        if (!ps_redist_spec_parse(&spec, text, &err) &&
            !ps_redist_grids_parse(grid, grids ? grids : "4", "grid", &err) && is_quick(&spec, grid) &&
            !ps_redist_new(&r, &spec, grid, &err)) {
                check(r);
                ps_redist_free(r);
        }
        free(text);
        return 0;
}
