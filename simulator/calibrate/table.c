/* table.c - reads a table of round trips: a line each, words separated by blanks, # begins a comment.
 *
 *   patscan-rtt 1
 *   processes 3
 *   node 0 host-a                      (the processes of one node have the same word)
 *   pair 0 1 BYTES LEAST [TENTH MEDIAN REPETITIONS]
 *   triple 0 1 2 BYTES LEAST [...]     (0 is the root)
 *   scatter PROCESSES BYTES LEAST [...]
 *   gather PROCESSES BYTES LEAST [TENTH MEDIAN REPETITIONS [ESCALATED EXCESS]]
 *
 * Times are seconds. */
#include "simulator/calibrate/table.h"
#include "core/base/hash.h"
#include "core/base/number.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 10, SHOWN = 40 };

static const char magic[] = "patscan-rtt";
static const double most_bytes = 0x1p53, most_s = 1e6;

static const struct kind {
        const char *word;
        unsigned n_ranks;
} kinds[PS_RTT_KINDS] = {{"pair", 2}, {"triple", 3}, {"scatter", 1}, {"gather", 1}};

typedef struct reader {
        ps_rtt_table *table;
        uint64_t *node_hash; /* by rank */
        const char *path;
        ps_error *err;
        uint32_t line;
        const char *word[WORDS_MAX];
        size_t len[WORDS_MAX];
        unsigned n_words;
} reader;

/* -- words -- */

static ps_status reject(const reader *r, unsigned word, const char *why)
{
        char found[SHOWN + 1] = "";
        size_t n = word < r->n_words ? r->len[word] : 0;
        n = n < SHOWN ? n : SHOWN;
        for (size_t i = 0; i < n; i++) {
                char c = r->word[word][i];
                found[i] = (char)(c > ' ' && c < 127 && c != '"' ? c : '?');
        }
        found[n] = '\0';
        return PS_FAIL(
                r->err, PS_E_INPUT,
                "cannot read the round trips: path=\"%.100s\", line=%u, word=%u, found=\"%s\", reason=\"%s\"",
                r->path, r->line, word + 1, found, why);
}

static bool is_blank(char c)
{
        return c == ' ' || c == '\t' || c == '\r';
}

/* The line's words without its comment; one too many is kept, so that it is seen. */
static void split_words(reader *r, const char *text, size_t len)
{
        r->n_words = 0;
        for (size_t i = 0; i < len && r->n_words < WORDS_MAX;) {
                while (i < len && is_blank(text[i]))
                        i++;
                if (i == len || text[i] == '#')
                        return;
                size_t first = i;
                while (i < len && !is_blank(text[i]))
                        i++;
                r->word[r->n_words] = text + first;
                r->len[r->n_words++] = i - first;
        }
}

static bool is_word(const reader *r, unsigned i, const char *text)
{
        return i < r->n_words && r->len[i] == strlen(text) && !memcmp(r->word[i], text, r->len[i]);
}

static ps_status read_table_number(const reader *r, unsigned i, double least, double most, bool is_whole,
                                   double *out)
{
        if (i >= r->n_words)
                return reject(r, i, "a number is missing");
        size_t sign = *r->word[i] == '-';
        if (!ps_number_is(r->word[i] + sign, r->len[i] - sign, out))
                return reject(r, i, "it is no number");
        if (sign || !(*out >= least && *out <= most))
                return reject(r, i, "the number is out of range");
        return !is_whole || *out == floor(*out) ? PS_OK : reject(r, i, "the number is not whole");
}

static ps_status read_count(const reader *r, unsigned i, uint32_t least, uint32_t most, uint32_t *out)
{
        double value = 0;
        PS_TRY(read_table_number(r, i, least, most, 1, &value));
        *out = (uint32_t)value;
        return PS_OK;
}

/* -- lines -- */

static ps_status read_processes(reader *r)
{
        uint32_t n = 0;
        PS_TRY(r->table->n_ranks ? reject(r, 0, "processes are given twice")
                                 : read_count(r, 1, 1, PS_RTT_RANKS_MAX, &n));
        assert(n > 0);
        r->table->node_of_rank = calloc(n, sizeof(*r->table->node_of_rank));
        r->node_hash = calloc(n, sizeof(*r->node_hash));
        if (!r->table->node_of_rank || !r->node_hash)
                return PS_NOMEM(r->err, "processes", n);
        r->table->n_ranks = n;
        return r->n_words == 2 ? PS_OK : reject(r, 2, "there is more than a number");
}

