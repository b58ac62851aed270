/* test_columns.c - what a page packs of a run, and how much: four ranks send each other messages as if by
 * chance, of 1, 2, 3 ... bytes. */
#include "report/page/picture.h"
#include "tests/support/draw.h"
#include "tests/support/late_sender.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { RANKS = 4, MESSAGES = 20000 };

static ps_gen *write_run(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        uint64_t now[RANKS] = {0}, seed = 1;
        for (uint32_t rank = 0; rank < RANKS; rank++)
                ps_gen_enter(g, rank, 0, "main");
        for (uint32_t k = 1; k <= MESSAGES; k++) {
                uint32_t from = (uint32_t)draw(&seed, RANKS);
                uint32_t to = (from + 1 + (uint32_t)draw(&seed, RANKS - 1)) % RANKS;
                uint64_t sent = now[from] + 10 + draw(&seed, 5000),
                         received = now[to] + 10 + draw(&seed, 5000);
                now[from] = sent + 10 + draw(&seed, 1000);
                now[to] = (received > now[from] ? received : now[from]) + 10 + draw(&seed, 1000);
                ps_gen_send(g, from, sent, now[from], to, PS_GEN_WORLD, 7, k);
                ps_gen_recv(g, to, received, now[to], from, PS_GEN_WORLD, 7, k);
        }
        for (uint32_t rank = 0; rank < RANKS; rank++)
                ps_gen_leave(g, rank, now[rank] + 10, "main");
        ps_gen_close(g);
        return g;
}

/* To be freed. */
static char *make_page_of(ps_trace *trace, unsigned n_threads, uint32_t packed, bool is_extra)
{
        const ps_analysis_options how = {.definitions = PS_DEFINITIONS_SCALASCA, .n_threads = n_threads};
        const uint32_t usual = ps_picture_most_drawn.packed;
        late_sender f = {.trace = trace};
        ps_output *out;
        ps_error err = {0};
        late_sender_analyse(
                &f, &(ps_report_settings){.trace_path = "t.otf2", .options = &how, .is_extra = is_extra});
        ps_picture_most_drawn.packed = packed;
        assert_int_equal(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, &err), PS_OK);
        assert_int_equal(ps_report_write_html(f.report, out, &err), PS_OK);
        ps_picture_most_drawn.packed = usual;
        char *page = strdup(ps_output_text(out));
        assert_non_null(page);
        ps_output_discard(out);
        ps_report_free(f.report);
        ps_sources_free(f.sources);
        ps_analysis_free(f.analysis);
        return page;
}

static char *make_page(ps_trace *trace, unsigned n_threads, uint32_t packed)
{
        return make_page_of(trace, n_threads, packed, false);
}

static const char *columns_of(const char *page, size_t *n)
{
        static const char mark[] = "id=\"run-columns\">";
        const char *text = strstr(page, mark);
        assert_non_null(text);
        text += strlen(mark);
        *n = (size_t)(strchr(text, '<') - text);
        return text;
}

/* To be freed. */
static unsigned char *from_base64(const char *text, size_t n)
{
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        unsigned char *bytes = malloc(n), *to = bytes;
        assert_non_null(bytes);
        for (size_t i = 0; i < n; i += 4) {
                uint32_t group = 0;
                for (size_t k = 0; k < 4; k++) {
                        const char *letter = strchr(letters, text[i + k]);
                        assert_true(letter || (text[i + k] == '=' && i + 4 == n));
                        group = group << 6 | (letter ? (uint32_t)(letter - letters) : 0);
                }
                for (unsigned shift = 24; shift;)
                        *to++ = (unsigned char)(group >> (shift -= 8));
        }
        return bytes;
}

/* How many bytes the columns before `name` have together, or all. */
static size_t offset_of(const char *page, const char *name)
{
        static const char mark[] = "\"columns\":[";
        const char *at = strstr(page, "\"columns\":[[\"first\"");
        size_t sum = 0;
        char found[32];
        unsigned n, width;
        assert_non_null(at);
        for (at += strlen(mark); sscanf(at, "[\"%31[^\"]\",%u,%u", found, &n, &width) == 3;
             at = strchr(at, ']') + 2) {
                if (name && strcmp(found, name) == 0)
                        break;
                sum += (size_t)n * width;
        }
        return sum;
}

