/* rows.c - a table for each sort of row: the keys that are wanted, and where their values go. */
#include "app/lsp/rows.h"

/* clang-format off */
#define KEY(name, form, field)   {name, PS_SAVED_##form, offsetof(ps_saved_row, field), NULL}
#define PART(name, form, inside) {name, PS_SAVED_##form, 0, inside}
#define END                      {NULL, PS_SAVED_TEXT, 0, NULL}
/* clang-format on */

static const ps_saved_key worst_keys[] = {

        KEY("partner_process", REAL, partner), KEY("partner_file", TEXT, partner_file),
        KEY("partner_line", REAL, partner_line), END};
static const ps_saved_key blamed_keys[] = {KEY("id", TEXT, cause), END};
const ps_saved_key ps_saved_finding[] = {KEY("id", TEXT, id),
                                         KEY("site", TEXT, site),
                                         KEY("type", TEXT, type),
                                         KEY("process", REAL, process),
                                         KEY("file", TEXT, file),
                                         KEY("line", REAL, line),
                                         KEY("column", REAL, column),
                                         KEY("column_end", REAL, column_end),
                                         KEY("line_source", TEXT, line_source),
                                         KEY("line_text", TEXT, line_text),
                                         KEY("function", TEXT, function),
                                         KEY("count", REAL, count),
                                         KEY("lost_s", REAL, lost),
                                         KEY("share", REAL, share),
                                         PART("worst", INSIDE, worst_keys),
                                         KEY("dump", TEXT, dump),

                                         PART("causes", FIRST, blamed_keys),
                                         KEY("ignored", TEXT, ignored),
                                         KEY("comment", TEXT, comment),
                                         KEY("advice", TEXT, advice),
                                         END};
static const ps_saved_key fix_keys[] = {KEY("kind", TEXT, fix_kind), KEY("factor", REAL, fix_factor),
                                        KEY("edit", TEXT, fix_edit), KEY("gain_s", REAL, fix_gain), END};
const ps_saved_key ps_saved_cause[] = {KEY("id", TEXT, id),
                                       KEY("process", REAL, process),
                                       KEY("function", TEXT, function),
                                       KEY("file", TEXT, file),
                                       KEY("line", REAL, line),

                                       KEY("waiting_s", REAL, waiting),
                                       KEY("share", REAL, share),
                                       PART("fixes", FIRST, fix_keys),
                                       KEY("comment", TEXT, comment),
                                       KEY("advice", TEXT, advice),
                                       END};
const ps_saved_key ps_saved_function[] = {KEY("function", TEXT, function),
                                          KEY("file", TEXT, file),
                                          KEY("line", REAL, line),
                                          KEY("waiting_s", REAL, waiting),

                                          KEY("callpath", RAW, callpath),

                                          END};
const ps_saved_key ps_saved_time[] = {KEY("time_s", REAL, time), END};
const ps_saved_key ps_saved_trace[] = {KEY("path", TEXT, file), KEY("duration_s", REAL, time), END};
const ps_saved_key ps_saved_settings[] = {KEY("source_root", TEXT, file), END};

static void read_first(ps_pull *p, ps_saved_row *out, const ps_saved_key *keys)
{
        bool is_first = true;
        if (!ps_pull_open(p, '['))
                return;
        for (; ps_pull_element(p); is_first = false)
                if (is_first)
                        ps_saved_row_read(p, out, keys);
                else
                        ps_pull_skip(p);
}

static void read_value(ps_pull *p, ps_saved_row *out, const ps_saved_key *k)
{
        char *at = (char *)out + k->at;
        switch (k->form) {
        case PS_SAVED_TEXT:
                ps_pull_string(p, (ps_slice *)(void *)at);
                break;
        case PS_SAVED_REAL:
                ps_pull_number(p, (double *)(void *)at);
                break;
        case PS_SAVED_INSIDE:
                ps_saved_row_read(p, out, k->inside);
                break;
        case PS_SAVED_FIRST:
                read_first(p, out, k->inside);
                break;
        case PS_SAVED_RAW:
                ps_pull_kind(p);
                *(ps_slice *)(void *)at = (ps_slice){p->at, 0};
                ps_pull_skip(p);
                ((ps_slice *)(void *)at)->n = (size_t)(p->at - ((ps_slice *)(void *)at)->text);
                break;
        }
}

/* Reports have their keys in the order of the tables: the search begins behind the last that was found. */
static const ps_saved_key *find_key(const ps_saved_key *keys, const ps_saved_key *from, ps_slice name)
{
        const ps_saved_key *k = from;
        while (k->name && !ps_slice_is(name, k->name))
                k++;
        if (k->name)
                return k;
        for (k = keys; k < from && !ps_slice_is(name, k->name); k++)
                ;
        return k < from ? k : NULL;
}

void ps_saved_row_read(ps_pull *p, ps_saved_row *out, const ps_saved_key *keys)
{
        const ps_saved_key *next = keys;
        ps_slice name;
        if (!ps_pull_open(p, '{'))
                return;
        while (ps_pull_key(p, &name)) {
                const ps_saved_key *k = find_key(keys, next, name);
                if (!k) {
                        ps_pull_skip(p);
                        continue;
                }
                read_value(p, out, k);
                next = k + 1;
        }
}
