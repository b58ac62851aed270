/* old.c - a line of PICL 1: compact, `key seconds microseconds node field...`, or the same in words.
 *
 * The verbose form has its fields in the same order, each behind its name; names carry nothing that the order
 * does not, so that its numbers are picked out and both forms go one way from there.
 *
 * Sends, receives and synchronisations are points. When they return shows in the statistics of computing time
 * that the recorder writes for them: the first has the stamp of the call, the second that of its return. */
#include "reader/picl/parse.h"

#include <string.h>

enum { MOST_FIELDS = 6, US_PER_S = 1000000, US_DECIMALS = 6 };

static const ps_time ps_per_us = PS_PS_PER_S / US_PER_S;

struct old {
        unsigned key;
        ps_time stamp;
        int32_t node;
        int64_t field[MOST_FIELDS];
        unsigned n_fields;
};

static bool take_stamp(ps_time *out, int64_t s, int64_t us)
{
        if (s < 0 || us < 0 || us >= US_PER_S)
                return false;
        if (s > PS_READER_TIME_LIMIT / PS_PS_PER_S)
                *out = PS_TIME_MAX;
        else
                *out = s * PS_PS_PER_S + us * ps_per_us;
        return true;
}

static unsigned key_of_word(const char *word, size_t len)
{
        for (unsigned key = 1; key < PS_PICL_KEY_COUNT; key++)
                if (strlen(ps_picl_olds[key].keyword) == len &&
                    memcmp(ps_picl_olds[key].keyword, word, len) == 0)
                        return key;
        return 0;
}

/* The next whole number of the line, words left out if there may be any; NULL at the end, or when there is
 * something else. */
static const char *next_number(const char *p, bool has_words, int64_t *out)
{
        for (;;) {
                p = ps_picl_skip_blanks(p);
                const char *behind = ps_picl_int(p, out);
                if (behind || !has_words || *p == '\n')
                        return behind;
                p = ps_picl_skip_word(p);
        }
}

static const char *take_key(struct old *o, const char *p, ps_picl_form form)
{
        int64_t key;
        p = ps_picl_skip_blanks(p);
        const char *end = ps_picl_skip_word(p), *clock = ps_picl_skip_blanks(end);
        if (form == PS_PICL_VERBOSE) {
                o->key = key_of_word(p, (size_t)(end - p));
                return o->key && strncmp(clock, "clock ", 6) == 0 ? clock : NULL;
        }
        if (!ps_picl_int(p, &key) || key < 1 || key >= PS_PICL_KEY_COUNT)
                return NULL;
        o->key = (unsigned)key;
        return end;
}

/* The verbose statistics alone have the busy time, in front. */
static void drop_busy(struct old *o)
{
        if (o->key != PS_PICL_KEY_COMPSTATS || o->n_fields != 4)
                return;
        memmove(o->field, o->field + 2, 2 * sizeof(*o->field));
        o->n_fields = 2;
}

static bool take_old_record(struct old *o, const ps_picl_line *line, ps_picl_form form)
{
        bool has_words = form == PS_PICL_VERBOSE;
        int64_t s, us, node, field = 0;
        const char *p = take_key(o, line->text, form);
        if (!p || !(p = next_number(p, has_words, &s)) || !(p = next_number(p, has_words, &us)) ||
            !(p = next_number(p, has_words, &node)) || !take_stamp(&o->stamp, s, us))
                return false;
        o->node = (int32_t)node;
        o->n_fields = 0;
        if (node != o->node || (node < 0 && node != PS_PICL_HOST))
                return false;
        int wanted = ps_picl_olds[o->key].n_fields;
        const char *next;
        for (; wanted && (next = next_number(p, has_words, &field)); p = next)
                if (o->n_fields < MOST_FIELDS)
                        o->field[o->n_fields++] = field;
        drop_busy(o);
        return wanted < 0 || ((int)o->n_fields == wanted && (has_words || *ps_picl_skip_blanks(p) == '\n'));
}

bool ps_picl_old_looks(const ps_picl_line *line, ps_picl_form form)
{
        struct old o = {0};
        return take_old_record(&o, line, form);
}