static ps_status read_node(reader *r)
{
        uint32_t rank = 0;
        PS_TRY(read_count(r, 1, 0, r->table->n_ranks - 1, &rank));
        if (r->n_words != 3)
                return reject(r, 2, "there must be one word for the node");
        if (r->node_hash[rank])
                return reject(r, 1, "the node of this process is given twice");
        r->node_hash[rank] = ps_hash_bytes(r->word[2], r->len[2]) | 1;
        r->table->has_nodes = true;
        return PS_OK;
}

static ps_status read_ranks(reader *r, ps_rtt_row *row)
{
        unsigned n = kinds[row->kind].n_ranks;
        if (row->kind == PS_RTT_SCATTER || row->kind == PS_RTT_GATHER)
                return read_count(r, 1, 2, 1 << 20, &row->rank[0]);
        for (unsigned i = 0; i < n; i++) {
                PS_TRY(read_count(r, 1 + i, 0, r->table->n_ranks - 1, &row->rank[i]));
                for (unsigned j = 0; j < i; j++)
                        if (row->rank[j] == row->rank[i])
                                return reject(r, 1 + i, "a process is there twice");
        }
        return PS_OK;
}

/* A pair is the same from both ends, and so are the two that a root sends to. */
static void put_in_order(ps_rtt_row *row)
{
        unsigned last = kinds[row->kind].n_ranks - 1;
        uint32_t kept = row->rank[last];
        if (last && row->rank[last - 1] > kept) {
                row->rank[last] = row->rank[last - 1];
                row->rank[last - 1] = kept;
        }
}

static ps_status add_table_row(reader *r, const ps_rtt_row *row)
{
        ps_rtt_table *t = r->table;
        if (t->n == PS_RTT_ROWS_MAX)
                return reject(r, 0, "there are too many rows");
        return PS_APPEND(t->row, t->n, t->room, *row) ? PS_NOMEM(r->err, "rows", t->n) : PS_OK;
}

static ps_status read_escalations(const reader *r, ps_rtt_row *row, unsigned at)
{
        double escalated = 0;
        PS_TRY(read_table_number(r, at, 0, (double)row->repetitions, 1, &escalated));
        PS_TRY(read_table_number(r, at + 1, 0, most_s, 0, &row->excess_s));
        row->escalated = (uint64_t)escalated;
        return r->n_words == at + 2 ? PS_OK : reject(r, at + 2, "the line goes on");
}

static ps_status read_times(reader *r, ps_rtt_row *row, unsigned at)
{
        double least = 1e-12, repetitions = 0;
        PS_TRY(read_table_number(r, at, least, most_s, 0, &row->least_s));
        row->tenth_s = row->median_s = NAN;
        if (r->n_words == at + 1)
                return PS_OK;
        PS_TRY(read_table_number(r, at + 1, row->least_s, most_s, 0, &row->tenth_s));
        PS_TRY(read_table_number(r, at + 2, row->tenth_s, most_s, 0, &row->median_s));
        PS_TRY(read_table_number(r, at + 3, 1, 1e15, 1, &repetitions));
        row->repetitions = (uint64_t)repetitions;
        if (row->kind == PS_RTT_GATHER && r->n_words > at + 4)
                return read_escalations(r, row, at + 4);
        return r->n_words == at + 4 ? PS_OK : reject(r, at + 4, "the line goes on");
}

static ps_status read_row(reader *r, ps_rtt_kind kind)
{
        ps_rtt_row row = {.kind = (uint8_t)kind, .line = r->line};
        unsigned at = 1 + kinds[kind].n_ranks;
        PS_TRY(read_ranks(r, &row));
        PS_TRY(read_table_number(r, at, 0, most_bytes, 1, &row.bytes));
        PS_TRY(read_times(r, &row, at + 1));
        put_in_order(&row);
        return add_table_row(r, &row);
}

