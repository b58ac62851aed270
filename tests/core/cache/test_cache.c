/* test_cache.c - what is kept of a trace is the trace, and is not used when anything is not as it was. */
#include "core/cache/cache.h"
#include "core/cache/columns.h"
#include "core/cache/store.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "core/model/stack_places.h"
#include "reader/reader.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_SEEDS = 6, N_STEPS = 60, N_FLIPS = 4000 };

/* An archive, the folder of a cache, and what is asked for. */
typedef struct lab {
        ps_gen *g;
        char *dir, folder[1024], *parts[PS_TRACE_PARTS];
        unsigned n_parts;
        ps_focus_wish wish;
        ps_load_options options;
        ps_cache_key key;
} lab;

static ps_gen *archive(uint64_t seed)
{
        random_program p = {.seed = seed,
                            .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1),
                            .steps = N_STEPS,
                            .neighbours = seed % 2 == 1,
                            .options = {.mapped = seed % 2 == 1}};
        uint32_t n_messages, n_colls;
        return random_program_write(&p, &n_messages, &n_colls);
}

static void make_key(lab *l)
{
        ps_error err = {0};
        ps_cache_key_clear(&l->key);
        if (ps_cache_key_make(&l->key, l->folder, ps_gen_anchor(l->g), &l->options, l->parts, l->n_parts,
                              &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
}

static void set_up(lab *l, uint64_t seed)
{
        const ps_reader_class *format;
        *l = (lab){.g = archive(seed), .dir = ps_dir_new()};
        l->wish = (ps_focus_wish){.how = PS_FOCUS_WHOLE_RUN, .to = PS_TIME_MAX, .ranks = "0-1"};
        l->options = (ps_load_options){
                .n_threads = 2, .pieces = &loaded_pieces, .focus = &l->wish, .call_stacks = 1};
        snprintf(l->folder, sizeof(l->folder), "%s/of/caches", l->dir);
        ps_gen_close(l->g);
        assert_int_equal(ps_reader_find(&format, ps_gen_anchor(l->g), NULL), PS_OK);
        l->n_parts = format->parts(l->parts, ps_gen_anchor(l->g));
        assert_int_equal(l->n_parts, 3);
        make_key(l);
}

static void tear_down(lab *l)
{
        unsigned n;
        assert_int_equal(ps_cache_clear(l->folder, &n, NULL), PS_OK);
        rmdir(l->folder);
        ps_cache_key_clear(&l->key);
        while (l->n_parts)
                free(l->parts[--l->n_parts]);
        ps_gen_free(l->g);
        ps_dir_remove(l->dir);
        free(l->dir);
}

static ps_trace *load(const lab *l)
{
        ps_trace *trace;
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(l->g), &l->options, NULL), PS_OK);
        return trace;
}

static void keep(const lab *l)
{
        ps_trace *trace = load(l);
        assert_int_equal(ps_cache_keep(&l->key, trace, 2, NULL), PS_OK);
        ps_trace_close(trace);
}

/* It is there, and used. */
static void expect_kept(const lab *l)
{
        ps_trace *trace;
        assert_int_equal(ps_cache_open(&trace, &l->key, 2, NULL), PS_OK);
        assert_non_null(trace);
        ps_trace_close(trace);
}

/* Nobody kept this: it is no error. */
static void expect_nothing(const lab *l)
{
        ps_trace *trace;
        assert_int_equal(ps_cache_open(&trace, &l->key, 1, NULL), PS_OK);
        assert_null(trace);
}

static void expect_dropped(const lab *l, const char *why)
{
        ps_trace *trace;
        ps_error err = {0};
        assert_int_equal(ps_cache_open(&trace, &l->key, 1, &err), PS_E_INPUT);
        assert_null(trace);
        assert_non_null(strstr(err.cause[0].text, why));
        assert_int_not_equal(access(l->key.file, F_OK), 0);
}

/* The bytes of the columns, where the map of a file would lie. */
static uint8_t *columns(ps_trace *trace, size_t *n)
{
        void *at;
        assert_int_equal(ps_cache_columns_measure(n, trace, NULL), PS_OK);
        assert_int_equal(posix_memalign(&at, 4096, *n), 0);
        memset(at, 0, *n);
        assert_int_equal(ps_cache_columns_put(at, *n, trace, NULL), PS_OK);
        return at;
}

