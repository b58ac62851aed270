/* test_record.c - a table makes JSON, CSV and a schema; the writer's styles. */
#include "report/print/record.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sizes[] = {"small", "large"};

typedef struct pair {
        int x, y;
} pair;

typedef struct thing {
        const char *name, *owner, *colour;
        unsigned weight, at, n;
        const uint32_t *part;
        ps_time time;
        uint32_t partner;
        pair pair;
        const struct pair *other;
        double ratio;
} thing;

typedef struct things {
        const char *title;
        unsigned factor;
        thing row[2];
} things;

#define RECORD     pair
#define RECORD_DEF "tests/report/print/pair.def"
#define RECORD_IT  pair
#define RECORD_DOC "two of them"
#include "report/print/make_record.def"

#define RECORD     thing
#define RECORD_DEF "tests/report/print/thing.def"
#define RECORD_IN  unsigned
#define RECORD_IT  thing
#define RECORD_DOC "a thing"
#include "report/print/make_record.def"

static void put_things(ps_row *to, const char *key, const things *all)
{
        ps_records table = ps_records_open(to, key, &ps_record_thing);

        for (int i = 0; i < 2; i++)
                ps_records_row(&table, &all->factor, &all->row[i]);
        ps_records_close(&table);
}

#define RECORD     things
#define RECORD_DEF "tests/report/print/things.def"
#define RECORD_IT  things
#define RECORD_DOC "all things"
#include "report/print/make_record.def"

static const uint32_t parts[] = {7, 8};
static const things all = {"all",
                           3,
                           {{.name = "=a \"b\"",
                             .weight = 4,
                             .colour = "red",
                             .at = 5,
                             .n = 2,
                             .part = parts,
                             .time = PS_PS_PER_S,
                             .partner = 6,
                             .pair = {-1, 1},
                             .other = &(pair){2, 0}},
                            {.name = "c", .owner = "me", .partner = PS_NONE, .part = parts, .ratio = NAN}}};

static void check(ps_output *out, const char *expected)
{
        assert_string_equal(ps_output_text(out), expected);
        ps_output_clear(out);
}

TEST(a_record_is_printed_in_each_form)
{
        ps_output *out;

        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        ps_record_put(&(ps_row){.out = out}, NULL, &ps_record_things, NULL, &all);
        check(out,
              "{\"title\": \"all\", \"things\": [\n"
              "{\"name\": \"=a \\\"b\\\"\", \"owner\": null, \"weight\": 12, \"colour\": \"red\", "
              "\"size\": \"small\", "
              "\"at\": 5, \"parts\": [7, 8], \"inner\": {\"time_s\": 1, \"partner\": 6}, \"x\": -1, "
              "\"y\": true, "
              "\"other\": {\"x\": 2, \"y\": false}, \"pairs\": [], \"maybe\": null, \"last\": true},\n"
              "{\"name\": \"c\", \"owner\": \"me\", \"weight\": null, \"size\": \"small\", \"at\": "
              "null, \"parts\": [], "
              "\"inner\": {\"time_s\": 0, \"partner\": null}, \"x\": 0, \"y\": false, \"other\": null, "
              "\"pairs\": [], \"maybe\": {\"time_s\": 0, \"deeper\": {\"ratio\": null}, \"real\": null}, "
              "\"last\": true}\n"
              "]}");
        const ps_field *table = ps_record_table(&ps_record_things, "things", 6);
        assert_non_null(table);
        ps_record_write_csv(out, &ps_record_things, table, NULL, &all);
        check(out,
              "name,owner,weight,colour,size,at,inner_time_s,partner,x,y,owners_time_s,ratio,real,last\r\n"
              "\"'=a \"\"b\"\"\",,12,red,small,5,1,6,-1,true,1,0,0,true\r\n"
              "\"c\",\"me\",,,small,,0,,0,false,0,,,true\r\n");
        assert_null(ps_record_table(&ps_record_things, "title", 5));
        assert_null(ps_record_table(&ps_record_things, "thing", 5));
        ps_output_discard(out);
}

