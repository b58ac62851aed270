/* rows.h - the rows of a thread, one after the other. What a process that was killed left is as good as all
 * else, up to where it ends. */
#ifndef PS_RECORD_FINISH_ROWS_H
#define PS_RECORD_FINISH_ROWS_H

#include "core/base/error.h"
#include "record/raw/raw.h"

#include <stdbool.h>

typedef struct ps_rows {
        uint8_t *data; /* mapped, not to be changed */
        size_t size, at;
        ps_raw_head head;
} ps_rows;

ps_status ps_rows_open(ps_rows *out, const char *path, ps_error *err);
void ps_rows_close(ps_rows *rows);
void ps_rows_rewind(ps_rows *rows);
/* 0: there are no more. Its notes are rows->data[at .. at + row.size). */
bool ps_rows_next(ps_rows *rows, ps_raw_row *row, const uint8_t **notes);

/* The next note before `end`; 0: there are no more. */
bool ps_notes_next(const uint8_t **at, const uint8_t *end, ps_raw_note *note,
                   uint64_t field[PS_RAW_FIELDS_MOST]);

#endif
