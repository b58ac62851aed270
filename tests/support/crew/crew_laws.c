/* crew_laws.c - see crew_laws.h. */
#include "tests/support/crew/crew_laws.h"

#include "core/exchange/rows.h"
#include "core/exchange/tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than a block, and no multiple of it. */
enum { LONG = PS_EXCHANGE_BLOCK + 12345 };

/* What process `from` has for process `to`: a byte at a time, and how many of them. */
static uint8_t byte_of(uint32_t from, uint32_t to, size_t i)
{
        return (uint8_t)(17 * from + 5 * to + i % 251);
}

static size_t amount_of(uint32_t from, uint32_t to)
{
        return from == 1 && to == 0 ? LONG : (size_t)(from * to) * 100;
}

static bool is_as_sent(const uint8_t *bytes, size_t n, uint32_t from, uint32_t to)
{
        if (n != amount_of(from, to))
                return false;
        for (size_t i = 0; i < n; i++)
                if (bytes[i] != byte_of(from, to, i))
                        return false;
        return true;
}

static void fill(uint8_t *bytes, uint32_t from, uint32_t to)
{
        for (size_t i = 0; i < amount_of(from, to); i++)
                bytes[i] = byte_of(from, to, i);
}

static const char *broadcast_reaches_all(ps_exchange *x)
{
        uint8_t *bytes = calloc(LONG, 1);
        bool same = bytes != NULL;
        if (bytes && !x->rank)
                memset(bytes, 42, LONG);
        ps_exchange_broadcast(x, bytes, LONG);
        for (size_t i = 0; same && i < LONG; i++)
                same = bytes[i] == 42;
        free(bytes);
        return same ? NULL : "a broadcast reaches all";
}

static const char *gather_keeps_the_order(ps_exchange *x)
{
        ps_pile pile;
        size_t n = amount_of(x->rank, 0);
        uint8_t *mine = malloc(n + 1);
        bool good = mine != NULL;
        if (mine)
                fill(mine, x->rank, 0);
        good = ps_exchange_gather(x, &pile, mine, n, NULL) == PS_OK && good;
        for (uint32_t p = 0; good && !x->rank && p < x->size; p++) {
                const uint8_t *part = ps_pile_part(&pile, p, &n);
                good = is_as_sent(part, n, p, 0);
        }
        ps_pile_clear(&pile);
        free(mine);
        return good ? NULL : "what is gathered is in the order of the processes";
}

static const char *deal_gives_each_his_own(ps_exchange *x)
{
        ps_pile out = {NULL, calloc(x->size, sizeof(size_t))}, in = {NULL, NULL};
        size_t n = 0;
        for (uint32_t p = 0; p < x->size; p++)
                out.end[p] = n += amount_of(x->rank, p);
        out.bytes = malloc(n + 1);
        for (uint32_t p = 0; p < x->size; p++)
                fill(out.bytes + (p ? out.end[p - 1] : 0), x->rank, p);
        bool good = ps_exchange_deal(x, &in, &out, NULL) == PS_OK;
        for (uint32_t p = 0; good && p < x->size; p++) {
                const uint8_t *part = ps_pile_part(&in, p, &n);
                good = is_as_sent(part, n, p, x->rank);
        }
        ps_pile_clear(&out);
        ps_pile_clear(&in);
        return good ? NULL : "each gets what all have for it";
}

/* A row that one process has for another one. */
struct row {
        uint64_t from, to, number;
};

enum { MOST_ROWS = 40 };

static uint32_t number_of_rows(uint64_t from, uint64_t to)
{
        return (uint32_t)(7 * from + 3 * to) % MOST_ROWS;
}

static uint32_t belongs_to(const void *ctx, const void *row)
{
        (void)ctx;
        return (uint32_t)((const struct row *)row)->to;
}

static const char *rows_come_to_whom_they_belong(ps_exchange *x)
{
        uint32_t n = 0, *seen = calloc(x->size, sizeof(*seen));
        struct row *made = calloc(x->size, MOST_ROWS * sizeof(*made));
        for (uint32_t i = 0; i < MOST_ROWS; i++)
                for (uint32_t to = 0; to < x->size; to++)
                        if (i < number_of_rows(x->rank, to))
                                made[n++] = (struct row){x->rank, to, (i % 2 ? UINT64_MAX : 5) / (i + 1)};
        ps_dealt_rows rows = {made, n, x->size * MOST_ROWS};
        const ps_rows_deal how = {3, belongs_to, NULL};
        bool good = ps_exchange_rows(x, &rows, &how, PS_OK, NULL) == PS_OK;
        for (uint32_t k = 0; good && k < rows.n; k++) {
                const struct row *row = (const struct row *)rows.row + k;
                good = row->to == x->rank && row->from < x->size;
                uint32_t i = good ? seen[row->from]++ : 0;
                good = good && row->number == (i % 2 ? UINT64_MAX : 5) / (i + 1);
        }
        for (uint32_t from = 0; good && from < x->size; from++)
                good = seen[from] == number_of_rows(from, x->rank);
        free(rows.row);
        free(seen);
        return good ? NULL : "rows come to whom they belong";
}

