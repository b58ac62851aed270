/* test_rows.c - rows of a location that take many large pages: blocks become columns, in pages that blocks
 * leave on the way. */
#include "core/fold/fold.h"

#include "core/base/memory.h"
#include "tests/support/test.h"

#include <stdlib.h>

/* So many that the narrowest columns take a whole page, and no number of pages or blocks comes out even. */
enum { LOCATIONS = 2, SEND = 0, ROWS = 3 * PS_LARGE_PAGE / 2 + 12345, ROWS_AT_ONCE = PS_BATCH_EVENTS / 3 };

static const uint32_t world[] = {0, 1};

static void make_defs(ps_defs *defs)
{
        assert_int_equal(ps_defs_init(defs, NULL), PS_OK);
        ps_region_def send = {.name = ps_strings_addz(defs->strings, "MPI_Ssend"),
                              .paradigm = PS_PARADIGM_MPI};
        ps_defs_add_region(defs, &send, NULL, NULL);
        for (uint32_t l = 0; l < LOCATIONS; l++) {
                ps_defs_add_process(defs, &(ps_process_def){0}, NULL, NULL);
                ps_defs_add_location(defs, &(ps_location_def){.process = l}, NULL, NULL);
        }
        ps_defs_add_comm(defs, &(ps_comm_def){.n_members = LOCATIONS, .members = world}, NULL, NULL);
        assert_int_equal(ps_defs_freeze(defs, NULL), PS_OK);
}

/* The i-th call of location l: from 100 i + l on for 40 + i % 50, its record 1 + i % 7 after its begin. */
static void feed(ps_builder *b, ps_loc l)
{
        static ps_batch batch;
        batch.location = l;
        for (uint32_t i = 0; i < ROWS; i++) {
                const ps_time begin = INT64_C(100) * i + l;
                ps_event *event = batch.event + batch.n;
                event[0] = (ps_event){.time = begin, .kind = PS_EV_ENTER, .ref = SEND};
                event[1] = (ps_event){
                        .time = begin + 1 + i % 7, .kind = PS_EV_SEND, .peer = !l, .tag = i, .bytes = 8};
                event[2] = (ps_event){.time = begin + 40 + i % 50, .kind = PS_EV_LEAVE, .ref = SEND};
                batch.n += 3;
                if (batch.n < 3 * ROWS_AT_ONCE && i + 1 < ROWS)
                        continue;
                assert_int_equal(ps_builder_add(b, &batch, NULL), PS_OK);
                batch.n = 0;
        }
}

static void check_columns(const ps_trace *trace, ps_loc l)
{
        const ps_ops *ops = &trace->ops[l];
        assert_int_equal(ops->n, ROWS);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < ROWS; i++) {
                const ps_time begin = INT64_C(100) * i + l;
                wrong += trace->measured.enter[l][i] != begin ||
                         trace->measured.leave[l][i] != begin + 40 + i % 50 || ops->tag[i] != i ||
                         ops->pre[i] != 1 + i % 7 || ops->call[i] != ops->call[0] ||
                         ops->kind[i] != PS_K_SSEND || ops->done[i] != PS_NONE || ps_op_peer(ops, i) != !l;
        }
        assert_int_equal(wrong, 0);
}

static void finish(ps_trace *trace, ps_builder **builders)
{
        ps_forest *forest;
        ps_path *map;
        assert_int_equal(ps_build_tie(&trace->defs, builders, NULL), PS_OK);
        assert_int_equal(ps_forest_new(&forest, NULL), PS_OK);
        for (ps_loc l = 0; l < LOCATIONS; l++) {
                assert_int_equal(ps_forest_add(forest, builders[l], &map, NULL), PS_OK);
                ps_builder_settle_part(builders[l], 0, 0, 1);
                ps_builder_settle(builders[l], map);
        }
        assert_int_equal(ps_forest_keep(forest, trace, NULL), PS_OK);
        ps_forest_free(forest);
        assert_int_equal(ps_build_finish(trace, builders, 1, NULL), PS_OK);
}

TEST(columns_hold_what_was_put_into_blocks_whose_pages_they_take)
{
        ps_trace trace = {.n_locs = LOCATIONS};
        ps_builder *builders[LOCATIONS];
        ps_row_pool *pool = ps_row_pool_new();
        make_defs(&trace.defs);
        trace.arena = trace.defs.arena;
        for (ps_loc l = 0; l < LOCATIONS; l++) {
                assert_int_equal(ps_builder_new(&builders[l], &trace.defs, l, pool, NULL), PS_OK);
                feed(builders[l], l);
                assert_int_equal(ps_builder_end(builders[l], NULL), PS_OK);
        }
        ps_row_pool_empty(pool);
        ps_memory_give_back();
        finish(&trace, builders);
        for (ps_loc l = 0; l < LOCATIONS; l++) {
                check_columns(&trace, l);
                ps_builder_free(builders[l]);
        }
        ps_row_pool_free(pool);
        ps_defs_free(&trace.defs);
}