/* To be freed. */
static unsigned char *unpack(const char *page)
{
        size_t n, all = offset_of(page, NULL);
        const char *text = columns_of(page, &n);
        unsigned char *packed = from_base64(text, n), *bytes = malloc(all + 1);
        assert_non_null(bytes);
        z_stream z = {.next_in = packed, .avail_in = (unsigned)(n / 4 * 3), .next_out = bytes};
        z.avail_out = (unsigned)all + 1;
        assert_int_equal(inflateInit2(&z, -15), Z_OK);
        assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
        assert_int_equal(z.total_out, all);
        inflateEnd(&z);
        free(packed);
        return bytes;
}

TEST(columns_are_one_stream_whatever_pieces_they_were_packed_in)
{
        ps_gen *g = write_run();
        ps_trace *trace;
        ps_error err = {0};
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), NULL, &err), PS_OK);
        char *page = make_page(trace, 1, UINT32_MAX);
        size_t all = offset_of(page, NULL), at = offset_of(page, "messageBytes");
        assert_true(all > 1 << 20); /* more than one piece */
        unsigned char *bytes = unpack(page);
        bool is_there[MESSAGES + 1] = {false};
        for (size_t i = 0; i < MESSAGES; i++) {
                size_t size = 0;
                for (size_t plane = 4; plane-- > 0;)
                        size = size << 8 | bytes[at + plane * MESSAGES + i];
                assert_in_range(size, 1, MESSAGES);
                assert_false(is_there[size]);
                is_there[size] = true;
        }
        free(bytes);
        free(page);
        ps_trace_close(trace);
        ps_gen_free(g);
}

TEST(threads_do_not_change_a_page)
{
        ps_gen *g = write_run();
        ps_trace *trace;
        ps_error err = {0};
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), NULL, &err), PS_OK);
        char *one = make_page(trace, 1, UINT32_MAX), *three = make_page(trace, 3, UINT32_MAX);
        assert_true(strcmp(one, three) == 0);
        free(one);
        free(three);
        ps_trace_close(trace);
        ps_gen_free(g);
}

TEST(a_page_that_nobody_asked_for_says_the_same)
{
        ps_gen *g = write_run();
        ps_trace *trace;
        ps_error err = {0};
        size_t n_asked, n_extra;
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), NULL, &err), PS_OK);
        char *asked = make_page(trace, 1, UINT32_MAX), *extra = make_page_of(trace, 1, UINT32_MAX, true);
        unsigned char *a = unpack(asked), *b = unpack(extra);
        assert_true(memcmp(a, b, offset_of(asked, NULL)) == 0);
        (void)columns_of(asked, &n_asked);
        (void)columns_of(extra, &n_extra);
        assert_true(n_extra > n_asked);
        free(a);
        free(b);
        free(asked);
        free(extra);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* What is left out of it then is counted. */
TEST(a_page_keeps_to_its_budget)
{
        static const char none[] = "\"leftOut\":{\"waits\":0,\"waitsNs\":0,\"others\":0,\"othersNs\":0,"
                                   "\"messages\":0,\"collectives\":0}";
        ps_gen *g = write_run();
        ps_trace *trace;
        ps_error err = {0};
        size_t n, n_small;
        uint64_t others = 0, messages = 0;
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), NULL, &err), PS_OK);
        char *page = make_page(trace, 2, UINT32_MAX);
        (void)columns_of(page, &n);
        assert_non_null(strstr(page, none));
        for (unsigned part = 2; part <= 8; part *= 2) {
                char *small = make_page(trace, 2, (uint32_t)(n / 4 * 3 / part));
                (void)columns_of(small, &n_small);
                if (n_small > n / part + 4)
                        fail_msg("a %uth of %zu letters became %zu", part, n, n_small);
                const char *told = strstr(small, "\"leftOut\":");
                assert_non_null(told);
                assert_int_equal(sscanf(told,
                                        "\"leftOut\":{\"waits\":%*u,\"waitsNs\":%*d,\"others\":%" SCNu64
                                        ",\"othersNs\":%*d,\"messages\":%" SCNu64,
                                        &others, &messages),
                                 2);
                assert_true(others); /* waits come first */
                assert_in_range(messages, 1, MESSAGES - 1);
                free(small);
        }
        free(make_page(trace, 2, 1)); /* cannot be kept */
        free(page);
        ps_trace_close(trace);
        ps_gen_free(g);
}
