/* made_up.c - see made_up.h. */
#include "tests/support/made_up.h"
#include "tests/support/test.h"

ps_recording *made_up_recording(uint32_t n_processes)
{
        static const uint32_t members[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        ps_recording *r;
        assert_true(n_processes <= sizeof(members) / sizeof(*members));
        assert_int_equal(ps_recording_new(&r, "made-up", NULL), PS_OK);
        ps_defs *defs = ps_recording_defs(r);
        for (uint32_t i = 0; i < n_processes; i++) {
                ps_location_def location = {.process = i, .n_events = UINT64_MAX};
                assert_int_equal(ps_defs_add_process(defs, &(ps_process_def){0}, NULL, NULL), PS_OK);
                assert_int_equal(ps_defs_add_location(defs, &location, NULL, NULL), PS_OK);
        }
        ps_comm_def world = {.parent = PS_NONE, .n_members = n_processes, .members = members};
        assert_int_equal(ps_defs_add_comm(defs, &world, NULL, NULL), PS_OK);
        return r;
}

void made_up_regions(ps_recording *r, const char *const *names, uint32_t n, ps_paradigm paradigm)
{
        ps_defs *defs = ps_recording_defs(r);
        for (uint32_t i = 0; i < n; i++) {
                ps_region_def region = {.name = ps_strings_addz(defs->strings, names[i]),
                                        .paradigm = (uint8_t)paradigm,
                                        .line = 10 * i};
                assert_int_equal(ps_defs_add_region(defs, &region, NULL, NULL), PS_OK);
        }
}

void made_up_event(ps_recording *r, ps_loc location, ps_event event)
{
        ps_error err = {0};
        assert_int_equal(ps_recording_add(r, location, &event, &err), PS_OK);
}
