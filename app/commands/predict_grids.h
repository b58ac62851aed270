/* predict_grids.h - the processor grids of a sweep, from --grid or --procs. */
#ifndef PS_APP_COMMANDS_PREDICT_GRIDS_H
#define PS_APP_COMMANDS_PREDICT_GRIDS_H

#include "core/base/error.h"
#include "simulator/cost/exchange.h"

enum { PS_GRIDS_MAX = 4096, PS_GRID_ROOM = 48 };

typedef struct ps_grid_list {
        ps_grid *row;
        uint32_t n, cap;
} ps_grid_list;

void ps_grid_list_free(ps_grid_list *list);

/* Grids and ranges of them, parted by commas: "2x2", "1x16..16x1". In a range each size runs from the one to
 * the other; when both ends have the same number of processors, only grids of that number are in it. */
ps_status ps_grids_parse(ps_grid_list *out, const char *text, ps_error *err);
/* Numbers of processors, parted by commas: all grids of `rank` axes that have them. */
ps_status ps_grids_of_procs(ps_grid_list *out, const char *text, uint32_t rank, ps_error *err);

const char *ps_grid_text(char room[PS_GRID_ROOM], const ps_grid *grid);

#endif
