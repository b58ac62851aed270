/* rows.c - see rows.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/finish/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

ps_status ps_rows_open(ps_rows *out, const char *path, ps_error *err)
{
        struct stat info;
        int file = open(path, O_RDONLY | O_CLOEXEC);
        *out = (ps_rows){.at = PS_RAW_HEAD_BYTES};
        if (file < 0 || fstat(file, &info))
                return PS_FAIL(err, PS_E_INPUT,
                               "cannot open what a thread recorded: path=\"%s\", reason=\"%s\"", path,
                               strerror(errno));
        out->size = (size_t)info.st_size;
        void *data = out->size >= PS_RAW_HEAD_BYTES ? mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, file, 0)
                                                    : MAP_FAILED;
        (void)close(file);
        if (data == MAP_FAILED) {
                out->size = 0; /* killed before the first row: none */
                return PS_OK;
        }
        out->data = data;
        memcpy(&out->head, data, sizeof(out->head));
        if (!out->head.version[0]) { /* killed before the head was written */
                ps_rows_close(out);
                return PS_OK;
        }
        if (memcmp(out->head.version, PS_RAW_VERSION, sizeof(PS_RAW_VERSION)) == 0)
                return PS_OK;
        ps_rows_close(out);
        return PS_FAIL(err, PS_E_INPUT, "this is no file of a recording: path=\"%s\"", path);
}

void ps_rows_close(ps_rows *rows)
{
        if (rows->data)
                (void)munmap(rows->data, rows->size);
        rows->data = NULL;
        rows->size = 0;
}

void ps_rows_rewind(ps_rows *rows)
{
        rows->at = PS_RAW_HEAD_BYTES;
}

bool ps_rows_next(ps_rows *rows, ps_raw_row *row, const uint8_t **notes)
{
        if (rows->at + sizeof(*row) > rows->size)
                return 0;
        memcpy(row, rows->data + rows->at, sizeof(*row));
        size_t left = rows->size - rows->at - sizeof(*row);
        if (!row->enter || row->size > left || row->size % PS_RAW_ALIGN)
                return 0;
        *notes = rows->data + rows->at + sizeof(*row);
        rows->at += sizeof(*row) + row->size;
        return 1;
}

static bool take_number(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
        *out = 0;
        for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
                uint8_t byte = *(*at)++;
                *out |= (uint64_t)(byte & 0x7f) << shift;
                if (!(byte & 0x80))
                        return 1;
        }
        return 0;
}

bool ps_notes_next(const uint8_t **at, const uint8_t *end, ps_raw_note *note,
                   uint64_t field[PS_RAW_FIELDS_MOST])
{
        static const uint8_t n_fields[PS_RAW_NOTES] = {
#define PS_NOTE(id, n) [PS_RAW_##id] = (n),
#include "record/raw/notes.def"
#undef PS_NOTE
        };
        while (*at < end && **at == PS_RAW_NONE)
                ++*at;
        if (*at == end || **at >= PS_RAW_NOTES)
                return 0;
        *note = (ps_raw_note) * (*at)++;
        for (unsigned i = 0; i < n_fields[*note]; i++)
                if (!take_number(at, end, &field[i]))
                        return 0;
        return 1;
}
