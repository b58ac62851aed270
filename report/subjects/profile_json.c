/* profile_json.c - the profile for programs: docs/PROFILE.md explains the keys. */
#include "report/print/record_rows.h"
#include "report/subjects/profile.h"

#define RECORD     peak
#define RECORD_DEF "report/subjects/peak.def"
#define RECORD_IT  ps_peak
#define RECORD_DOC "the largest value, and when it was first there"
#include "report/print/make_record.def"

#define RECORD     profile_location
#define RECORD_DEF "report/subjects/profile_location.def"
#define RECORD_IN  ps_trace
#define RECORD_IT  ps_profile_row
#define RECORD_DOC "what a location did"
#include "report/print/make_record.def"

#define RECORD     profile_bin
#define RECORD_DEF "report/subjects/profile_bin.def"
#define RECORD_IT  ps_profile_bin
#define RECORD_DOC "a part of the run"
#include "report/print/make_record.def"

#define RECORD     profile_pair
#define RECORD_DEF "report/subjects/profile_pair.def"
#define RECORD_IT  ps_profile_pair
#define RECORD_DOC "what a process sent to another one"
#include "report/print/make_record.def"

#define RECORD     link_load
#define RECORD_DEF "report/subjects/link_load.def"
#define RECORD_IT  ps_link_load_row
#define RECORD_DOC "what a link of the network carries"
#include "report/print/make_record.def"

/* Each ends its line: they may be many. */
static void put_lines(ps_row *to, const char *key, const ps_record *record, const ps_info *info,
                      const void *first, uint32_t n, size_t size)
{
        ps_row_open(to, key, '[');
        for (uint32_t i = 0; i < n; i++) {
                ps_record_put(to, NULL, record, info->trace, (const char *)first + i * size);
                ps_output_putc(to->out, '\n');
        }
        ps_row_close(to, ']');
}

static void put_locations(ps_row *to, const char *key, const ps_info *info)
{
        put_lines(to, key, &ps_record_profile_location, info, info->profile->rows, info->profile->n_rows,
                  sizeof(*info->profile->rows));
}

static void put_bins(ps_row *to, const char *key, const ps_info *info)
{
        put_lines(to, key, &ps_record_profile_bin, info, info->profile->bins, info->profile->n_bins,
                  sizeof(*info->profile->bins));
}

#define RECORD     profile
#define RECORD_DEF "report/subjects/profile.def"
#define RECORD_IT  ps_info
#define RECORD_DOC "what was busy, under way and waiting, over time"
#include "report/print/make_record.def"