/* -- the same -- */

TEST(a_trace_comes_back_as_it_was)
{
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                lab l;
                set_up(&l, seed);
                ps_trace *trace = load(&l), *kept;
                assert_int_equal(ps_cache_keep(&l.key, trace, 1, NULL), PS_OK);
                assert_int_equal(ps_cache_open(&kept, &l.key, 2, NULL), PS_OK);
                const char *difference = loaded_difference(trace, kept, 1);
                if (difference)
                        fail_msg("%s differ", difference);
                loaded_check(kept);
                assert_string_equal(kept->format, trace->format);
                assert_int_equal(kept->measured.focus->length, trace->measured.focus->length);
                assert_int_equal(ps_focus_n_told(kept, &kept->measured), 2);
                for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                        assert_int_equal(kept->stack_places[loc].places.n, trace->stack_places[loc].places.n);
                ps_trace_close(kept);
                ps_trace_close(trace);
                tear_down(&l);
        }
}

TEST(communicators_that_share_members_share_them_again)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 4});
        const uint32_t ranks[] = {0, 2};
        ps_gen_comm(g, "even", ranks, 2);
        ps_gen_barrier(g, 0, 10, 20, PS_GEN_WORLD);
        ps_trace *trace = loaded(g, PS_CLOCK_AUTO), *back;
        ps_comm_def *comm = trace->defs.comms.row;
        uint32_t last = trace->defs.comms.n - 1;
        comm[last].members = comm[0].members;
        comm[last].n_members = comm[0].n_members;
        size_t n;
        uint8_t *bytes = columns(trace, &n);
        assert_int_equal(ps_trace_new(&back, NULL, NULL), PS_OK);
        assert_int_equal(ps_cache_columns_take(back, bytes, n, 1, NULL), PS_OK);
        assert_ptr_equal(back->defs.comms.row[last].members, back->defs.comms.row[0].members);
        ps_trace_close(back);
        ps_trace_close(trace);
        free(bytes);
        ps_gen_free(g);
}

/* -- not the same -- */

TEST(nothing_is_there_before_something_is_kept)
{
        lab l;
        set_up(&l, 1);
        expect_nothing(&l);
        keep(&l);
        expect_kept(&l);
        tear_down(&l);
}

TEST(other_options_ask_for_another_trace)
{
        static const struct ps_piece_options few = {.most = 7};
        lab l;
        set_up(&l, 1);
        keep(&l);
        const ps_load_options usual = l.options;
        const ps_focus_wish whole = l.wish;
        for (int i = 0; i < 9; i++) {
                l.options = usual;
                l.wish = whole;
                if (i < 5) {
                        l.options.strict = i == 0;
                        l.options.clock = i == 1 ? PS_CLOCK_AS_IS : usual.clock;
                        l.options.upc_flags = i == 2 ? PS_UPC_FLAGS_OLD : usual.upc_flags;
                        l.options.pieces = i == 3 ? &few : usual.pieces;
                        l.options.call_stacks = i != 4;
                } else {
                        l.wish.how = i == 5 ? PS_FOCUS_PROGRAM : whole.how;
                        l.wish.from = i == 6;
                        l.wish.ranks = i == 7 ? "0" : whole.ranks;
                        l.wish.region = i == 8 ? "main" : NULL;
                }
                make_key(&l);
                expect_nothing(&l);
        }
        l.options = usual;
        l.wish = whole;
        l.options.n_threads = 7; /* changes nothing */
        make_key(&l);
        expect_kept(&l);
        tear_down(&l);
}

/* Any file of the archive, here that of one location. */
static void touch_one(const lab *l, const char *suffix)
{
        char name[2048];
        struct stat st;
        snprintf(name, sizeof(name), "%s/0.%s", l->parts[2], suffix);
        int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
        assert_true(fd >= 0);
        assert_int_equal(fstat(fd, &st), 0);
        st.st_mtim.tv_nsec ^= 1;
        assert_int_equal(futimens(fd, (struct timespec[]){st.st_atim, st.st_mtim}), 0);
        close(fd);
}