static const char *rows_of_which_some_are_not_made_go_nowhere(ps_exchange *x)
{
        ps_error err = {0};
        ps_dealt_rows rows = {NULL, 0, 0};
        const ps_rows_deal how = {3, belongs_to, NULL};
        ps_status status = x->rank + 1 == x->size ? PS_FAIL(&err, PS_E_INPUT, "no rows") : PS_OK;
        bool good = ps_exchange_rows(x, &rows, &how, status, &err) == PS_E_INPUT && !rows.n;
        free(rows.row);
        return good ? NULL : "rows of which some are not made go nowhere";
}

/* Of process `bad` and all behind it; the last one is worse. */
static const char *worst_is_everybodys(ps_exchange *x, uint32_t bad)
{
        ps_error err = {0};
        char wanted[64];
        bool is_last = x->rank + 1 == x->size;
        ps_status status = x->rank < bad ? PS_OK : is_last ? PS_E_OUTPUT : PS_E_INPUT;
        snprintf(wanted, sizeof(wanted), "this is process %u", x->size - 1);
        if (status != PS_OK)
                (void)PS_FAIL(&err, status, "this is process %u", x->rank);
        if (ps_exchange_agree(x, status, &err) != PS_E_OUTPUT || err.status != PS_E_OUTPUT ||
            strcmp(err.cause[0].text, wanted) != 0)
                return "the worst status is everybody's";
        return is_last || strstr(err.cause[1].text, "another process") ? NULL : "it is said whose it is";
}

static const char *first_of_the_worst_is_heard(ps_exchange *x)
{
        ps_error err = {0};
        ps_status status = PS_FAIL(&err, PS_E_INPUT, "this is process %u", x->rank);
        bool good = ps_exchange_agree(x, status, &err) == PS_E_INPUT;
        return good && strcmp(err.cause[0].text, "this is process 0") == 0
                       ? NULL
                       : "of equal ones the first process is heard";
}

/* A number that process `bad` cannot put or take. */
struct told {
        uint64_t number;
        bool is_bad;
};

static ps_status pass_told(ps_pass *p, void *what)
{
        struct told *told = what;
        PS_TRY(told->is_bad ? PS_FAIL(p->err, PS_E_INPUT, "this is bad") : PS_OK);
        return ps_pass_values(p, &told->number, 1, sizeof(told->number));
}

static const char *what_is_told_all_know(ps_exchange *x, uint32_t bad)
{
        ps_error err = {0};
        struct told told = {x->rank ? 0 : 1234567, x->rank == bad};
        ps_status status = ps_exchange_tell(x, pass_told, &told, &err);
        if (bad < x->size)
                return status == PS_E_INPUT && strcmp(err.cause[0].text, "this is bad") == 0
                               ? NULL
                               : "who cannot hear it ends the telling for all";
        return status == PS_OK && told.number == 1234567 ? NULL : "what process 0 tells all know";
}

const char *crew_laws(ps_exchange *x)
{
        const char *bad = broadcast_reaches_all(x);
        bad = bad ? bad : gather_keeps_the_order(x);
        bad = bad ? bad : deal_gives_each_his_own(x);
        bad = bad ? bad : rows_come_to_whom_they_belong(x);
        bad = bad ? bad : rows_of_which_some_are_not_made_go_nowhere(x);
        for (uint32_t i = 0; !bad && i < x->size; i++)
                bad = worst_is_everybodys(x, i);
        bad = bad ? bad : first_of_the_worst_is_heard(x);
        for (uint32_t i = 0; !bad && x->size > 1 && i <= x->size; i++)
                bad = what_is_told_all_know(x, i);
        if (!bad && (ps_exchange_any(x, false) || !ps_exchange_any(x, x->rank + 1 == x->size)))
                bad = "all know whether it is so with any";
        if (!bad && ps_exchange_agree(x, PS_OK, NULL) != PS_OK)
                bad = "all is well where all are";
        return bad;
}
