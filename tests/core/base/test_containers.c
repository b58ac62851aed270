/* test_containers.c - vectors, tables, heaps, searches, files and numbers, against the simplest way to
 * do the same. */
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/heap.h"
#include "core/base/lookup.h"
#include "core/base/number.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t next_random(uint64_t *seed)
{
        return ps_hash_mix(++*seed);
}

TEST(a_vector_keeps_what_is_pushed)
{
        PS_VECTOR(uint64_t) v = {0};
        struct {
                char *row;
                size_t n, room;
        } wide = {0};
        for (uint32_t i = 0; i < 1000; i++) {
                assert_int_equal(PS_PUSH(v, (uint64_t)i * i), 0);
                assert_int_equal(PS_APPEND(wide.row, wide.n, wide.room, (char)(i % 100)), 0);
        }
        assert_int_equal(v.n, 1000);
        assert_true(v.cap >= 1000 && wide.room >= 1000);
        for (uint32_t i = 0; i < 1000; i++) {
                assert_int_equal(v.row[i], (uint64_t)i * i);
                assert_int_equal(wide.row[i], i % 100);
        }
        free(v.row);
        free(wide.row);
}

TEST(a_vector_that_cannot_grow_stays_as_it_is)
{
        char row, *rows = &row;
        uint32_t n = UINT32_MAX, cap = UINT32_MAX;
        size_t wide = SIZE_MAX / 2 + 1;
        assert_int_equal(PS_ROOM(rows, n, cap), -1);
        assert_int_equal(PS_ROOM(rows, wide, wide), -1);
        assert_ptr_equal(rows, &row);
        assert_int_equal(cap, UINT32_MAX);
        assert_int_equal(wide, SIZE_MAX / 2 + 1);
}

static uint64_t hash_few(const void *rows, uint32_t row)
{
        return ((const uint32_t *)rows)[row] % 7; /* most of them collide */
}

static bool is_same(const void *key, const void *rows, uint32_t row)
{
        return *(const uint32_t *)key == ((const uint32_t *)rows)[row];
}

TEST(a_table_finds_each_row_although_hashes_collide)
{
        enum { N = 1000 };
        uint32_t row[N], n = 0;
        uint64_t seed = 1;
        ps_lookup table = {0};
        for (int i = 0; i < 4 * N && n < N; i++) {
                uint32_t key = (uint32_t)(next_random(&seed) % 700), known = 0;
                while (known < n && row[known] != key)
                        known++;
                assert_int_equal(ps_lookup_room(&table, n, hash_few, row), 0);
                uint32_t *slot = ps_lookup_find(&table, key % 7, is_same, &key, row);
                assert_int_equal(*slot, known < n ? known + 1 : 0);
                if (!*slot) {
                        row[n] = key;
                        *slot = ++n;
                }
                assert_true(2 * n <= table.n_slots);
        }
        ps_lookup_free(&table);
        assert_null(table.slot);
}

/* What has room for so many rows gets no other slots before there are more. */
TEST(a_table_that_is_reserved_does_not_grow)
{
        enum { MOST = 1000 };
        static uint32_t row[MOST + 1];
        for (uint32_t room = 1; room <= MOST; room = 3 * room + 1) {
                ps_lookup table = {0};
                uint32_t n = 0;
                assert_int_equal(ps_lookup_reserve(&table, room), 0);
                const uint32_t *slots = table.slot;
                for (; n <= room; n++) {
                        row[n] = 31 * n;
                        assert_int_equal(ps_lookup_room(&table, n, hash_few, row), 0);
                        uint32_t *slot = ps_lookup_find(&table, row[n] % 7, is_same, &row[n], row);
                        assert_int_equal(*slot, 0);
                        *slot = n + 1;
                }
                assert_ptr_equal(table.slot, slots);
                for (uint32_t i = 0; i < n; i++)
                        assert_int_equal(*ps_lookup_find(&table, row[i] % 7, is_same, &row[i], row), i + 1);
                ps_lookup_free(&table);
        }
}