/* -- what becomes of it -- */

struct taker {
        ps_picl_log *log;
        ps_picl_place *place;
        const struct old *o;
        ps_picl_rec rec; /* with time, line and code; the rest empty */
        ps_error *err;
};

static ps_status put_record(struct taker *t, ps_picl_type type, int64_t number, unsigned row, ps_time time)
{
        ps_picl_rec rec = t->rec;
        rec.type = (uint8_t)type;
        rec.row = (uint8_t)row;
        rec.time = time;
        if (type != PS_PICL_MARK)
                rec.region = ps_picl_region_at(t->log, number, row, t->err);
        if (type != PS_PICL_MARK && rec.region == PS_NONE)
                return PS_E_NOMEM;
        return ps_picl_add(t->log, t->place, &rec, t->err);
}

static ps_status add_event(struct taker *t, ps_picl_type type, unsigned row)
{
        return put_record(t, type, ps_picl_events[row].number, row, t->rec.time);
}

/* The end of the call that is pending, if there is one. */
static ps_status close_pending(ps_picl_log *log, ps_picl_place *place, ps_time time, ps_error *err)
{
        if (!place->is_pending)
                return PS_OK;
        place->is_pending = false;
        place->pending.time = time;
        return ps_picl_add(log, place, &place->pending, err);
}

/* Type, peer and length of a message; 0 when they are none. */
static bool fill_message(ps_picl_rec *rec, const struct old *o)
{
        int64_t peer = o->field[0], tag = o->field[1], bytes = o->field[2];
        if (peer != (int32_t)peer || tag != (int32_t)tag || bytes < 0)
                return false;
        rec->peer = (int32_t)peer;
        rec->tag = (int32_t)tag;
        rec->value = bytes;
        rec->fields = PS_PICL_PEER | PS_PICL_TAG | PS_PICL_BYTES;
        return true;
}

static ps_status add_message(struct taker *t, ps_picl_type type, unsigned row)
{
        if (!fill_message(&t->rec, t->o))
                ps_picl_note(t->log, PS_I_DATA_INVALID, t->rec.line);
        return add_event(t, type, row);
}

/* A call that is recorded as a point: its entry now, its exit when its statistics come. `has_data`: the exit
 * holds the fields. */
static ps_status add_point(struct taker *t, unsigned row, int exit_has_data)
{
        ps_picl_rec message = t->rec;
        if (exit_has_data && !fill_message(&message, t->o))
                ps_picl_note(t->log, PS_I_DATA_INVALID, t->rec.line);
        PS_TRY(add_event(t, PS_PICL_ENTRY, row));
        const ps_picl_rec *entry = t->place->next - 1;
        message.type = PS_PICL_EXIT;
        message.row = (uint8_t)row;
        message.region = entry->region;
        message.time = entry->time;
        message.code = (uint16_t)(t->log->first_derived + PS_EV_LEAVE);
        t->place->pending = message;
        t->place->is_pending = true;
        t->place->n_compstats = 0;
        return PS_OK;
}

static ps_status add_compstats(struct taker *t)
{
        if (t->place->is_pending && ++t->place->n_compstats == 2)
                PS_TRY(close_pending(t->log, t->place, t->rec.time, t->err));
        return put_record(t, PS_PICL_MARK, 0, PS_PICL_E_NONE, t->rec.time);
}

static ps_status add_until(struct taker *t, unsigned row)
{
        ps_time end = t->rec.time;
        PS_TRY(add_event(t, PS_PICL_ENTRY, row));
        if (!take_stamp(&end, t->o->field[0], t->o->field[1]))
                ps_picl_note(t->log, PS_I_DATA_INVALID, t->rec.line);
        else
                end = ps_picl_clock(t->log, end, t->rec.line);
        t->rec.code = (uint16_t)(t->log->first_derived + PS_EV_LEAVE);
        return put_record(t, PS_PICL_EXIT, ps_picl_events[row].number, row, end);
}