TEST(a_file_that_was_touched_is_another_trace)
{
        static const char *const suffixes[] = {"evt", "def", "new"};
        for (size_t i = 0; i < 3; i++) {
                lab l;
                set_up(&l, 2); /* whose locations have numbers from 0 on */
                keep(&l);
                touch_one(&l, suffixes[i]);
                ps_cache_key before = l.key;
                l.key = (ps_cache_key){0};
                make_key(&l);
                assert_false(ps_cache_key_is_same(&before, &l.key));
                assert_string_equal(before.file, l.key.file);
                expect_nothing(&l);
                keep(&l); /* takes its place */
                expect_kept(&l);
                ps_cache_key_clear(&before);
                tear_down(&l);
        }
}

TEST(what_is_no_file_has_no_key)
{
        lab l;
        ps_cache_key key;
        set_up(&l, 1);
        assert_int_equal(ps_cache_key_make(&key, l.folder, "/dev/null", &l.options, l.parts, l.n_parts, NULL),
                         PS_E_INPUT);
        ps_cache_key_clear(&key);
        tear_down(&l);
}

/* -- damage -- */

TEST(a_cache_that_others_may_read_is_dropped)
{
        lab l;
        set_up(&l, 1);
        keep(&l);
        assert_int_equal(chmod(l.key.file, 0640), 0);
        expect_dropped(&l, "only you");
        tear_down(&l);
}

TEST(a_link_is_no_cache)
{
        lab l;
        char other[2048];
        set_up(&l, 1);
        keep(&l);
        snprintf(other, sizeof(other), "%s.other", l.key.file);
        assert_int_equal(rename(l.key.file, other), 0);
        assert_int_equal(symlink(other, l.key.file), 0);
        expect_dropped(&l, "cannot open");
        tear_down(&l);
}

TEST(a_byte_that_changed_on_the_disk_is_noticed)
{
        lab l;
        struct stat st;
        set_up(&l, 1);
        keep(&l);
        assert_int_equal(stat(l.key.file, &st), 0);
        for (off_t step = st.st_size / 40, at = st.st_size - 1; at > (off_t)(4096 + l.key.n); at -= step) {
                uint8_t byte;
                keep(&l);
                int fd = open(l.key.file, O_RDWR);
                assert_int_equal(pread(fd, &byte, 1, at), 1);
                byte ^= 0x10;
                assert_int_equal(pwrite(fd, &byte, 1, at), 1);
                close(fd);
                expect_dropped(&l, "has changed");
        }
        tear_down(&l);
}

TEST(a_cache_that_ends_early_is_dropped)
{
        lab l;
        struct stat st;
        set_up(&l, 1);
        keep(&l);
        assert_int_equal(stat(l.key.file, &st), 0);
        for (off_t length = 0; length < st.st_size; length += 1 + length / 3) {
                keep(&l);
                assert_int_equal(truncate(l.key.file, length), 0);
                expect_dropped(&l, length < 40 ? "ends early" : "no cache");
        }
        tear_down(&l);
}

/* With the right sum: whoever could write the file could have made one. */
TEST(whatever_the_columns_are_each_index_leads_somewhere)
{
        lab l;
        size_t n;
        uint64_t random = 5;
        unsigned refused = 0;
        set_up(&l, 3);
        ps_trace *trace = load(&l), *back;
        uint8_t *bytes = columns(trace, &n);
        for (int i = 0; i < N_FLIPS; i++) {
                size_t at = maker_random(&random, (uint32_t)n);
                uint8_t was = bytes[at];
                bytes[at] = (uint8_t)maker_random(&random, 256);
                assert_int_equal(ps_trace_new(&back, NULL, NULL), PS_OK);
                ps_error err = {0};
                ps_status status = ps_cache_columns_take(back, bytes, n, 1, &err);
                assert_true(status == PS_OK || (status == PS_E_INPUT && err.n_causes));
                refused += status != PS_OK;
                ps_trace_close(back);
                bytes[at] = was;
        }
        assert_true(refused > N_FLIPS / 10);
        for (size_t length = 0; length < n; length += 1 + length / 7) {
                assert_int_equal(ps_trace_new(&back, NULL, NULL), PS_OK);
                assert_int_equal(ps_cache_columns_take(back, bytes, length, 1, NULL), PS_E_INPUT);
                ps_trace_close(back);
        }
        free(bytes);
        ps_trace_close(trace);
        tear_down(&l);
}

