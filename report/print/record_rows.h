/* record_rows.h - the words of which tables of records are made, for make_record.def: record.h explains them.
 * Each is a ROW(id, key, form, kind, is_nullable, may_be_missing, (record, words, n_words), doc, statement).
 */
#ifndef PS_REPORT_PRINT_RECORD_ROWS_H
#define PS_REPORT_PRINT_RECORD_ROWS_H

#include "report/print/ready.h"
#include "report/print/record.h"
#include <math.h>

/* What writes a value of each kind. */
#define ps_put_text     ps_row_text
#define ps_put_name     ps_row_text
#define ps_put_sentence ps_row_text
#define ps_put_word     ps_row_word
#define ps_put_hash     ps_row_word
#define ps_put_own_hash ps_row_word
#define ps_put_id       ps_row_word
#define ps_put_flag     ps_row_bool
#define ps_put_count    ps_row_u64
#define ps_put_integer  ps_row_i64
#define ps_put_time     ps_row_time
#define ps_put_moment   ps_row_time
#define ps_put_seconds  ps_row_seconds
#define ps_put_share    ps_row_share
#define ps_put_number   ps_row_share
#define ps_put_real     ps_row_real
static inline void ps_put_index(ps_row *to, const char *key, uint32_t value)
{
        ps_row_known(u64, to, key, value, value != PS_NONE);
}
static inline void ps_put_line(ps_row *to, const char *key, uint64_t value)
{
        ps_row_known(u64, to, key, value, value);
}

#define NONE_        (NULL, NULL, 0)
#define OF_(r)       (&ps_record_##r, NULL, 0)
#define WORDS_(w)    (NULL, w, sizeof(w) / sizeof(*(w)))
#define LISTED_(...) __VA_ARGS__