/* Barriers, broadcasts and global operations are blocks of a negative type, tasks of the program others. */
static ps_status add_block(struct taker *t, ps_picl_type type)
{
        static const uint8_t rows[] = {
                [1] = PS_PICL_E_BARRIER, PS_PICL_E_BCAST, PS_PICL_E_BCAST, PS_PICL_E_REDUCE};
        int64_t number = t->o->field[0];
        if (number < INT32_MIN || number > INT32_MAX) {
                ps_picl_note(t->log, PS_I_LINE_INVALID, t->rec.line);
                return PS_OK;
        }
        if (number >= 0)
                return put_record(t, type, number, PS_PICL_E_USER, t->rec.time);
        if (-number >= (int64_t)sizeof(rows)) {
                ps_picl_note(t->log, PS_I_EVENT_UNKNOWN, t->rec.line);
                return put_record(t, type, PS_PICL_BLOCK - number, PS_PICL_E_UNKNOWN, t->rec.time);
        }
        if (type == PS_PICL_ENTRY)
                t->place->depth++;
        else if (t->place->depth)
                t->place->depth--;
        return add_event(t, type, rows[-number]);
}

static ps_status add_record(struct taker *t)
{
        const ps_picl_old *kind = &ps_picl_olds[t->o->key];
        switch ((ps_picl_old_act)kind->act) {
        case PS_PICL_OLD_ENTRY:
                return add_event(t, PS_PICL_ENTRY, kind->row);
        case PS_PICL_OLD_EXIT:
                return add_event(t, PS_PICL_EXIT, kind->row);
        case PS_PICL_OLD_SEND:
                if (!fill_message(&t->rec, t->o))
                        ps_picl_note(t->log, PS_I_DATA_INVALID, t->rec.line);
                return add_point(t, kind->row, 0);
        case PS_PICL_OLD_RECV:
                return add_point(t, kind->row, 1);
        case PS_PICL_OLD_POINT:
                return add_point(t, kind->row, 0);
        case PS_PICL_OLD_SYNC:
                return t->place->depth ? put_record(t, PS_PICL_MARK, 0, PS_PICL_E_NONE, t->rec.time)
                                       : add_point(t, kind->row, 0);
        case PS_PICL_OLD_WAKING:
                return add_message(t, PS_PICL_EXIT, kind->row);
        case PS_PICL_OLD_UNTIL:
                return add_until(t, kind->row);
        case PS_PICL_OLD_COMPSTATS:
                return add_compstats(t);
        case PS_PICL_OLD_BLOCK_BEGIN:
                return add_block(t, PS_PICL_ENTRY);
        case PS_PICL_OLD_BLOCK_END:
                return add_block(t, PS_PICL_EXIT);
        default:
                return put_record(t, PS_PICL_MARK, 0, PS_PICL_E_NONE, t->rec.time);
        }
}

ps_status ps_picl_old_take(ps_picl_log *log, const ps_picl_line *line, uint64_t number, ps_error *err)
{
        struct old o = {0};
        struct taker t = {.log = log, .o = &o, .err = err};
        if (!take_old_record(&o, line, log->form)) {
                ps_picl_note_line(log, line, number);
                return PS_OK;
        }
        PS_TRY(ps_picl_place_at(&t.place, log, o.node, 0, err));
        t.rec = (ps_picl_rec){.time = ps_picl_clock(log, o.stamp, number),
                              .line = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX,
                              .region = PS_NONE,
                              .mate = PS_NONE,
                              .code = ps_picl_code_of_key(log, o.key, err)};
        if (t.rec.code == UINT16_MAX)
                return PS_E_NOMEM;
        log->n_records++;
        log->decimals = US_DECIMALS;
        if (o.key != PS_PICL_KEY_COMPSTATS)
                PS_TRY(close_pending(log, t.place, t.place->last, err));
        return add_record(&t);
}

ps_status ps_picl_old_finish(ps_picl_log *log, ps_error *err)
{
        for (uint32_t i = 0; i < log->n_places; i++)
                PS_TRY(close_pending(log, &log->place[i], log->place[i].last, err));
        return PS_OK;
}
