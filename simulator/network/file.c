/* file.c - graph files: `NODES`, then for each node `ID (NEIGHBOUR WEIGHT)* -1`.
 *
 * A stream of tokens, as in Martinaitis 6.2.1; lines mean nothing but to the reader of a message. Whoever
 * forgets a -1 makes tokens change their meaning, hence the checks of each one: the mistake is then found at
 * most a node later. */
#include "simulator/network/internal.h"

#include "core/base/file.h"
#include "core/base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 40, SHOWN = 24, SMALLEST_NODE = 4 /* bytes: "0 -1" */ };

static const size_t largest_file = (size_t)256 << 20;

typedef struct text_reader {
        const char *path, *at, *end;
        uint32_t line, column; /* of `at`, from 1 */
        const char *token;     /* not terminated */
        size_t len;            /* 0: the end of the file */
        uint32_t token_line, token_column;
        uint32_t n_nodes;
        uint32_t *line_of;   /* by node: where it was described, or 0 */
        uint32_t *linked_by; /* by node: the last one that named it a neighbour, plus 1 */
        ps_network_edges edges;
        ps_error *err;
} text_reader;

bool ps_network_whole(const char *text, size_t len, uint32_t max, uint32_t *out)
{
        uint64_t value = 0;
        if (len == 0)
                return 0;
        for (size_t i = 0; i < len; i++) {
                if (text[i] < '0' || text[i] > '9')
                        return 0;
                value = value * 10 + (uint64_t)(text[i] - '0');
                if (value > max)
                        return 0;
        }
        *out = (uint32_t)value;
        return 1;
}

/* Within limits that keep every product and quotient of weights a number. */
bool ps_network_weight(const char *text, size_t len, double *out)
{
        return len <= LONGEST_NUMBER && ps_number_is(text, len, out) && *out >= 1e-100 && *out <= 1e100;
}

static bool is_blank(char c)
{
        return c == ' ' || (c >= '\t' && c <= '\r');
}

static void next_token(text_reader *r)
{
        for (; r->at < r->end && is_blank(*r->at); r->at++) {
                r->column = *r->at == '\n' ? 1 : r->column + 1;
                r->line += *r->at == '\n';
        }
        r->token = r->at;
        r->token_line = r->line;
        r->token_column = r->column;
        while (r->at < r->end && !is_blank(*r->at))
                r->at++;
        r->len = (size_t)(r->at - r->token);
        r->column += (uint32_t)r->len;
}

static bool token_is(const text_reader *r, const char *text)
{
        return r->len == strlen(text) && !memcmp(r->token, text, r->len);
}

static ps_status reject(const text_reader *r, const char *why)
{
        char found[SHOWN + 1];
        size_t n = r->len < SHOWN ? r->len : SHOWN;
        for (size_t i = 0; i < n; i++)
                found[i] = (char)(r->token[i] > ' ' && r->token[i] < 127 && r->token[i] != '"' ? r->token[i]
                                                                                               : '?');
        found[n] = 0;
        (void)PS_FAIL(r->err, PS_E_INPUT, "%s: line=%u, column=%u, found=%s%s%s", why, r->token_line,
                      r->token_column, n ? "\"" : "", n ? found : "end of file", n ? "\"" : "");
        return PS_CAUSE(r->err, PS_E_INPUT, "cannot read the network: path=\"%s\"", r->path);
}

static ps_status read_link(text_reader *r, uint32_t node)
{
        uint32_t neighbour;
        double weight;
        if (!ps_network_whole(r->token, r->len, r->n_nodes - 1, &neighbour))
                return reject(r, "neighbour must be a node or -1");
        if (neighbour == node)
                return reject(r, "a node has a link to itself");
        if (r->linked_by[neighbour] == node + 1)
                return reject(r, "a node has two links to the same neighbour (or a -1 is missing before)");
        r->linked_by[neighbour] = node + 1;
        next_token(r);
        if (!ps_network_weight(r->token, r->len, &weight))
                return reject(r, token_is(r, "-1") ? "a neighbour has no weight (or a -1 is missing before)"
                                                   : "weight must be a positive number (1e-100 to 1e100)");
        return ps_network_edges_add(&r->edges, node, neighbour, weight, r->err);
}

static ps_status read_node(text_reader *r)
{
        uint32_t node;
        next_token(r);
        if (r->len == 0)
                return reject(r, "there are fewer nodes than the first number says");
        if (!ps_network_whole(r->token, r->len, r->n_nodes - 1, &node))
                return reject(r, "node must be a number below the count of nodes");
        if (r->line_of[node])
                return reject(r, "a node is described twice");
        r->line_of[node] = r->token_line;
        for (next_token(r); !token_is(r, "-1"); next_token(r)) {
                if (r->len == 0)
                        return reject(r, "the -1 after a node is missing");
                PS_TRY(read_link(r, node));
        }
        return PS_OK;
}

static ps_status read_count(text_reader *r)
{
        next_token(r);
        if (!ps_network_whole(r->token, r->len, PS_NETWORK_NODES_MAX, &r->n_nodes) || r->n_nodes == 0)
                return reject(r, "count of nodes must be a number from 1 to 1048576");
        if (r->n_nodes > (size_t)(r->end - r->at) / SMALLEST_NODE)
                return reject(r, "there are fewer nodes than the first number says");
        r->line_of = calloc(r->n_nodes, sizeof *r->line_of);
        r->linked_by = calloc(r->n_nodes, sizeof *r->linked_by);
        return r->line_of && r->linked_by ? PS_OK : PS_NOMEM(r->err, "nodes", r->n_nodes);
}

ps_status ps_network_parse(ps_network **out, const char *path, const char *text, size_t len, ps_error *err)
{
        text_reader r = {.path = path, .at = text, .end = text + len, .line = 1, .column = 1, .err = err};
        ps_status status = read_count(&r);
        for (uint32_t i = 0; i < r.n_nodes && status == PS_OK; i++)
                status = read_node(&r);
        if (status != PS_OK)
                goto out;
        next_token(&r);
        if (r.len > 0) {
                status = reject(&r, "there is something behind the last node");
                goto out;
        }
        status = ps_network_build(out, r.n_nodes, &r.edges, NULL, err);
        r.edges = (ps_network_edges){0};
out:
        free(r.line_of);
        free(r.linked_by);
        free(r.edges.row);
        return status;
}

/* -- the file itself -- */

ps_status ps_network_read(ps_network **out, const char *path, ps_error *err)
{
        char *text = NULL;
        size_t len = 0;
        PS_TRY(ps_file_read(&text, &len, ps_file_open(path), largest_file, "network", path, err));
        ps_status status = ps_network_parse(out, path, text, len, err);
        free(text);
        return status;
}