#define FIELD(id, key, kind, value, doc)                                                                     \
        ROW(id, key, VALUE, kind, 0, 0, NONE_, doc, ps_put_##kind(to, key, value))
#define OPTION(id, key, kind, value, known, doc)                                                             \
        ROW(id, key, VALUE, kind, 1, 0, NONE_, doc, if (known) ps_put_##kind(to, key, value);                \
            else ps_row_null(to, key))
#define FINITE(id, key, kind, value, doc) OPTION(id, key, kind, value, isfinite(value), doc)
#define EXTRA(id, key, kind, value, is_there, doc)                                                           \
        ROW(id, key, VALUE, kind, 0, 1, NONE_, doc, if (is_there) ps_put_##kind(to, key, value);             \
            else if (to->style == PS_ROW_CSV) ps_row_null(to, key))
#define WORD_(id, key, is_nullable, words, doc, call)                                                        \
        ROW(id, key, VALUE, word, is_nullable, 0, WORDS_(words), doc, call)
#define WORD(id, key, words, value, doc)           WORD_(id, key, 0, words, doc, ps_row_word(to, key, value))
#define WORD_OR_NULL(id, key, words, value, doc)   WORD_(id, key, 1, words, doc, ps_row_word(to, key, value))
#define WORD_IN_QUOTES(id, key, words, value, doc) WORD_(id, key, 0, words, doc, ps_row_text(to, key, value))
#define LIST(id, key, kind, n, value, doc)                                                                   \
        ROW(id, key, LIST, kind, 0, 0, NONE_, doc, ps_row_open(to, key, '[');                                \
            for (size_t i = 0; i < (n); i++) ps_put_##kind(to, NULL, value); ps_row_close(to, ']'))
#define LIST_OR_NULL(id, key, kind, is_known, n, value, doc)                                                 \
        ROW(                                                                                                 \
                id, key, LIST, kind, 1, 0, NONE_, doc, if (!(is_known)) ps_row_null(to, key); else {         \
                        ps_row_open(to, key, '[');                                                           \
                        for (size_t i = 0; i < (n); i++)                                                     \
                                ps_put_##kind(to, NULL, value);                                              \
                        ps_row_close(to, ']');                                                               \
                })
#define LIST_BY(id, key, kind, call, doc)         ROW(id, key, LIST, kind, 0, 0, NONE_, doc, call)
#define LIST_BY_OR_NULL(id, key, kind, call, doc) ROW(id, key, LIST, kind, 1, 0, NONE_, doc, call)
#define CALL(id, key, kind, call, doc)            ROW(id, key, VALUE, kind, 0, 0, NONE_, doc, call)
#define CALL_OR_NULL(id, key, kind, call, doc)    ROW(id, key, VALUE, kind, 1, 0, NONE_, doc, call)
#define OPEN(id, key, doc)                        ROW(id, key, OPEN, object, 0, 0, NONE_, doc, ps_row_open(to, key, '{'))
#define OPEN_OR_NULL(id, key, is_known, doc)                                                                 \
        ROW(id, key, OPEN, object, 1, 0, NONE_, doc, if (is_known) ps_row_open(to, key, '{');                \
            else ps_row_null(to, key))
#define CLOSE(id) ROW(id##_end, "", CLOSE, object, 0, 0, NONE_, NULL, ps_row_close(to, '}'))
#define RECORD_OF(id, key, record, in, it, doc)                                                              \
        ROW(id, key, RECORD, object, 0, 0, OF_(record), doc,                                                 \
            ps_record_put(to, key, &ps_record_##record, in, it))
#define RECORD_OR_NULL(id, key, record, in, it, doc)                                                         \
        ROW(id, key, RECORD, object, 1, 0, OF_(record), doc,                                                 \
            ps_record_put(to, key, &ps_record_##record, in, it))
#define RECORD_IF(id, key, record, in, it, doc)                                                              \
        ROW(id, key, RECORD, object, 0, 1, OF_(record), doc,                                                 \
            if (it) ps_record_put(to, key, &ps_record_##record, in, it))
#define RECORD_BY(id, key, record, call, doc) ROW(id, key, RECORD, object, 0, 0, OF_(record), doc, call)
#define RECORD_BY_OR_NULL(id, key, record, call, doc)                                                        \
        ROW(id, key, RECORD, object, 1, 0, OF_(record), doc, call)
#define MEMBERS(id, record, in, it)                                                                          \
        ROW(id, "", MEMBERS, object, 0, 0, OF_(record), NULL,                                                \
            ps_record_put_members(to, &ps_record_##record, in, it))
#define MEMBERS_IF(id, record, in, it, is_there)                                                             \
        ROW(id, "", MEMBERS, object, 0, 1, OF_(record), NULL,                                                \
            if (is_there) ps_record_put_members(to, &ps_record_##record, in, it))
#define MEMBERS_IN_LINE(id, record, in, it)                                                                  \
        ROW(id, "", MEMBERS, object, 0, 0, OF_(record), NULL,                                                \
            ps_record_put_line(to, &ps_record_##record, in, it))
#define ROWS(id, key, record, in, first, n, doc)                                                             \
        ROW(id, key, ROWS, object, 0, 0, OF_(record), doc,                                                   \
            ps_record_put_rows(to, key, &ps_record_##record, in, first, n, sizeof(*(first))))
#define LINES(id, key, record, in, first, n, doc)                                                            \
        ROW(id, key, ROWS, object, 0, 0, OF_(record), doc,                                                   \
            ps_records_put(to, key, &ps_record_##record, in, first, n, sizeof(*(first))))
#define LINES_IF(id, key, record, in, first, n, is_there, doc)                                               \
        ROW(id, key, ROWS, object, 0, 1, OF_(record), doc,                                                   \
            if ((is_there) || to->style == PS_ROW_CSV)                                                       \
                    ps_records_put(to, key, &ps_record_##record, in, first, n, sizeof(*(first))))
#define TABLE(id, key, record, call, doc)         ROW(id, key, ROWS, object, 0, 0, OF_(record), doc, call)
#define TABLE_OR_NULL(id, key, record, call, doc) ROW(id, key, ROWS, object, 1, 0, OF_(record), doc, call)
#define MAP(id, key, record, call, doc)           ROW(id, key, MAP, object, 0, 0, OF_(record), doc, call)
#define MAP_OR_NULL(id, key, record, call, doc)   ROW(id, key, MAP, object, 1, 0, OF_(record), doc, call)

/* Of RECORD_SAME. */
#define SAME(first, last, key)                                                                               \
        {                                                                                                    \
                PS_FIELD_NUMBER(first), PS_FIELD_NUMBER(last), key                                           \
        }

/* Names made of RECORD, as it stands at the time. */
#define PS_JOIN_(a, b)      a##b
#define PS_JOIN(a, b)       PS_JOIN_(a, b)
#define PS_NAME_(a)         #a
#define PS_NAME(a)          PS_NAME_(a)
#define PS_FIELD_NUMBER(id) PS_JOIN(PS_JOIN(RECORD, _field_), id)

#endif