typedef struct timed {
        uint32_t time, what;
} timed;

static int is_before(const timed *a, const timed *b)
{
        return a->time < b->time;
}

PS_HEAP(heap, timed, is_before)

TEST(a_heap_gives_back_in_order)
{
        enum { N = 257 };
        for (uint32_t n = 1; n <= N; n += 32) {
                timed row[N], last = {0};
                uint64_t seed = n, sum = 0;
                for (uint32_t i = 0; i < n; i++) {
                        heap_rise(row, i, (timed){(uint32_t)next_random(&seed) % 100, i});
                        sum += i;
                }
                for (uint32_t left = n; left-- > 0;) {
                        assert_true(row[0].time >= last.time);
                        last = row[0];
                        sum -= last.what;
                        heap_sink(row, left, 0, row[left]);
                }
                assert_int_equal(sum, 0);
        }
}

TEST(a_search_finds_the_first_that_is_not_before)
{
        static const int row[] = {1, 3, 3, 3, 7};
        for (int wanted = 0; wanted <= 8; wanted++) {
                uint32_t low = 0, expected = 0;
                while (expected < 5 && row[expected] < wanted)
                        expected++;
                PS_SEARCH(low, 5, i, row[i] < wanted);
                assert_int_equal(low, expected);
        }
        size_t low = 3;
        PS_SEARCH(low, 3, i, row[i] < 100);
        assert_int_equal(low, 3);
}

static FILE *file_of(size_t n)
{
        FILE *file = tmpfile();
        assert_non_null(file);
        for (size_t i = 0; i < n; i++)
                fputc('a' + (int)(i % 26), file);
        rewind(file);
        return file;
}

/* From wherever one looks, also from outside, the same is found; in a part of the rows, too. */
TEST(a_search_finds_the_same_from_everywhere)
{
        enum { N = 40 };
        int row[N];
        for (int i = 0; i < N; i++)
                row[i] = i / 3 * 2; /* 0, 0, 0, 2, 2, 2, ... */
        for (uint32_t first = 0; first <= N; first += 13)
                for (uint32_t last = first; last <= N; last++)
                        for (uint32_t near = 0; near <= N + 1; near++)
                                for (int wanted = -1; wanted < N; wanted++) {
                                        uint32_t expected = first, low = first, end = last;
                                        while (expected < last && row[expected] < wanted)
                                                expected++;
                                        PS_SEARCH_NEAR(low, end, near, i, row[i] < wanted);
                                        PS_SEARCH(low, end, i, row[i] < wanted);
                                        assert_int_equal(low, expected);
                                        low = first, end = last;
                                        PS_SEARCH_NEXT(low, end, near, i, row[i] < wanted);
                                        PS_SEARCH(low, end, i, row[i] < wanted);
                                        assert_int_equal(low, expected);
                                }
}

TEST(files_are_read_whole)
{
        static const size_t sizes[] = {0, 1, 65534, 65535, 65536, 65537, 131071, 131072, 300000};
        for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
                char *text;
                size_t n;
                ps_error err = {0};
                assert_int_equal(ps_file_read(&text, &n, file_of(sizes[s]), sizes[s], "text", "t", &err),
                                 PS_OK);
                assert_int_equal(n, sizes[s]);
                assert_int_equal(strlen(text), n);
                assert_true(n == 0 || text[n - 1] == 'a' + (char)((n - 1) % 26));
                free(text);
                if (sizes[s] == 0)
                        continue;
                assert_int_equal(ps_file_read(&text, &n, file_of(sizes[s]), sizes[s] - 1, "text", "t", &err),
                                 PS_E_INPUT);
                assert_null(text);
                assert_non_null(strstr(err.cause[0].text, "too large"));
        }
}

