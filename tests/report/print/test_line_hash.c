/* test_line_hash.c - the hashes that github/codeql-action publishes for its own tests. */
#include "report/print/line_hash.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static void check(const char *text, const uint64_t *hashes, const uint32_t *occurrences, uint32_t n_lines)
{
        ps_line_hash *line;
        uint32_t n;

        assert_int_equal(ps_line_hash_all(&line, &n, text, strlen(text), NULL), PS_OK);
        assert_int_equal(n, n_lines);
        for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(line[i].hash, hashes[i]);
                assert_int_equal(line[i].occurrence, occurrences ? occurrences[i] : 1);
        }
        free(line);
}

TEST(short_texts_have_known_hashes)
{
        const uint64_t empty[] = {0xc129715d7a2bc9a3};
        const uint64_t four[] = {0x271789c17abda88f, 0x54703d4cd895b18, 0x180aee12dab6264,
                                 0xa23a3dc5e078b07b};
        const uint64_t six[] = {0x8b7cf3e952e7aeb2, 0xb1ae1287ec4718d9, 0xbff680108adb0fcc,
                                0xc6805c5e1288b612, 0xb86d3392aea1be30, 0xe6ceba753e1a442};

        check("", empty, NULL, 1);
        check(" a\nb\n  \t\tc\n d", four, NULL, 4);
        check(" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End", six, NULL, 6);
}

TEST(every_kind_of_line_end_is_the_same)
{
        const uint64_t seven[] = {0xe9496ae3ebfced30, 0xfb7c023a8b9ccb3f, 0xce8ba1a563dcdaca,
                                  0xe20e36e16fcb0cc8, 0xb3edc88f2938467e, 0xc8e28b0b4002a3a0,
                                  0xc129715d7a2bc9a3};

        check(" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", seven, NULL, 7);
        check(" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", seven, NULL, 7);
        check(" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", seven, NULL, 7);
        check(" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", seven, NULL, 7);
}

TEST(lines_that_repeat)
{
        const uint64_t same = 0xa7f2ff13bc495cf2;
        const uint64_t hashes[] = {same,
                                   same,
                                   same,
                                   same,
                                   same,
                                   same,
                                   0xa7f2ff1481e87703,
                                   0xa9cf91f7bbf1862b,
                                   0x55ec222b86bcae53,
                                   0xcc97dc7b1d7d8f7b,
                                   0xc129715d7a2bc9a3};
        const uint32_t occurrences[] = {1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1};
        char text[400] = "";

        for (int i = 0; i < 10; i++)
                strcat(text, "Lorem ipsum dolor sit amet.\n");
        check(text, hashes, occurrences, 11);
}

/* One unit for the letter of two bytes, two for the character beyond 16 bits, one for the stray byte. */
TEST(columns_are_utf16_units)
{
        const char text[] = "\tab\r\n\xd1\x84\xf0\x9f\x98\x80\xff\n";
        ps_line_hash *line;
        uint32_t n;

        assert_int_equal(ps_line_hash_all(&line, &n, text, strlen(text), NULL), PS_OK);
        assert_int_equal(n, 3);
        assert_int_equal(line[0].columns, 3);
        assert_int_equal(line[1].columns, 4);
        assert_int_equal(line[2].columns, 0);
        free(line);
}