TEST(a_record_has_a_schema)
{
        ps_output *out;

        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        ps_schema_write(out, &ps_record_thing);
        check(out,
              "{\n\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n\"description\": \"a thing\",\n"
              "\"type\": \"object\",\n\"required\": [\"name\", \"owner\", \"weight\", \"size\", \"at\", "
              "\"parts\", \"inner\", "
              "\"x\", \"y\", \"other\", \"pairs\", \"maybe\", \"last\"],\n\"properties\": {\n"
              "\"name\": {\"description\": \"what it is called\", \"type\": \"string\", \"minLength\": 1},\n"
              "\"owner\": {\"type\": [\"string\", \"null\"], \"minLength\": 1},\n"
              "\"weight\": {\"type\": [\"integer\", \"null\"], \"minimum\": 0},\n"
              "\"colour\": {\"description\": \"of some\", \"type\": \"string\", \"minLength\": 1},\n"
              "\"size\": {\"enum\": [\"small\", \"large\"]},\n"
              "\"at\": {\"type\": [\"integer\", \"null\"], \"minimum\": 1},\n"
              "\"parts\": {\"type\": \"array\", \"items\": {\"type\": \"integer\", \"minimum\": 0}},\n"
              "\"inner\": {\"type\": \"object\", \"required\": [\"time_s\", \"partner\"], \"properties\": {\n"
              "\"time_s\": {\"type\": \"number\", \"minimum\": 0},\n"
              "\"partner\": {\"type\": [\"integer\", \"null\"], \"minimum\": 0}\n}},\n"
              "\"x\": {\"type\": \"integer\"},\n\"y\": {\"type\": \"boolean\"},\n"
              "\"other\": {\"anyOf\": [{\"$ref\": \"#/definitions/pair\"}, {\"type\": \"null\"}]},\n"
              "\"pairs\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/pair\"}},\n"
              "\"maybe\": {\"description\": \"of what somebody owns\", \"type\": [\"object\", \"null\"], "
              "\"required\": [\"time_s\", \"deeper\", \"real\"], \"properties\": {\n"
              "\"time_s\": {\"type\": \"number\", \"minimum\": 0},\n"
              "\"deeper\": {\"type\": \"object\", \"required\": [\"ratio\"], \"properties\": {\n"
              "\"ratio\": {\"type\": [\"number\", \"null\"]}\n}},\n"
              "\"real\": {\"type\": [\"number\", \"null\"]}\n}},\n"
              "\"last\": {\"description\": \"stands behind what may be passed over\", \"type\": "
              "\"boolean\"}\n"
              "},\n"
              "\"definitions\": {\n\"pair\": {\n\"description\": \"two of them\",\n\"type\": \"object\",\n"
              "\"required\": [\"x\", \"y\"],\n\"properties\": {\n\"x\": {\"type\": \"integer\"},\n"
              "\"y\": {\"type\": \"boolean\"}\n}\n}\n}\n}\n");
        ps_output_discard(out);
}

static void put_styled(ps_row row)
{
        ps_row_open_lines(&row, NULL, '{');
        ps_row_u64(&row, "a", 1);
        ps_row_open_compact(&row, "b", '[');
        ps_row_open(&row, NULL, '{');
        ps_row_exact_text(&row, "c", "\x01\n\"");
        ps_row_real(&row, "d", 0.1);
        ps_row_close(&row, '}');
        ps_row_close(&row, ']');
        ps_row_exact_key(&row, "e\"");
        ps_row_null(&row, NULL);
        ps_row_close(&row, '}');
}

TEST(rows_have_styles)
{
        ps_output *out;

        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        put_styled((ps_row){.out = out});
        check(out, "{\n\"a\": 1,\n\"b\": [{\"c\":\"\\u0001\\n\\\"\",\"d\":0.1}],\n\"e\\\"\": null\n}");
        put_styled((ps_row){.out = out, .style = PS_ROW_INDENTED});
        check(out,
              "{\n\t\"a\":\t1,\n\t\"b\":\t[{\n\t\t\t\"c\":\t\"\\u0001\\n\\\"\",\n\t\t\t\"d\":\t0.1\n\t\t}],\n"
              "\t\"e\\\"\":\tnull\n}");
        ps_output_discard(out);
}

/* -- what rows have in common -- */

typedef struct twin {
        uint64_t number, kind;
        const char *word;
} twin;

/* What is odd has its own. */
static uint64_t kind_of(const void *in, const void *it)
{
        uint64_t kind = ((const twin *)it)->kind;
        (void)in;
        return kind % 2 ? PS_SAME_AS_NONE : kind;
}

static unsigned twin_threads = 1;

static unsigned threads_of(const void *in)
{
        (void)in;
        return twin_threads;
}

#define RECORD_SAME    SAME(kind, word, kind_of)
#define RECORD_THREADS threads_of
#define RECORD         twin
#define RECORD_DEF     "tests/report/print/twin.def"
#define RECORD_IT      twin
#define RECORD_DOC     "one of many"
#include "report/print/make_record.def"

enum { TWINS = 3000, FEW_TWINS = 10 };

static twin *new_twins(void)
{
        static const char *const words[] = {"a \"word\"", NULL, "another one, which is longer than most are"};
        twin *row = calloc(TWINS, sizeof(*row));
        assert_non_null(row);
        for (unsigned i = 0; i < TWINS; i++)
                row[i] = (twin){i, i % 4, words[i % 4 % 3]};
        return row;
}

static void put_twins(ps_output *out, const twin *row, size_t n, ps_row_style style)
{
        ps_records_put(&(ps_row){.out = out, .style = style}, NULL, &ps_record_twin, NULL, row, n,
                       sizeof(*row));
}