TEST(files_that_cannot_be_read_say_why)
{
        char *text;
        size_t n;
        ps_error err = {0};
        assert_int_equal(ps_file_read(&text, &n, fopen("no/such", "rb"), 1, "text", "no/such", &err),
                         PS_E_INPUT);
        assert_string_equal(err.cause[0].text,
                            "cannot open the text: path=\"no/such\", reason=\"No such file or directory\"");
        assert_int_equal(ps_file_read(&text, &n, fopen("/", "rb"), 1, "text", "/", &err), PS_E_INPUT);
        assert_string_equal(err.cause[0].text, "cannot read the text: path=\"/\", reason=\"Is a directory\"");
}

TEST(of_a_short_file_there_are_fewer_first_bytes)
{
        char path[] = "/tmp/head-XXXXXX", head[8];
        int fd = mkstemp(path);
        assert_int_equal(write(fd, "abcde", 5), 5);
        close(fd);
        assert_int_equal(ps_file_head(head, 3, path), 3);
        assert_memory_equal(head, "abc", 3);
        assert_int_equal(ps_file_head(head, sizeof(head), path), 5);
        assert_memory_equal(head, "abcde", 5);
        unlink(path);
        assert_int_equal(ps_file_head(head, sizeof(head), path), 0);
        assert_int_equal(ps_file_head(head, sizeof(head), "/"), 0);
}

TEST(whole_numbers_are_digits_within_limits)
{
        static const struct {
                const char *text;
                uint64_t most;
                int good, length;
                uint64_t number;
        } rows[] = {{"0", 0, 1, 1, 0},
                    {"17x", 100, 1, 2, 17},
                    {"100", 100, 1, 3, 100},
                    {"101", 100, 0, 0, 0},
                    {"", 9, 0, 0, 0},
                    {"-1", 9, 0, 0, 0},
                    {"+1", 9, 0, 0, 0},
                    {" 1", 9, 0, 0, 0},
                    {"0x10", 99, 1, 1, 0},
                    {"007", 9, 1, 3, 7},
                    {"18446744073709551615", UINT64_MAX, 1, 20, UINT64_MAX},
                    {"18446744073709551616", UINT64_MAX, 0, 0, 0}};
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const char *at = rows[i].text;
                uint64_t number = 0;
                assert_int_equal(ps_number_whole(&at, rows[i].most, &number), rows[i].good);
                assert_int_equal(at - rows[i].text, rows[i].length);
                assert_int_equal(number, rows[i].number);
        }
}

TEST(numbers_with_a_sign_are_within_limits_on_both_sides)
{
        static const struct {
                const char *text;
                int64_t least, most;
                int good, length;
                int64_t number;
        } rows[] = {{"0", 0, 0, 1, 1, 0},
                    {"-1 2", -1, 9, 1, 2, -1},
                    {"-2", -1, 9, 0, 0, 0},
                    {"10", -1, 9, 0, 0, 0},
                    {"-0", 0, 9, 1, 2, 0},
                    {"", -1, 9, 0, 0, 0},
                    {"-", -1, 9, 0, 0, 0},
                    {"--1", -1, 9, 0, 0, 0},
                    {"+1", -1, 9, 0, 0, 0},
                    {"9223372036854775807", INT64_MIN, INT64_MAX, 1, 19, INT64_MAX},
                    {"9223372036854775808", INT64_MIN, INT64_MAX, 0, 0, 0},
                    {"-9223372036854775808", INT64_MIN, INT64_MAX, 1, 20, INT64_MIN},
                    {"-9223372036854775809", INT64_MIN, INT64_MAX, 0, 0, 0}};
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const char *at = rows[i].text;
                int64_t number = 0;
                assert_int_equal(ps_number_signed(&at, rows[i].least, rows[i].most, &number), rows[i].good);
                assert_int_equal(at - rows[i].text, rows[i].length);
                assert_int_equal(number, rows[i].number);
        }
}

