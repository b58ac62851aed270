/* rank_map.h - which rank of one run is which of another, or which node a rank is on: a file of pairs, one a
 * line, # begins a comment. */
#ifndef PS_CORE_MODEL_RANK_MAP_H
#define PS_CORE_MODEL_RANK_MAP_H

#include "core/base/error.h"
#include "core/base/types.h"

enum { PS_RANK_MAX = 1 << 24 };

/* out[rank] is the other number, or PS_NONE; the caller's to free. out[n - 1] is one. What cannot be read is
 * PS_E_INPUT; `form` tells then what a line has to be: "MEASURED PREDICTED". */
ps_status ps_rank_map_read(uint32_t **out, uint32_t *n, const char *path, const char *form, ps_error *err);
ps_status ps_rank_map_parse(uint32_t **out, uint32_t *n, const char *text, const char *path, const char *form,
                            ps_error *err);

#endif
