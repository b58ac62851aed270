/* html_interval_choice.c - which intervals stand in the page as they are, and which with their processors.
 *
 * The page stays small and is opened at once whatever the program did: those that lost most stand in it for
 * everybody, as many as there is room for; its script shows all. */
#include "report/formats/html_intervals.h"

#include "core/base/memory.h"
#include "core/base/search.h"

#include <math.h>
#include <stdlib.h>

enum {
        LISTED_MOST = 512,   /* in the table of all intervals */
        WRITTEN_MOST = 64,   /* with all characteristics */
        ROWS_MOST = 1 << 14, /* of all tables of processors */
        STEPS_MOST = 1 << 24 /* to add up the processors' parts: intervals below, by processors */
};

static int compare_lost(const void *a, const void *b)
{
        const double *x = *(const double *const *)a, *y = *(const double *const *)b;

        PS_ORDER_BY(*y, *x);
        return PS_ORDER(x, y);
}

typedef struct room_used {
        uint64_t rows, steps;
} room_used;

/* The intervals come in the order of what they lost; the whole run comes first. */
static void choose_shown(ps_html_intervals *page, room_used *used, uint32_t number)
{
        uint64_t shown = ps_html_processors_shown(page->tree);
        uint64_t steps = (uint64_t)page->size[number] * page->tree->n_processors;
        bool is_whole = number == 0;

        if (is_whole || (used->rows + shown <= ROWS_MOST && used->steps + steps <= STEPS_MOST)) {
                used->rows += shown;
                used->steps += steps;
                page->told[number] |= PS_HTML_DETAILED;
                page->n_detailed++;
        }
        if (page->n_written < WRITTEN_MOST) {
                page->told[number] |= PS_HTML_WRITTEN;
                page->n_written++;
        }
        if (page->n_listed < LISTED_MOST) {
                page->told[number] |= PS_HTML_LISTED;
                page->n_listed++;
        }
}

static ps_status choose_all(ps_html_intervals *page, ps_error *err)
{
        double *lost = ps_memory_new(page->n * sizeof(*lost));
        const double **order = ps_memory_new(page->n * sizeof(*order));
        ps_status status = lost && order ? PS_OK : PS_NOMEM(err, "intervals", page->n);
        room_used used = {0};

        for (uint32_t i = 0; status == PS_OK && i < page->n; i++) {
                lost[i] = i ? page->tree->row[page->row[i]].sums.lost_s : INFINITY;
                order[i] = &lost[i];
        }
        if (status == PS_OK)
                qsort(order, page->n, sizeof(*order), compare_lost);
        for (uint32_t i = 0; status == PS_OK && i < page->n; i++)
                choose_shown(page, &used, (uint32_t)(order[i] - lost));
        free(lost);
        free(order);
        return status;
}

static void number_all(ps_html_intervals *page, uint32_t most)
{
        const ps_intervals *tree = page->tree;

        for (uint32_t i = 0; i < tree->n; i++)
                page->number[i] = PS_NONE;
        for (uint32_t i = 0; i != PS_NONE; i = ps_interval_next_told(tree, i, most)) {
                page->number[i] = page->n;
                page->size[page->n] = 1;
                page->row[page->n++] = i;
        }
        for (uint32_t n = page->n - 1; n > 0; n--)
                page->size[page->number[tree->row[page->row[n]].parent]] += page->size[n];
}

void ps_html_intervals_clear(ps_html_intervals *page)
{
        free(page->row);
        free(page->number);
        free(page->size);
        free(page->told);
}

ps_status ps_html_intervals_arrange(ps_html_intervals *page, const ps_intervals *tree, uint32_t most,
                                    ps_error *err)
{
        *page = (ps_html_intervals){.tree = tree,
                                    .row = ps_memory_new(tree->n * sizeof(uint32_t)),
                                    .number = ps_memory_new(tree->n * sizeof(uint32_t)),
                                    .size = ps_memory_new(tree->n * sizeof(uint32_t)),
                                    .told = ps_memory_zeroed(tree->n, 1)};
        if (!page->row || !page->number || !page->size || !page->told)
                return PS_NOMEM(err, "intervals", tree->n);
        number_all(page, most);
        return choose_all(page, err);
}
