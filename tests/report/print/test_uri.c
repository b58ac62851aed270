/* test_uri.c - paths as URIs, and relative to a folder. */
#include "report/print/uri.h"
#include "tests/support/test.h"

#include <stdlib.h>

TEST(a_path_is_joined_to_a_folder_by_its_text)
{
        static const char *const cases[][3] = {
                {"/a/b/", "c", "/a/b/c"},
                {"/a/b/", "../c", "/a/c"},
                {"/a/b/", "./x//y/../z", "/a/b/x/z"},
                {"/a/b/", "../../../../c", "/c"},
                {"/", "x", "/x"},
                {"/a/", "..b/c..", "/a/..b/c.."},
                {"/a/", "b/.", "/a/b"},
                {"/a/b/", "../b/c", "/a/b/c"},
        };
        for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char *whole = ps_path_join(cases[i][0], cases[i][1]);
                assert_string_equal(whole, cases[i][2]);
                free(whole);
        }
}
