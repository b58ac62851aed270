/* deal.c - see deal.h. */
#include "reader/picl/deal.h"

#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/exchange/shares.h"
#include "core/exchange/tell.h"
#include "reader/picl/defs.h"
#include "reader/picl/parse.h"

#include <stdlib.h>
#include <string.h>

#define VALUE(p, value) PS_TRY(ps_pass_values((p), &(value), 1, sizeof(value)))
#define WHOLE(p, log, rows)                                                                                  \
        PS_TRY(ps_pass_whole((p), &(log)->rows, &(log)->n_##rows##s, &(log)->cap_##rows##s,                  \
                             sizeof(*(log)->rows)))

/* All letters together take a block, unless there are very many: then each takes this. */
enum { LEAST_LETTER = PS_AT_ONCE(1 << 16, 1 << 12) };

/* Records of a place, which follow. */
struct part {
        uint32_t place, n;
};

/* What stands in a process's letter. */
struct letter {
        uint8_t *bytes;
        size_t used;
};

struct ps_picl_deal {
        ps_exchange *x;
        const ps_picl_place *first; /* of the processes behind process 0 that get any: their first places */
        uint32_t n_first;
        struct letter *letter; /* of each process; the others have only that of process 0, to them */
};

static size_t letter_bytes(const ps_exchange *x)
{
        size_t part = PS_EXCHANGE_BLOCK / x->size;
        return part > LEAST_LETTER ? part : LEAST_LETTER;
}

/* -- who gets what -- */

/* The sample's places become those that begin what a process has. */
static ps_status choose_first(ps_picl_deal *deal, ps_picl_log *sample, ps_error *err)
{
        uint32_t n = sample->n_places;
        uint64_t *weight = calloc(n + (size_t)1, sizeof(*weight));
        uint32_t *owner = calloc(n + (size_t)1, sizeof(*owner));
        ps_status status = weight && owner ? PS_OK : PS_NOMEM(err, "processes", n);
        ps_picl_sort_places(sample);
        for (uint32_t i = 0; i < n && status == PS_OK; i++)
                weight[i] = sample->place[i].n + 1;
        if (status == PS_OK)
                ps_shares_deal(owner, weight, n, 0, deal->x->size);
        for (uint32_t i = 1; i < n && status == PS_OK; i++)
                if (owner[i] != owner[i - 1])
                        sample->place[deal->n_first++] = sample->place[i];
        deal->first = sample->place;
        sample->place = NULL;
        free(weight);
        free(owner);
        return status;
}

/* What is wrong with the sample is noted where all is read. */
static ps_status look_at_sample(ps_picl_deal *deal, const char *path, ps_error *err)
{
        ps_defs defs;
        ps_issues *nowhere = calloc(1, sizeof(*nowhere));
        ps_picl_log sample = {.place = NULL};
        PS_TRY(nowhere ? PS_OK : PS_NOMEM(err, "issues", 1));
        ps_status status = ps_defs_init(&defs, err);
        if (status == PS_OK) {
                status = ps_picl_log_init(&sample, path, &defs, nowhere, err);
                PS_THEN(status, ps_picl_read_sample(&sample, path, err));
                PS_THEN(status, choose_first(deal, &sample, err));
                ps_picl_log_free(&sample);
                ps_defs_free(&defs);
        }
        free(nowhere);
        return status;
}

uint32_t ps_picl_deal_owner(const ps_picl_deal *deal, int32_t node, int32_t pid)
{
        uint32_t owner = 0;
        PS_SEARCH(owner, deal->n_first, i, ps_picl_compare_place(node, pid, &deal->first[i]) >= 0);
        return owner;
}

/* -- process 0 -- */

static void send_letter(const ps_picl_deal *deal, uint32_t to)
{
        struct letter *letter = &deal->letter[to];
        uint64_t n = letter->used;
        ps_exchange_send(deal->x, to, &n, sizeof(n));
        ps_exchange_send(deal->x, to, letter->bytes, n);
        letter->used = 0;
}

void ps_picl_deal_place(ps_picl_log *log, ps_picl_place *place)
{
        ps_picl_rec *rows = place->block[0];
        struct part part = {(uint32_t)(place - log->place), (uint32_t)(place->next - rows)};
        struct letter *letter = &log->deal->letter[place->owner];
        size_t n = part.n * sizeof(*rows);
        if (letter->used + sizeof(part) + n > letter_bytes(log->deal->x))
                send_letter(log->deal, place->owner);
        memcpy(letter->bytes + letter->used, &part, sizeof(part));
        memcpy(letter->bytes + letter->used + sizeof(part), rows, n);
        letter->used += sizeof(part) + n;
        place->next = rows;
}

/* What is left; an empty letter is the last one. */
static void end_letters(ps_picl_log *log)
{
        const ps_picl_deal *deal = log->deal;
        for (uint32_t i = 0; i < log->n_places; i++)
                if (log->place[i].owner) {
                        if (log->place[i].n)
                                ps_picl_deal_place(log, &log->place[i]);
                        log->place[i].n = 0;
                }
        for (uint32_t p = 1; p < deal->x->size; p++) {
                if (deal->letter[p].used)
                        send_letter(deal, p);
                send_letter(deal, p);
        }
}

/* -- the others -- */