TEST(hexadecimal_numbers_fit_into_64_bits_and_have_nothing_before_them)
{
        static const struct {
                const char *text;
                int good, length;
                uint64_t number;
        } rows[] = {{"0", 1, 1, 0},
                    {"00000000000000000001f ", 1, 21, 31},
                    {"ffffffffffffffff", 1, 16, UINT64_MAX},
                    {"10000000000000000", 0, 0, 0},
                    {"F", 0, 0, 0},
                    {"", 0, 0, 0},
                    {"-1", 0, 0, 0},
                    {"0x1", 1, 1, 0}};
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const char *at = rows[i].text;
                uint64_t number = 0;
                assert_int_equal(ps_number_hex(&at, &number), rows[i].good);
                assert_int_equal(at - rows[i].text, rows[i].length);
                assert_int_equal(number, rows[i].number);
        }
}

TEST(real_numbers_are_what_people_write)
{
        static const struct {
                const char *text;
                int good;
                double number;
        } rows[] = {{"2", 1, 2},     {"2.5", 1, 2.5}, {".5", 1, 0.5}, {"1e-6", 1, 1e-6}, {"1.E3", 1, 1000},
                    {"", 0, 0},      {".", 0, 0},     {"-1", 0, 0},   {"+1", 0, 0},      {" 1", 0, 0},
                    {"0x1p3", 0, 0}, {"inf", 0, 0},   {"nan", 0, 0},  {"1e999", 0, 0},   {"1.2.3", 0, 0},
                    {"5 us", 0, 0},  {"1e", 0, 0}};
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                double number = 0;
                int good = ps_number_is(rows[i].text, strlen(rows[i].text), &number);
                assert_int_equal(good, rows[i].good);
                if (good)
                        assert_true(number == rows[i].number);
        }
        const char *at = "12.5us";
        double number;
        assert_true(ps_number_real(&at, &number) && number == 12.5);
        assert_string_equal(at, "us");
        assert_true(ps_number_is("123", 2, &number) && number == 12);
        char long_text[100];
        memset(long_text, '1', sizeof(long_text));
        assert_false(ps_number_is(long_text, sizeof(long_text), &number));
}

TEST(numbers_are_printed_so_that_they_read_back)
{
        static const struct {
                double number;
                const char *text;
        } rows[] = {{0, "0"},
                    {0.1, "0.1"},
                    {-2.5, "-2.5"},
                    {1e300, "1e+300"},
                    {1.0 / 3, "0.3333333333333333"},
                    {0.1 + 0.2, "0.30000000000000004"}};
        char text[PS_NUMBER_BYTES];
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                ps_number_print(text, rows[i].number);
                assert_string_equal(text, rows[i].text);
        }
        uint64_t seed = 3;
        for (int i = 0; i < 10000; i++) {
                double number = (double)next_random(&seed) / (double)(next_random(&seed) | 1);
                ps_number_print(text, number);
                assert_true(strtod(text, NULL) == number);
        }
}

TEST(ids_are_sixteen_digits)
{
        static const char *const bad[] = {"",
                                          "0",
                                          "0123456789abcde",
                                          "0123456789abcdef0",
                                          "0123456789ABCDEF",
                                          "0x23456789abcdef",
                                          " 123456789abcdef",
                                          "-123456789abcdef"};
        char text[PS_HEX_BYTES];
        uint64_t number;
        assert_string_equal(ps_number_print_hex(text, UINT64_C(0x0123456789abcdef)), "0123456789abcdef");
        assert_string_equal(ps_number_print_hex(text, 0), "0000000000000000");
        assert_string_equal(ps_number_print_hex(text, UINT64_C(0xfedcba9876543210)), "fedcba9876543210");
        assert_true(ps_number_is_hex("fedcba9876543210", &number) && number == UINT64_C(0xfedcba9876543210));
        assert_true(ps_number_is_hex("ffffffffffffffff", &number) && number == UINT64_MAX);
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                assert_false(ps_number_is_hex(bad[i], &number));
}