static ps_status take_again(ps_trace *trace)
{
        size_t n;
        uint8_t *bytes = columns(trace, &n);
        ps_trace *back;
        assert_int_equal(ps_trace_new(&back, NULL, NULL), PS_OK);
        ps_status status = ps_cache_columns_take(back, bytes, n, 1, NULL);
        ps_trace_close(back);
        free(bytes);
        return status;
}

/* They are added up without a look at each. */
TEST(times_that_no_run_has_are_refused)
{
        lab l;
        set_up(&l, 3);
        ps_trace *trace = load(&l);
        ps_location_info *info = &trace->info[0];
        ps_piece *piece = trace->pieces[0].piece;
        assert_true(info->n_uses > 1 && trace->pieces[0].n > 1);
        ps_time *const times[] = {&info->uses[0].inclusive, &info->uses[1].exclusive, &info->off,
                                  &piece[0].time, &piece[1].time};
        for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
                ps_time was = *times[i];
                *times[i] = PS_TIME_MAX;
                assert_int_equal(take_again(trace), PS_E_INPUT);
                *times[i] = was;
                assert_int_equal(take_again(trace), PS_OK);
        }
        piece[0].time = -1;
        assert_int_equal(take_again(trace), PS_E_INPUT);
        piece[0].time = piece[1].time = PS_READER_TIME_LIMIT + 1;
        assert_int_equal(take_again(trace), PS_E_INPUT);
        piece[0].time = piece[1].time = 0;
        assert_int_equal(take_again(trace), PS_OK);
        info->uses[0].exclusive = info->uses[1].exclusive = PS_READER_TIME_LIMIT + 1;
        assert_int_equal(take_again(trace), PS_E_INPUT);
        ps_trace_close(trace);
        tear_down(&l);
}

/* -- where they lie -- */

TEST(only_its_owner_can_read_a_cache)
{
        lab l;
        struct stat st;
        set_up(&l, 1);
        keep(&l);
        assert_int_equal(stat(l.key.file, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        assert_int_equal(stat(l.folder, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0700);
        tear_down(&l);
}

TEST(clearing_removes_caches_and_nothing_else)
{
        lab l;
        char other[2048];
        unsigned n;
        set_up(&l, 1);
        keep(&l);
        snprintf(other, sizeof(other), "%s/letter.txt", l.folder);
        FILE *letter = fopen(other, "w");
        assert_non_null(letter);
        fclose(letter);
        assert_int_equal(ps_cache_clear(l.folder, &n, NULL), PS_OK);
        assert_int_equal(n, 1);
        expect_nothing(&l);
        assert_int_equal(unlink(other), 0);
        tear_down(&l);
}

TEST(the_usual_folder_is_that_of_the_environment)
{
        setenv("XDG_CACHE_HOME", "/x/cache", 1);
        setenv("HOME", "/home/me", 1);
        char *folder = ps_cache_folder("");
        assert_string_equal(folder, "/x/cache/patscan");
        free(folder);
        setenv("XDG_CACHE_HOME", "relative", 1);
        folder = ps_cache_folder("");
        assert_string_equal(folder, "/home/me/.cache/patscan");
        free(folder);
        unsetenv("XDG_CACHE_HOME");
        setenv("HOME", "", 1);
        assert_null(ps_cache_folder(""));
        unsetenv("HOME");
        assert_null(ps_cache_folder(""));
}

TEST(a_cache_that_cannot_be_written_is_told)
{
        lab l;
        ps_error err = {0};
        set_up(&l, 1);
        snprintf(l.folder, sizeof(l.folder), "/dev/null/caches");
        make_key(&l);
        ps_trace *trace = load(&l);
        assert_int_equal(ps_cache_keep(&l.key, trace, 1, &err), PS_E_OUTPUT);
        assert_non_null(strstr(err.cause[0].text, "/dev/null/caches"));
        ps_trace_close(trace);
        snprintf(l.folder, sizeof(l.folder), "%s/none", l.dir);
        tear_down(&l);
}