static int gather(void *to, const char *bytes, size_t n)
{
        ps_output_write(to, bytes, n);
        return 0;
}

/* Much at once is not gathered, but comes in its turn. */
TEST(much_at_once_comes_behind_what_was_gathered)
{
        enum { MANY = 3 * PS_OUTPUT_ROOM };
        char many[MANY + 1], *whole = malloc(MANY + sizeof("<>"));
        ps_output *out, *taker;
        memset(many, 'm', MANY);
        many[MANY] = '\0';
        assert_non_null(whole);
        snprintf(whole, MANY + sizeof("<>"), "<%s>", many);
        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        assert_int_equal(ps_output_open_taker(&taker, gather, out, 80, false, NULL), PS_OK);
        ps_output_putc(taker, '<');
        ps_output_write(taker, many, MANY);
        ps_output_putc(taker, '>');
        assert_int_equal(ps_output_commit(taker, NULL), PS_OK);
        assert_string_equal(ps_output_text(out), whole);
        ps_output_discard(out);
        free(whole);
}

/* The member of the second row is never looked at: it is known by its key. */
TEST(what_many_rows_have_in_common_is_written_once)
{
        ps_output *out;
        twin *row = new_twins();
        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        row[4].word = row[5].word = "other";
        put_twins(out, row, TWINS, PS_ROW_SPACED);
        assert_non_null(
                strstr(ps_output_text(out),
                       "{\"number\": 4, \"kind\": 0, \"word\": \"a \\\"word\\\"\", \"last\": false},\n"
                       "{\"number\": 5, \"kind\": 1, \"word\": \"other\", \"last\": false},\n"));
        ps_output_discard(out);
        free(row);
}

/* The reference: each row by itself. */
static ps_output *twins_alone(const twin *row)
{
        ps_output *alone;
        assert_int_equal(ps_output_open_memory(&alone, 80, NULL), PS_OK);
        ps_output_putc(alone, '[');
        for (unsigned i = 0; i < TWINS; i++) {
                ps_output_puts(alone, i ? ",\n" : "\n");
                ps_record_put(&(ps_row){.out = alone}, NULL, &ps_record_twin, NULL, &row[i]);
        }
        ps_output_puts(alone, "\n]");
        return alone;
}

/* A buffer is given away again and again in the middle of a row. */
TEST(many_rows_with_something_in_common_are_written_like_each_alone)
{
        ps_output *out, *taker;
        twin *row = new_twins();
        ps_output *alone = twins_alone(row);
        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        for (twin_threads = 1; twin_threads <= 4; twin_threads++) {
                assert_int_equal(ps_output_open_taker(&taker, gather, out, 80, false, NULL), PS_OK);
                put_twins(taker, row, TWINS, PS_ROW_SPACED);
                assert_int_equal(ps_output_commit(taker, NULL), PS_OK);
                check(out, ps_output_text(alone));
        }
        twin_threads = 1;
        ps_output_discard(out);
        ps_output_discard(alone);
        free(row);
}

/* No more than a buffer that is full. */
static int gather_some(void *to, const char *bytes, size_t n)
{
        enum { MOST = 1 << 16 };
        if (ps_output_gathered(to) + n > MOST)
                return -1;
        return gather(to, bytes, n);
}

TEST(several_threads_write_nothing_behind_what_could_not_be_written)
{
        ps_output *out, *taker;
        ps_error err = {0};
        twin *row = new_twins();
        ps_output *alone = twins_alone(row);
        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        assert_int_equal(ps_output_open_taker(&taker, gather_some, out, 80, false, NULL), PS_OK);
        twin_threads = 3;
        put_twins(taker, row, TWINS, PS_ROW_SPACED);
        twin_threads = 1;
        assert_int_equal(ps_output_commit(taker, &err), PS_E_OUTPUT);
        const size_t n = ps_output_gathered(out);
        assert_true(n > 0 && n < ps_output_gathered(alone));
        assert_memory_equal(ps_output_text(out), ps_output_text(alone), n);
        ps_output_discard(out);
        ps_output_discard(alone);
        free(row);
}

TEST(few_rows_and_tables_of_csv_are_written_one_by_one)
{
        ps_output *out;
        twin *row = new_twins();
        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        row[4].word = "other";
        put_twins(out, row, FEW_TWINS, PS_ROW_SPACED);
        assert_non_null(strstr(ps_output_text(out), "\"kind\": 0, \"word\": \"other\", \"last\""));
        ps_output_clear(out);
        put_twins(out, row, TWINS, PS_ROW_CSV);
        assert_non_null(strstr(ps_output_text(out), "\r\n4,0,\"other\",false\r\n5,1,,false\r\n"));
        ps_output_discard(out);
        free(row);
}
