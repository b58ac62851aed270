/* new.c - a line of PICL 2.0: `record event clock node process n [descriptor value...]`.
 *
 * Which value is what depends on the event; the dialects agree on the order and differ in how many there
 * are, so that one table of layouts serves them all. A line whose first six fields are right is an interval
 * or a mark even if its data make no sense. */
#include "reader/picl/parse.h"

#include <string.h>

enum { MOST_VALUES = 4, LONGEST_NAME = 255, MEMBERS_AT_ONCE = 64 };

struct head {
        int32_t type, event, node, pid;
        int64_t n;
        ps_time clock;
};

static inline const char *take_head(struct head *h, const char *p, unsigned *decimals)
{
        if (!(p = ps_picl_int32(p, &h->type)) || !(p = ps_picl_int32(p, &h->event)) ||
            !(p = ps_picl_seconds(p, &h->clock, decimals)) || !(p = ps_picl_int32(p, &h->node)) ||
            !(p = ps_picl_int32(p, &h->pid)) || !(p = ps_picl_int(p, &h->n)))
                return NULL;
        return h->node >= PS_PICL_WILDCARD || h->node == PS_PICL_HOST
                       ? h->pid >= PS_PICL_WILDCARD && h->n >= 0 ? p : NULL
                       : NULL;
}

/* -- data -- */

struct data {
        const char *p;
        int64_t conversions; /* a tuple's */
        bool is_text;        /* characters: whatever follows is the value */
        int n_ints;          /* how many values from the first on are whole numbers; at most MOST_VALUES */
};

/* "%d%lf", with or without blanks; NULL when the quotes are not closed. */
static const char *take_format(struct data *d, const char *p)
{
        bool only_ints = 1;
        for (; *p != '"'; p++) {
                if (*p == '\n')
                        return NULL;
                if (*p != '%')
                        continue;
                if (p[1] == '%' && p++)
                        continue;
                d->conversions++;
                const char *conversion = p + 1;
                while (*conversion == 'l' || *conversion == 'h' || (*conversion >= '0' && *conversion <= '9'))
                        conversion++;
                only_ints &= *conversion == 'd' || *conversion == 'i' || *conversion == 'u';
                d->is_text |= *conversion == 's' || *conversion == 'c';
        }
        d->n_ints = only_ints ? MOST_VALUES : 0;
        return p + 1;
}

/* The descriptor at the beginning of the data; NULL when it is none. */
static const char *take_descriptor(struct data *d, const char *p)
{
        int64_t type;
        *d = (struct data){.conversions = 0};
        if (*p == '"')
                return take_format(d, p + 1);
        p = ps_picl_int(p, &type);
        if (!p || type < 0 || type >= PS_PICL_D_COUNT)
                return NULL;
        d->conversions = 1;
        d->is_text = type == PS_PICL_D_CHAR || type == PS_PICL_D_STRING;
        d->n_ints = type == PS_PICL_D_INT || type == PS_PICL_D_LONG ? MOST_VALUES : 0;
        return p;
}

static bool count_fits(const struct data *d, int64_t n, int64_t n_values)
{
        int64_t all;
        return n_values == n || (!__builtin_mul_overflow(n, d->conversions, &all) && n_values == all);
}

/* Nearly all data: "2 value..." with few values. -1: they are something else. */
static int take_plain_values(const char *p, int64_t n, int64_t *value)
{
        if (*p != '0' + PS_PICL_D_INT || p[1] != ' ' || n > MOST_VALUES)
                return -1;
        p++;
        for (int i = 0; i < n; i++)
                if (!(p = ps_picl_int(p, &value[i])))
                        return -1;
        return *p == '\n' || *ps_picl_skip_blanks(p) == '\n' ? (int)n : -1;
}

