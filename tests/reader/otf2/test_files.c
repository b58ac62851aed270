/* test_files.c - archives of more files than may be open at once, and of many small ones. */
#include "core/base/limit.h"
#include "reader/otf2/otf2.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <string.h>

enum { RANKS = 30, VISITS = 20000, FEW_FILES = 60 };

static const char *const names[] = {"a", "bee", "sea"};

/* Of each rank more than a window of the reader holds. */
static ps_gen *write_trace(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        for (uint32_t rank = 0; rank < RANKS; rank++)
                for (uint64_t i = 0; i < VISITS; i++) {
                        ps_gen_enter(g, rank, 1000 * i + rank, names[(i + rank) % 3]);
                        ps_gen_leave(g, rank, 1000 * i + 500 + rank, names[(i + rank) % 3]);
                }
        return g;
}

/* All streams are open; the ranks are read in turn, a batch each. */
static void read_in_turn(ps_reader *reader)
{
        static ps_batch batch;
        static ps_stream *stream[RANKS];
        static ps_issues issues;
        uint64_t n[RANKS] = {0};
        for (ps_loc rank = 0; rank < RANKS; rank++)
                assert_int_equal(ps_otf2_reader.stream_open(&stream[rank], reader, rank, NULL), PS_OK);
        for (uint32_t n_read = 1; n_read;) {
                n_read = 0;
                for (ps_loc rank = 0; rank < RANKS; rank++) {
                        assert_int_equal(ps_otf2_reader.stream_next(stream[rank], &batch, &issues, NULL),
                                         PS_OK);
                        n_read += batch.n;
                        for (uint32_t i = 0; i < batch.n; i++, n[rank]++)
                                assert_int_equal(batch.event[i].time,
                                                 (ps_time)(500 * n[rank] + rank) * PS_PS_PER_NS);
                }
        }
        for (ps_loc rank = 0; rank < RANKS; rank++) {
                assert_int_equal(n[rank], 2 * VISITS);
                ps_otf2_reader.stream_close(stream[rank]);
        }
        assert_int_equal(ps_issues_total(&issues), 0);
}

TEST(more_files_are_read_in_turn_than_may_be_open)
{
        ps_gen *g = write_trace();
        ps_defs defs;
        ps_issues issues = {0};
        ps_reader *reader;
        ps_gen_close(g);
        const char *anchor = ps_gen_anchor(g);
        uint64_t before = ps_files_limit(FEW_FILES);
        assert_int_equal(ps_defs_init(&defs, NULL), PS_OK);
        assert_int_equal(ps_otf2_reader.open(&reader, anchor, &defs, &issues, NULL), PS_OK);
        assert_int_equal(ps_defs_freeze(&defs, NULL), PS_OK);
        read_in_turn(reader);
        ps_files_limit(before);
        ps_otf2_reader.close(reader);
        ps_defs_free(&defs);
        ps_gen_free(g);
}

TEST(many_small_files_that_are_read_at_once_take_little_memory)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        ps_defs defs;
        ps_issues issues = {0};
        ps_reader *reader;
        ps_stream *stream[RANKS];
        for (uint32_t rank = 0; rank < RANKS; rank++)
                ps_gen_enter(g, rank, 1000, "a");
        ps_gen_close(g);
        assert_int_equal(ps_defs_init(&defs, NULL), PS_OK);
        assert_int_equal(ps_otf2_reader.open(&reader, ps_gen_anchor(g), &defs, &issues, NULL), PS_OK);
        assert_int_equal(ps_defs_freeze(&defs, NULL), PS_OK);
        uint64_t before = ps_limit_addresses_taken();
        for (ps_loc rank = 0; rank < RANKS; rank++)
                assert_int_equal(ps_otf2_reader.stream_open(&stream[rank], reader, rank, NULL), PS_OK);
        assert_true(ps_limit_addresses_taken() - before < (uint64_t)RANKS << 16);
        for (ps_loc rank = 0; rank < RANKS; rank++)
                ps_otf2_reader.stream_close(stream[rank]);
        ps_otf2_reader.close(reader);
        ps_defs_free(&defs);
        ps_gen_free(g);
}

TEST(too_many_open_files_are_no_fault_of_the_trace)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_enter(g, 0, 1, "a");
        ps_gen_leave(g, 0, 2, "a");
        ps_defs defs;
        ps_issues issues = {0};
        ps_error err = {0};
        ps_reader *reader;
        ps_gen_close(g);
        const char *anchor = ps_gen_anchor(g);
        assert_int_equal(ps_defs_init(&defs, NULL), PS_OK);
        uint64_t before = ps_files_limit(3);
        assert_int_equal(ps_otf2_reader.open(&reader, anchor, &defs, &issues, &err), PS_E_NOMEM);
        ps_files_limit(before);
        assert_non_null(strstr(err.cause[0].text, "ulimit -n"));
        ps_defs_free(&defs);
        ps_gen_free(g);
}