static ps_status make_places(ps_picl_log *log, uint32_t n, ps_error *err)
{
        for (; log->n_places < n; log->n_places++) {
                if (PS_ROOM(log->place, log->n_places, log->cap_places))
                        return PS_NOMEM(err, "processes", n);
                log->place[log->n_places] = (ps_picl_place){.last = INT64_MIN};
        }
        return PS_OK;
}

static ps_status take_letter(ps_picl_log *log, const struct letter *letter, ps_error *err)
{
        struct part part;
        ps_picl_rec rec;
        for (const uint8_t *at = letter->bytes, *end = at + letter->used; at < end;) {
                memcpy(&part, at, sizeof(part));
                at += sizeof(part);
                PS_TRY(make_places(log, part.place + 1, err));
                for (; part.n; part.n--, at += sizeof(rec)) {
                        memcpy(&rec, at, sizeof(rec));
                        PS_TRY(ps_picl_add(log, &log->place[part.place], &rec, err));
                }
        }
        return PS_OK;
}

/* Who cannot keep them goes on receiving: process 0 knows of nothing. */
static ps_status take_letters(ps_picl_log *log, const ps_picl_deal *deal, ps_error *err)
{
        struct letter *letter = deal->letter;
        ps_status status = PS_OK;
        for (;;) {
                uint64_t n;
                ps_exchange_receive(deal->x, 0, &n, sizeof(n));
                if (!n)
                        return status;
                letter->used = (size_t)n;
                ps_exchange_receive(deal->x, 0, letter->bytes, letter->used);
                PS_THEN(status, take_letter(log, letter, err));
        }
}

/* -- what belongs to no record -- */

static ps_status pass_places(ps_pass *p, ps_picl_log *log)
{
        uint32_t n = log->n_places;
        VALUE(p, n);
        if (p->way == PS_PASS_TAKE)
                PS_TRY(make_places(log, n, p->err));
        for (uint32_t i = 0; i < n; i++) {
                VALUE(p, log->place[i].node);
                VALUE(p, log->place[i].pid);
        }
        return PS_OK;
}

static ps_status find_subsets(ps_picl_log *log, ps_error *err)
{
        for (uint32_t i = 0; i < log->n_subsets; i++)
                if (!ps_map_at(&log->subset_of, (uint32_t)log->subset[i].id, 0, i))
                        return PS_NOMEM(err, "subsets", log->n_subsets);
        return PS_OK;
}

static ps_status pass_log(ps_pass *p, void *what)
{
        ps_picl_log *log = what;
        PS_TRY(ps_pass_strings(p, log->defs->strings));
        PS_TRY(ps_pass_whole(p, &log->defs->codes.row, &log->defs->codes.n, &log->defs->codes.cap,
                             sizeof(*log->defs->codes.row)));
        VALUE(p, log->file);
        VALUE(p, log->form);
        PS_TRY(pass_places(p, log));
        WHOLE(p, log, region);
        VALUE(p, log->region_of_row);
        WHOLE(p, log, subset);
        WHOLE(p, log, member);
        VALUE(p, log->first_derived);
        VALUE(p, log->end);
        VALUE(p, log->decimals);
        VALUE(p, log->has_any_pid);
        VALUE(p, log->has_idle);
        VALUE(p, log->has_short_recv);
        VALUE(p, log->has_long_recv);
        return p->way == PS_PASS_TAKE ? find_subsets(log, p->err) : PS_OK;
}

/* -- all -- */

static ps_status make_letters(ps_picl_deal *deal, ps_error *err)
{
        uint32_t n = deal->x->rank ? 1 : deal->x->size;
        deal->letter = calloc(n, sizeof(*deal->letter));
        if (!deal->letter)
                return PS_NOMEM(err, "processes", n);
        for (uint32_t p = deal->x->rank ? 0 : 1; p < n; p++)
                if (!(deal->letter[p].bytes = malloc(letter_bytes(deal->x))))
                        return PS_NOMEM(err, "records of other processes", letter_bytes(deal->x));
        return PS_OK;
}

static ps_status deal_records(ps_picl_deal *deal, ps_picl_log *log, const char *path, ps_error *err)
{
        if (deal->x->rank)
                return take_letters(log, deal, err);
        log->deal = deal;
        ps_status status = ps_picl_read(log, path, err);
        end_letters(log);
        log->deal = NULL;
        return status;
}

static ps_status deal_all(ps_picl_deal *deal, ps_picl_log *log, const char *path, ps_error *err)
{
        ps_exchange *x = deal->x;
        ps_status status = make_letters(deal, err);
        if (!x->rank)
                PS_THEN(status, look_at_sample(deal, path, err));
        PS_TRY(ps_exchange_agree(x, status, err));
        PS_TRY(ps_exchange_agree(x, deal_records(deal, log, path, err), err));
        return ps_exchange_tell(x, pass_log, log, err);
}

ps_status ps_picl_read_together(ps_picl_log *log, const char *path, ps_exchange *x, ps_error *err)
{
        ps_picl_deal deal = {.x = x};
        ps_status status = deal_all(&deal, log, path, err);
        for (uint32_t p = 0; deal.letter && p < (x->rank ? 1 : x->size); p++)
                free(deal.letter[p].bytes);
        free(deal.letter);
        free((void *)deal.first);
        return status;
}