/* The first values that are whole numbers; *fits: the data are what they say they are. */
static unsigned take_values(const char *p, int64_t n, int64_t *value, bool *fits)
{
        struct data d;
        int64_t n_values = 0;
        unsigned usable = 0;
        *fits = 1;
        p = ps_picl_skip_blanks(p);
        if (*p == '\n') {
                *fits = n == 0;
                return 0;
        }
        int n_plain = take_plain_values(p, n, value);
        if (n_plain >= 0)
                return (unsigned)n_plain;
        p = take_descriptor(&d, p);
        *fits = p != NULL;
        if (!p || d.is_text)
                return 0;
        for (p = ps_picl_skip_blanks(p); *p != '\n'; p = ps_picl_skip_blanks(p), n_values++) {
                const char *next =
                        n_values < d.n_ints ? ps_picl_int(p, &value[n_values]) : ps_picl_skip_word(p);
                if (!next) {
                        *fits = 0;
                        return usable;
                }
                usable += n_values < d.n_ints;
                p = next;
        }
        *fits = count_fits(&d, n, n_values);
        return usable;
}

/* What the values of an event's entry or exit are, in their order; 0 ends a row. */
typedef uint8_t layout[MOST_VALUES];

static const uint8_t *layout_of_collective(unsigned row, bool is_exit)
{
        static const layout subset = {PS_PICL_SUBSET_ID}, all = {PS_PICL_BYTES, PS_PICL_SUBSET_ID},
                            rooted = {PS_PICL_BYTES, PS_PICL_PEER, PS_PICL_SUBSET_ID},
                            bytes = {PS_PICL_BYTES}, nothing = {0};
        const ps_kind kind = (ps_kind)ps_picl_events[row].kind;
        const uint16_t traits = ps_kinds[kind].traits;
        bool has_bytes = !(traits & PS_T_BARRIER) && kind != PS_K_COMM_MANAGE;
        if (is_exit)
                return has_bytes && !(traits & PS_T_ALL_TO_ALL) ? bytes : nothing;
        if (!has_bytes)
                return subset;
        return traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE) ? rooted : all;
}

static const uint8_t *layout_of(unsigned row, ps_picl_type type)
{
        static const layout at_entry[] = {
                [PS_PICL_SEND] = {PS_PICL_BYTES, PS_PICL_TAG, PS_PICL_PEER, PS_PICL_PID},
                [PS_PICL_ISEND] = {PS_PICL_BYTES, PS_PICL_TAG, PS_PICL_PEER, PS_PICL_PID},
                [PS_PICL_SEND_DONE] = {PS_PICL_REQUEST},
                [PS_PICL_RECV] = {PS_PICL_TAG, PS_PICL_PEER, PS_PICL_PID},
                [PS_PICL_IRECV] = {PS_PICL_TAG, PS_PICL_PEER, PS_PICL_PID},
                [PS_PICL_RECV_DONE] = {PS_PICL_REQUEST},
                [PS_PICL_TESTED] = {PS_PICL_REQUEST},
                [PS_PICL_CANCELLED] = {PS_PICL_REQUEST},
                [PS_PICL_IO] = {PS_PICL_BYTES},
                [PS_PICL_SUBSET] = {0},
        };
        static const layout at_exit[] = {
                [PS_PICL_ISEND] = {PS_PICL_REQUEST},
                [PS_PICL_IRECV] = {PS_PICL_REQUEST},
                [PS_PICL_RECV] = {PS_PICL_BYTES, PS_PICL_TAG, PS_PICL_PEER, PS_PICL_PID},
                [PS_PICL_RECV_DONE] = {PS_PICL_BYTES, PS_PICL_TAG, PS_PICL_PEER, PS_PICL_PID},
                [PS_PICL_SUBSET] = {0},
        };
        ps_picl_act act = row < PS_PICL_E_COUNT ? (ps_picl_act)ps_picl_events[row].act : PS_PICL_SUBSET;
        if (type == PS_PICL_MARK)
                act = PS_PICL_SUBSET;
        if (act == PS_PICL_COLL)
                return layout_of_collective(row, type == PS_PICL_EXIT);
        return type == PS_PICL_EXIT ? at_exit[act] : at_entry[act];
}

