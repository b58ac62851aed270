/* test_region_dvm.c - what a region of a DVM program is, as words and back. */
#include "core/model/region_dvm.h"
#include "tests/support/test.h"

#include <string.h>

TEST(words_are_read_back)
{
        const ps_region_dvm parts[] = {
                {0},
                {.copies = 4},
                {.copies = UINT32_MAX, .purpose = PS_FOR_REMOTE_ACCESS, .counts = 1},
                {.purpose = PS_FOR_SHADOW},
                {.mark = PS_MARK_USER, .has_index = 1, .index = INT64_MIN},
                {.mark = PS_MARK_LOOP},
        };
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
                char room[PS_REGION_DVM_ROOM];
                ps_region_dvm back = ps_region_dvm_parse(ps_region_dvm_text(room, &parts[i]));
                assert_true(strlen(room) < PS_REGION_DVM_ROOM - 1);
                assert_true(ps_region_dvm_is_same(&back, &parts[i]));
        }
}

TEST(other_texts_are_nothing)
{
        static const char *const texts[] = {"",
                                            "MPI_Wait",
                                            "dvm:",
                                            "dvm: copies=0",
                                            "dvm: copies=4294967296",
                                            "dvm: copies=4x",
                                            "dvm: copies=",
                                            "dvm: copies",
                                            "dvm: purpose=",
                                            "dvm: purpose=shadows",
                                            "dvm: interval=none index=1",
                                            "dvm: index=",
                                            "dvm: purpose=shadow colour=red"};
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                ps_region_dvm part = ps_region_dvm_parse(texts[i]);
                if (ps_region_dvm_is_any(&part))
                        fail_msg("\"%s\" means something", texts[i]);
        }
}