static ps_status read_table_line(reader *r)
{
        if (is_word(r, 0, "processes"))
                return read_processes(r);
        for (unsigned kind = 0; kind <= PS_RTT_KINDS; kind++) {
                if (!is_word(r, 0, kind < PS_RTT_KINDS ? kinds[kind].word : "node"))
                        continue;
                if (!r->table->n_ranks)
                        return reject(r, 0, "the number of processes must come first");
                return kind < PS_RTT_KINDS ? read_row(r, (ps_rtt_kind)kind) : read_node(r);
        }
        return reject(r, 0, "it is not processes, node, pair, triple, scatter or gather");
}

static ps_status read_magic(reader *r)
{
        if (!is_word(r, 0, magic))
                return reject(r, 0, "the first word must be patscan-rtt");
        return is_word(r, 1, "1") && r->n_words == 2 ? PS_OK : reject(r, 1, "only version 1 is known");
}

/* -- the whole -- */

static int by_place(const void *a, const void *b)
{
        const ps_rtt_row *p = a, *q = b;
        PS_ORDER_BY(p->kind, q->kind);
        for (int i = 0; i < 3; i++)
                PS_ORDER_BY(p->rank[i], q->rank[i]);
        PS_ORDER_BY(p->bytes, q->bytes);
        PS_ORDER_BY(p->least_s, q->least_s);
        return PS_ORDER(p->line, q->line);
}

/* Processes have the number of the first one of their node. */
static void number_nodes(const reader *r)
{
        for (uint32_t i = 0; i < r->table->n_ranks; i++) {
                uint32_t first = 0;
                while (first < i && (!r->node_hash[i] || r->node_hash[first] != r->node_hash[i]))
                        first++;
                r->table->node_of_rank[i] = first;
        }
}

static ps_status read_all(reader *r, const char *text, size_t len)
{
        bool is_begun = false;
        for (size_t at = 0; at < len;) {
                const char *end = memchr(text + at, '\n', len - at);
                size_t n = end ? (size_t)(end - (text + at)) : len - at;
                r->line++;
                split_words(r, text + at, n < PS_RTT_LINE_MAX ? n : PS_RTT_LINE_MAX);
                if (n > PS_RTT_LINE_MAX)
                        return reject(r, 0, "the line is too long");
                else if (r->n_words && !is_begun)
                        PS_TRY(read_magic(r));
                else if (r->n_words)
                        PS_TRY(read_table_line(r));
                is_begun |= r->n_words != 0;
                at += n + 1;
        }
        if (!r->table->n)
                return PS_FAIL(r->err, PS_E_INPUT,
                               "cannot read the round trips: path=\"%.100s\", reason=\"there are none\"",
                               r->path);
        return PS_OK;
}

ps_status ps_rtt_parse(ps_rtt_table **out, const char *text, size_t len, const char *path, ps_error *err)
{
        ps_rtt_table *table = calloc(1, sizeof(*table));
        reader r = {.table = table, .path = path, .err = err};
        *out = NULL;
        if (!table)
                return PS_NOMEM(err, "round trips", 1);
        ps_status status = read_all(&r, text, len);
        if (status == PS_OK) {
                number_nodes(&r);
                qsort(table->row, table->n, sizeof(*table->row), by_place);
                *out = table;
        } else {
                ps_rtt_free(table);
        }
        free(r.node_hash);
        return status;
}

void ps_rtt_free(ps_rtt_table *table)
{
        if (!table)
                return;
        free(table->row);
        free(table->node_of_rank);
        free(table);
}

bool ps_rtt_is_table(const char *text, size_t len)
{
        size_t at = 0;
        while (at < len && (is_blank(text[at]) || text[at] == '\n' || text[at] == '#')) {
                if (text[at] == '#')
                        while (at + 1 < len && text[at + 1] != '\n')
                                at++;
                at++;
        }
        return len - at >= sizeof(magic) - 1 && !memcmp(text + at, magic, sizeof(magic) - 1);
}

double ps_rtt_time(const ps_rtt_row *row)
{
        bool is_few = row->repetitions && row->repetitions < 10;
        return is_few && !isnan(row->tenth_s) ? row->tenth_s : row->least_s;
}

void ps_rtt_range(const ps_rtt_table *table, ps_rtt_kind kind, size_t *first, size_t *end)
{
        for (*first = 0; *first < table->n && table->row[*first].kind != kind;)
                ++*first;
        for (*end = *first; *end < table->n && table->row[*end].kind == kind;)
                ++*end;
}
