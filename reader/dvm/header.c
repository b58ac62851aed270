/* header.c - see header.h. Nearly every line is none: the first letter tells. */
#include "reader/dvm/header.h"

#include "reader/dvm/chars.h"
#include "reader/dvm/numbers.h"

static ps_dvm_header_kind kind_of(const char **at, const char *end)
{
        const char *p = *at;
        switch (p < end ? *p : '\0') {
        case 'c':
                *at += sizeof("call_") - 1;
                return PS_DVM_BEGINS(p, end, "call_") ? PS_DVM_H_CALL : PS_DVM_H_NONE;
        case 'r':
                *at += sizeof("ret_") - 1;
                return PS_DVM_BEGINS(p, end, "ret_") ? PS_DVM_H_RET : PS_DVM_H_NONE;
        case 'E':
                return PS_DVM_BEGINS(p, end, "Event_dvm_exit") ? PS_DVM_H_EXIT : PS_DVM_H_NONE;
        default:
                return PS_DVM_H_NONE;
        }
}

/* The file's name is the rest of the line. */
static void take_file(ps_dvm_header *h, const char *at, const char *end)
{
        while (end > at && ps_dvm_is(end[-1], PS_DVM_CH_BLANK))
                end--;
        h->file = at;
        h->file_len = strnlen(at, (size_t)(end - at));
}

static void scan_fields(ps_dvm_header *h, const char *at, const char *end)
{
        bool has_time = false, has_line = 0;
        while ((at = ps_dvm_skip_blanks(at, end)) < end && !h->file) {
                const char *word = at, *value = ps_dvm_skip_blanks(at + (end - at < 5 ? end - at : 5), end);
                at = ps_dvm_skip_word(value, end);
                if (PS_DVM_BEGINS(word, end, "TIME="))
                        has_time = ps_dvm_seconds(value, at, &h->time);
                else if (PS_DVM_BEGINS(word, end, "LINE="))
                        has_line = ps_dvm_integer(value, at, &h->line);
                else if (PS_DVM_BEGINS(word, end, "FILE="))
                        take_file(h, value, end);
                else
                        at = ps_dvm_skip_word(word + 1, end);
        }
        h->wrong = !has_time ? "TIME" : !has_line ? "LINE" : !h->file ? "FILE" : NULL;
}

bool ps_dvm_header_scan(ps_dvm_header *h, const char *at, const char *end)
{
        at = ps_dvm_skip_blanks(at, end);
        ps_dvm_header_kind kind = kind_of(&at, end);
        if (kind == PS_DVM_H_NONE)
                return false;
        const char *name_end = ps_dvm_skip_word(at, end), *fields = ps_dvm_skip_blanks(name_end, end);
        size_t name_len = strnlen(at, (size_t)(name_end - at));
        if (name_len == 0 || !PS_DVM_BEGINS(fields, end, "TIME="))
                return false;
        *h = (ps_dvm_header){.kind = kind, .name = at, .name_len = name_len};
        scan_fields(h, fields, end);
        return true;
}
