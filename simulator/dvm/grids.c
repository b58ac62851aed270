/* grids.c - many grids in a few words. They come in the order of their sizes, the last one fastest. */
#include "simulator/dvm/dvm.h"

#include "core/base/number.h"
#include "core/base/vector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ps_grid_list_free(ps_grid_list *list)
{
        free(list->row);
        *list = (ps_grid_list){0};
}

const char *ps_grid_text(char room[PS_GRID_ROOM], const ps_grid *grid)
{
        int n = 0;
        room[0] = '\0';
        for (uint32_t v = 0; v < grid->rank; v++)
                n += snprintf(room + n, PS_GRID_ROOM - (size_t)n, "%s%" PRIu32, v ? "x" : "", grid->size[v]);
        return room;
}

static ps_status add_grid(ps_grid_list *list, const ps_grid *grid, ps_error *err)
{
        if (list->n == PS_GRIDS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "these are too many grids: most=%d", PS_GRIDS_MAX);
        return PS_APPEND(list->row, list->n, list->cap, *grid) ? PS_NOMEM(err, "grids", list->n) : PS_OK;
}

/* The sizes from `v` on, each between those of `low` and `high`. `left`: what their product has to be, or 0:
 * anything. */
static ps_status add_box(ps_grid_list *list, ps_grid *grid, uint32_t v, const ps_grid *low,
                         const ps_grid *high, uint64_t left, ps_error *err)
{
        if (v == grid->rank || v == PS_GRID_RANK) /* which no rank is above; gcc is told so */
                return left > 1 ? PS_OK : add_grid(list, grid, err);
        uint64_t last = left && left < high->size[v] ? left : high->size[v];
        for (uint64_t size = low->size[v]; size <= last; size++) {
                if (left && (left % size || (v + 1 == grid->rank && size != left)))
                        continue;
                grid->size[v] = (uint32_t)size;
                PS_TRY(add_box(list, grid, v + 1, low, high, left ? left / size : 0, err));
        }
        return PS_OK;
}

/* -- --grid -- */

static ps_status fail_grid(const char *text, size_t len, const char *what, ps_error *err)
{
        return PS_FAIL(err, PS_E_USAGE, "--grid %s: value=\"%.*s\", forms=\"4, 2x3, 1x1..4x4\", most=%d",
                       what, len < 80 ? (int)len : 80, text, PS_MACHINE_RANKS_MAX);
}

/* Reads "2x3" at *at and moves it on. */
static bool read_grid(ps_grid *out, const char **at)
{
        *out = (ps_grid){0};
        for (const char *p = *at;; p++) {
                uint64_t size;
                if (!ps_number_whole(&p, PS_MACHINE_RANKS_MAX, &size) || !size || out->rank == PS_GRID_RANK)
                        return false;
                out->size[out->rank++] = (uint32_t)size;
                if (*p != 'x') {
                        *at = p;
                        return ps_grid_count(out) <= PS_MACHINE_RANKS_MAX;
                }
        }
}

static ps_status add_range(ps_grid_list *list, const ps_grid *a, const ps_grid *b, ps_error *err)
{
        ps_grid low = *a, high = *b, grid = {.rank = a->rank};
        for (uint32_t v = 0; v < a->rank; v++) {
                low.size[v] = a->size[v] < b->size[v] ? a->size[v] : b->size[v];
                high.size[v] = a->size[v] < b->size[v] ? b->size[v] : a->size[v];
        }
        uint32_t count = ps_grid_count(a);
        return add_box(list, &grid, 0, &low, &high, count == ps_grid_count(b) ? count : 0, err);
}

ps_status ps_grids_parse(ps_grid_list *out, const char *text, ps_error *err)
{
        for (const char *at = text;; at++) {
                const char *item = at;
                size_t len = strcspn(item, ",");
                ps_grid from, to;
                if (!read_grid(&from, &at))
                        return fail_grid(item, len, "needs numbers of processors with an x between them",
                                         err);
                to = from;
                if (strncmp(at, "..", 2) == 0) {
                        at += 2;
                        if (!read_grid(&to, &at))
                                return fail_grid(item, len,
                                                 "needs numbers of processors with an x between them", err);
                }
                if (at != item + len)
                        return fail_grid(item, len, "needs numbers of processors with an x between them",
                                         err);
                if (from.rank != to.rank)
                        return fail_grid(item, len,
                                         "has a range from a grid to one with more or fewer dimensions", err);
                PS_TRY(add_range(out, &from, &to, err));
                if (!*at)
                        break;
        }
        return PS_OK;
}

/* -- --procs -- */

ps_status ps_grids_of_procs(ps_grid_list *out, const char *text, uint32_t rank, ps_error *err)
{
        for (const char *at = text;; at++) {
                uint64_t n;
                ps_grid low = {.rank = rank}, high = {.rank = rank}, grid = {.rank = rank};
                if (!ps_number_whole(&at, PS_MACHINE_RANKS_MAX, &n) || !n || (*at && *at != ','))
                        return PS_FAIL(err, PS_E_USAGE,
                                       "--procs needs whole numbers: value=\"%.80s\", least=1, most=%d", text,
                                       PS_MACHINE_RANKS_MAX);
                for (uint32_t v = 0; v < rank; v++) {
                        low.size[v] = 1;
                        high.size[v] = (uint32_t)n;
                }
                PS_TRY(add_box(out, &grid, 0, &low, &high, n, err));
                if (!*at)
                        break;
        }
        return PS_OK;
}