/* 0 when the field cannot hold the value. -1 bytes are "none of mine". */
static inline bool set_field(ps_picl_rec *rec, uint8_t field, int64_t value)
{
        if (field == PS_PICL_BYTES && value == -1)
                field = PS_PICL_NO_BYTES;
        else if (field == PS_PICL_BYTES && value >= 0)
                rec->value = value;
        else if (field == PS_PICL_BYTES || value < INT32_MIN || value > INT32_MAX)
                return false;
        else if (field == PS_PICL_TAG)
                rec->tag = (int32_t)value;
        else if (field == PS_PICL_PEER)
                rec->peer = (int32_t)value;
        else
                rec->extra = (int32_t)value;
        rec->fields |= field;
        return true;
}

static void fill_fields(ps_picl_rec *rec, const uint8_t *fields, const int64_t *value, unsigned n, bool *fits)
{
        for (unsigned i = 0; i < n && i < MOST_VALUES && fields[i]; i++)
                *fits &= set_field(rec, fields[i], value[i]);
}

/* -- entries, exits and marks -- */

static uint32_t short_line(uint64_t number)
{
        return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static unsigned handler_of(int32_t event)
{
        unsigned row = event >= 0 ? (unsigned)PS_PICL_E_USER : ps_picl_event_of_number(event);
        return row == PS_PICL_E_NONE && event < 0 ? (unsigned)PS_PICL_E_UNKNOWN : row;
}

/* What the trace is like shows in its records. */
static void note_dialect(ps_picl_log *log, const struct head *h, const ps_picl_rec *rec)
{
        log->has_any_pid |= h->pid < 0;
        if (rec->type != PS_PICL_ENTRY)
                return;
        log->has_idle |= rec->row == PS_PICL_E_IDLE;
        if (rec->row == PS_PICL_E_RECV || rec->row == PS_PICL_E_RECV_BLOCKED)
                *(rec->fields & PS_PICL_PEER ? &log->has_long_recv : &log->has_short_recv) = 1;
}

static ps_status take_event(ps_picl_log *log, const struct head *h, const char *p, const ps_picl_line *line,
                            uint64_t number, ps_error *err)
{
        int64_t value[MOST_VALUES];
        bool fits;
        if (h->node == PS_PICL_WILDCARD || h->event == PS_PICL_WILDCARD) {
                ps_picl_note(log, PS_I_LINE_INVALID, number);
                return PS_OK;
        }
        ps_picl_place *place;
        PS_TRY(ps_picl_place_at(&place, log, h->node, h->pid, err));
        ps_picl_type type = h->type == PS_PICL_R_ENTRY  ? PS_PICL_ENTRY
                            : h->type == PS_PICL_R_EXIT ? PS_PICL_EXIT
                                                        : PS_PICL_MARK;
        unsigned row = handler_of(h->event), n = take_values(p, h->n, value, &fits);
        ps_picl_rec rec = {.time = ps_picl_clock(log, h->clock, number),
                           .line = short_line(number),
                           .region = PS_NONE,
                           .mate = PS_NONE,
                           .code = ps_picl_code_at(log, type, row, err),
                           .row = (uint8_t)row,
                           .type = (uint8_t)type};
        if (!log->layout_of[type][row])
                log->layout_of[type][row] = layout_of(row, type);
        if (fits || line->is_whole)
                fill_fields(&rec, log->layout_of[type][row], value, n, &fits);
        if (!fits)
                ps_picl_note(log, line->is_whole ? PS_I_DATA_INVALID : PS_I_FILE_TRUNCATED, number);
        if (row == PS_PICL_E_UNKNOWN)
                ps_picl_note(log, PS_I_EVENT_UNKNOWN, number);
        if (type != PS_PICL_MARK)
                rec.region = ps_picl_region_at(log, h->event, row, err);
        if (rec.code == UINT16_MAX || (rec.region == PS_NONE && type != PS_PICL_MARK))
                return PS_E_NOMEM;
        note_dialect(log, h, &rec);
        log->n_records++;
        return ps_picl_add(log, place, &rec, err);
}

/* -- statistics -- */

static ps_status take_statistics(ps_picl_log *log, const struct head *h, const char *p, ps_picl_type type,
                                 uint64_t number, ps_error *err)
{
        struct data d;
        int64_t pairs = 0;
        unsigned decimals = 0;
        p = ps_picl_skip_blanks(p);
        if (h->node == PS_PICL_WILDCARD || *p == '\n')
                return PS_OK;
        ps_picl_place *place;
        PS_TRY(ps_picl_place_at(&place, log, h->node, h->pid, err));
        p = take_descriptor(&d, p);
        for (p = p ? ps_picl_skip_blanks(p) : p; p && *p != '\n'; p = p ? ps_picl_skip_blanks(p) : p) {
                ps_picl_rec rec = {.time = ps_picl_clock(log, h->clock, number),
                                   .type = (uint8_t)type,
                                   .line = short_line(number),
                                   .region = PS_NONE,
                                   .mate = PS_NONE};
                p = ps_picl_int32(p, &rec.tag);
                if (p && type == PS_PICL_STAT_TIME)
                        p = ps_picl_seconds(p, &rec.value, &decimals);
                else if (p)
                        p = ps_picl_int(p, &rec.value);
                rec.row = p ? (uint8_t)handler_of(rec.tag) : 0;
                if (p && ps_picl_add(log, place, &rec, err) < 0)
                        return PS_E_NOMEM;
                pairs += p != NULL;
        }
        if (!p || (pairs != h->n && pairs * 2 != h->n))
                ps_picl_note(log, PS_I_DATA_INVALID, number);
        return PS_OK;
}

/* -- definitions -- */

/* The text of a label, with or without descriptor and quotes. */
static size_t label_of(const char *p, const char *end, const char **out)
{
        struct data d;
        p = ps_picl_skip_blanks(p);
        const char *behind = take_descriptor(&d, p);
        if (behind && (*p != '"' || (d.conversions && *ps_picl_skip_blanks(behind) != '\n')))
                p = ps_picl_skip_blanks(behind);
        while (end > p && ps_picl_is_blank(end[-1]))
                end--;
        if (end - p >= 2 && *p == '"' && end[-1] == '"') {
                p++;
                end--;
        }
        *out = p;
        return end - p < LONGEST_NAME ? (size_t)(end - p) : LONGEST_NAME;
}

static ps_status take_label(ps_picl_log *log, const struct head *h, const char *p, const char *end,
                            uint64_t number, ps_error *err)
{
        const char *text;
        size_t len = label_of(p, end, &text);
        unsigned row = handler_of(h->event);
        if (h->event == PS_PICL_WILDCARD || !len) {
                ps_picl_note(log, PS_I_DEF_INVALID, number);
                return PS_OK;
        }
        if (row < PS_PICL_E_COUNT)
                return PS_OK; /* the table's name is the one that is known */
        ps_str name = ps_strings_add(log->defs->strings, text, len);
        uint32_t region = ps_picl_region_at(log, h->event, row, err);
        if (name == PS_NONE || region == PS_NONE)
                return PS_NOMEM(err, "labels", 1);
        ps_str *old = &log->region[region].name;
        if (*old && *old != name)
                ps_picl_note(log, PS_I_DEF_DUPLICATE, number);
        *old = *old ? *old : name;
        return PS_OK;
}

/* A message that is "file:line" says where an event of the user comes from; others say nothing to patscan. */
static ps_status read_message_record(ps_picl_log *log, const struct head *h, const char *p, const char *end,
                                     ps_error *err)
{
        const char *text;
        size_t len = label_of(p, end, &text), at = len;
        uint64_t line;
        while (at && text[at - 1] >= '0' && text[at - 1] <= '9')
                at--;
        if (h->event < 0 || at < 2 || text[at - 1] != ':' || len - at - 1 >= 9)
                return PS_OK;
        ps_picl_digits(text + at, &line);
        ps_str file = ps_strings_add(log->defs->strings, text, at - 1);
        uint32_t region = ps_picl_region_at(log, h->event, PS_PICL_E_USER, err);
        if (file == PS_NONE || region == PS_NONE)
                return PS_NOMEM(err, "labels", 1);
        log->region[region].file = file;
        log->region[region].source_line = (uint32_t)line;
        return PS_OK;
}

/* A subset's id and its members, all whole numbers. */
static ps_status take_subset(ps_picl_log *log, const struct head *h, const char *p, uint64_t number,
                             ps_error *err)
{
        struct data d;
        int32_t id = 0;
        int64_t n = 0;
        uint32_t first = log->n_members;
        p = take_descriptor(&d, ps_picl_skip_blanks(p));
        p = p && d.n_ints ? ps_picl_int32(p, &id) : NULL;
        for (p = p ? ps_picl_skip_blanks(p) : p; p && *p != '\n'; n++) {
                int32_t node;
                p = ps_picl_int32(p, &node);
                if (p)
                        PS_TRY(ps_picl_member_add(log, node, err));
                p = p ? ps_picl_skip_blanks(p) : p;
        }
        if (!p || id == PS_PICL_WILDCARD || !count_fits(&d, h->n, n + 1)) {
                ps_picl_note(log, PS_I_DEF_INVALID, number);
                log->n_members = first;
                return PS_OK;
        }
        return ps_picl_subset_end(log, id, first, number, err);
}

/* -- lines -- */

ps_status ps_picl_new_take(ps_picl_log *log, const ps_picl_line *line, uint64_t number, ps_error *err)
{
        struct head h;
        const char *p = take_head(&h, line->text, &log->decimals);
        if (!p) {
                if (*ps_picl_skip_blanks(line->text) != '\n')
                        ps_picl_note_line(log, line, number);
                return PS_OK;
        }
        switch (h.type) {
        case PS_PICL_R_MARK:
        case PS_PICL_R_ENTRY:
        case PS_PICL_R_EXIT:
                return take_event(log, &h, p, line, number, err);
        case PS_PICL_R_LABEL:
                return take_label(log, &h, p, line->end, number, err);
        case PS_PICL_R_MESSAGE:
                return read_message_record(log, &h, p, line->end, err);
        case PS_PICL_R_TIME_STAT:
                return take_statistics(log, &h, p, PS_PICL_STAT_TIME, number, err);
        case PS_PICL_R_COUNT_STAT:
                return take_statistics(log, &h, p, PS_PICL_STAT_COUNT, number, err);
        case PS_PICL_R_SENT_STAT:
                return take_statistics(log, &h, p, PS_PICL_STAT_SENT, number, err);
        case PS_PICL_R_RECEIVED_STAT:
                return take_statistics(log, &h, p, PS_PICL_STAT_RECEIVED, number, err);
        case PS_PICL_R_MACHINE_SUBSET:
        case PS_PICL_R_PROCESS_SUBSET:
                return take_subset(log, &h, p, number, err);
        default:
                if (!ps_picl_record_name(h.type))
                        ps_picl_note(log, PS_I_RECORD_UNKNOWN, number);
                return PS_OK; /* descriptions of data, sets of events, sizes of the trace */
        }
}

bool ps_picl_new_looks(const ps_picl_line *line)
{
        struct head h;
        int64_t value[MOST_VALUES];
        unsigned decimals = 0;
        bool fits;
        const char *p = take_head(&h, line->text, &decimals);
        if (!p || !ps_picl_record_name(h.type))
                return false;
        take_values(p, h.n, value, &fits);
        return fits || h.type <= PS_PICL_R_LABEL; /* labels and the like hold text */
}
