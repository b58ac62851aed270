/* crowding.c - see crowding.h. Processes that may use the same processors are compared with these, and all of
 * a machine with all that they may use. */
#include "core/sums/crowding.h"

#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

enum { PROCESSORS_MOST = 1 << 16 };

/* A process that the trace tells the processors of. */
typedef struct placed {
        ps_str node, processors;
        ps_proc process;
        uint32_t n_threads;
} placed;

static int compare_placed(const void *a, const void *b)
{
        const placed *x = a, *y = b;
        PS_ORDER_BY(x->node, y->node);
        PS_ORDER_BY(x->processors, y->processors);
        return PS_ORDER(x->process, y->process);
}

/* Marks those of "0-3,8"; returns how many were not marked before. */
static uint32_t mark_processors(uint8_t *is_there, const char *list)
{
        uint32_t n = 0;
        uint64_t first, last;
        while (ps_number_range(&list, PROCESSORS_MOST - 1, &first, &last)) {
                for (; first <= last; first++) {
                        n += !is_there[first];
                        is_there[first] = 1;
                }
                list += *list == ',';
        }
        return n;
}

static uint32_t count_threads(const ps_trace *trace, ps_proc process)
{
        const ps_process_def *def = &trace->defs.processes.row[process];
        uint32_t n = 0;
        for (uint32_t i = 0; i < def->n_locs; i++)
                n += trace->info[trace->defs.by_process[def->first + i]].n_events > 0;
        return n;
}

/* `n` processes that share `n_processors`. */
static void compare_set(ps_crowding *out, const placed *row, uint32_t n, uint32_t n_processors)
{
        uint32_t n_threads = 0;
        for (uint32_t i = 0; i < n; i++)
                n_threads += row[i].n_threads;
        if (!n_processors || n_threads <= n_processors)
                return;
        for (uint32_t i = 0; i < n; i++) {
                out->n_processes += !out->is_crowded[row[i].process];
                out->is_crowded[row[i].process] = 1;
        }
        if (!out->n_processors ||
            (uint64_t)n_threads * out->n_processors > (uint64_t)out->n_threads * n_processors) {
                out->n_threads = n_threads;
                out->n_processors = n_processors;
                out->node = row->node;
        }
}

/* `n` processes of one machine. */
static void compare_node(ps_crowding *out, const ps_trace *trace, const placed *row, uint32_t n,
                         uint8_t *is_there)
{
        uint32_t n_all = 0;
        memset(is_there, 0, PROCESSORS_MOST);
        for (uint32_t first = 0, end; first < n; first = end) {
                end = first + 1;
                while (end < n && row[end].processors == row[first].processors)
                        end++;
                n_all += mark_processors(is_there, ps_defs_str(&trace->defs, row[first].processors));
        }
        compare_set(out, row, n, n_all);
        for (uint32_t first = 0, end; first < n; first = end) {
                end = first + 1;
                while (end < n && row[end].processors == row[first].processors)
                        end++;
                memset(is_there, 0, PROCESSORS_MOST);
                compare_set(out, &row[first], end - first,
                            mark_processors(is_there, ps_defs_str(&trace->defs, row[first].processors)));
        }
}

ps_status ps_crowding_find(ps_crowding *out, const ps_trace *trace, ps_error *err)
{
        uint32_t n_processes = trace->defs.processes.n, n = 0;
        placed *row = ps_memory_zeroed(n_processes + (size_t)1, sizeof(*row));
        uint8_t *is_there = ps_memory_new(PROCESSORS_MOST);
        *out = (ps_crowding){.is_crowded = ps_memory_zeroed(n_processes + (size_t)1, 1)};
        ps_status status =
                row && is_there && out->is_crowded ? PS_OK : PS_NOMEM(err, "processes", n_processes);
        for (ps_proc p = 0; status == PS_OK && p < n_processes; p++) {
                const ps_process_def *def = &trace->defs.processes.row[p];
                if (def->processors)
                        row[n++] = (placed){def->node, def->processors, p, count_threads(trace, p)};
        }
        if (n)
                qsort(row, n, sizeof(*row), compare_placed);
        for (uint32_t first = 0, end; first < n; first = end) {
                end = first + 1;
                while (end < n && row[end].node == row[first].node)
                        end++;
                compare_node(out, trace, &row[first], end - first, is_there);
        }
        free(row);
        free(is_there);
        if (!out->n_processes)
                ps_crowding_clear(out);
        return status;
}

void ps_crowding_clear(ps_crowding *crowding)
{
        free(crowding->is_crowded);
        *crowding = (ps_crowding){0};
}
