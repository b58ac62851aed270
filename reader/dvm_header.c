/* dvm_header.c - see dvm_header.h. Nearly every line is none: the first letter tells. */
#include "reader/dvm_header.h"

#include "reader/dvm_numbers.h"

#include <string.h>

static int is_blank(char c)
{
        return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
        while (at < end && is_blank(*at))
                at++;
        return at;
}

static const char *skip_word(const char *at, const char *end)
{
        while (at < end && !is_blank(*at) && *at != ';')
                at++;
        return at;
}

static int begins(const char *at, const char *end, const char *word, size_t len)
{
        return (size_t)(end - at) >= len && memcmp(at, word, len) == 0;
}

#define BEGINS(at, end, word) begins((at), (end), (word), sizeof(word) - 1)

static ps_dvm_header_kind kind_of(const char **at, const char *end)
{
        static const char call[] = "call_", ret[] = "ret_", leave[] = "Event_dvm_exit";
        const char *p = *at;
        switch (p < end ? *p : '\0') {
        case 'c':
                *at += sizeof(call) - 1;
                return BEGINS(p, end, call) ? PS_DVM_H_CALL : PS_DVM_H_NONE;
        case 'r':
                *at += sizeof(ret) - 1;
                return BEGINS(p, end, ret) ? PS_DVM_H_RET : PS_DVM_H_NONE;
        case 'E':
                return BEGINS(p, end, leave) ? PS_DVM_H_EXIT : PS_DVM_H_NONE;
        default:
                return PS_DVM_H_NONE;
        }
}

/* The value of KEY = VALUE; NULL when something else stands there. *at moves behind it. */
static const char *value_of(const char **at, const char *end, const char *key, size_t len,
                            const char **value_end)
{
        if (!begins(*at, end, key, len))
                return NULL;
        const char *p = skip_blanks(*at + len, end);
        if (p == end || *p != '=')
                return NULL;
        p = skip_blanks(p + 1, end);
        *value_end = *at = skip_word(p, end);
        return p;
}

#define VALUE_OF(at, end, key, value_end) value_of((at), (end), (key), sizeof(key) - 1, (value_end))

/* The file's name is the rest of the line. */
static void take_file(ps_dvm_header *h, const char *at, const char *end)
{
        while (end > at && is_blank(end[-1]))
                end--;
        h->file = at;
        h->file_len = (size_t)(end - at);
}

static void scan_fields(ps_dvm_header *h, const char *at, const char *end)
{
        int has_time = 0, has_line = 0;
        while ((at = skip_blanks(at, end)) < end && !h->file) {
                const char *value, *value_end;
                if ((value = VALUE_OF(&at, end, "TIME", &value_end)))
                        has_time = ps_dvm_seconds(value, value_end, &h->time);
                else if ((value = VALUE_OF(&at, end, "LINE", &value_end)))
                        has_line = ps_dvm_integer(value, value_end, &h->line);
                else if ((value = VALUE_OF(&at, end, "FILE", &value_end)))
                        take_file(h, value, end);
                else
                        at = skip_word(at + 1, end);
        }
        h->wrong = !has_time ? "TIME" : !has_line ? "LINE" : !h->file ? "FILE" : NULL;
}

int ps_dvm_header_scan(ps_dvm_header *h, const char *at, const char *end)
{
        at = skip_blanks(at, end);
        ps_dvm_header_kind kind = kind_of(&at, end);
        if (kind == PS_DVM_H_NONE)
                return 0;
        const char *name_end = skip_word(at, end), *fields = skip_blanks(name_end, end);
        if (name_end == at || !BEGINS(fields, end, "TIME"))
                return 0;
        *h = (ps_dvm_header){.kind = kind, .name = at, .name_len = (size_t)(name_end - at)};
        scan_fields(h, fields, end);
        return 1;
}
