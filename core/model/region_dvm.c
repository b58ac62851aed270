/* region_dvm.c - see region_dvm.h. */
#include "core/model/region_dvm.h"

#include "core/base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char begin[] = "dvm:";

static const char *const purposes[PS_N_PURPOSES] = {
#define PS_PURPOSE(id, key) key,
#include "core/model/purposes.def"
#undef PS_PURPOSE
};

static const char *const marks[PS_N_MARKS] = {
#define PS_MARK(id, key) key,
#include "core/model/purposes.def"
#undef PS_MARK
};

bool ps_region_dvm_is_same(const ps_region_dvm *a, const ps_region_dvm *b)
{
        return a->copies == b->copies && a->purpose == b->purpose && a->mark == b->mark &&
               a->counts == b->counts && a->has_index == b->has_index && a->index == b->index;
}

bool ps_region_dvm_is_any(const ps_region_dvm *part)
{
        return !ps_region_dvm_is_same(part, &(ps_region_dvm){0});
}

const char *ps_region_dvm_text(char room[PS_REGION_DVM_ROOM], const ps_region_dvm *part)
{
        int n = snprintf(room, PS_REGION_DVM_ROOM, "%s", begin);
        if (part->copies)
                n += snprintf(room + n, PS_REGION_DVM_ROOM - (size_t)n, " copies=%" PRIu32, part->copies);
        if (part->purpose)
                n += snprintf(room + n, PS_REGION_DVM_ROOM - (size_t)n, " purpose=%s",
                              purposes[part->purpose]);
        if (part->counts)
                n += snprintf(room + n, PS_REGION_DVM_ROOM - (size_t)n, " operation=1");
        if (part->mark)
                n += snprintf(room + n, PS_REGION_DVM_ROOM - (size_t)n, " interval=%s", marks[part->mark]);
        if (part->has_index)
                snprintf(room + n, PS_REGION_DVM_ROOM - (size_t)n, " index=%" PRId64, part->index);
        return room;
}

/* The place of the first `len` bytes of `text` in the list; 0: they are not there. */
static uint8_t find_key(const char *const *keys, uint8_t n, const char *text, size_t len)
{
        for (uint8_t i = 1; i < n; i++)
                if (strlen(keys[i]) == len && strncmp(keys[i], text, len) == 0)
                        return i;
        return 0;
}

static bool parse_number(int64_t *out, const char *text, int64_t least, int64_t most)
{
        return ps_number_signed(&text, least, most, out) && (!*text || *text == ' ');
}

/* One word of `len` bytes; false: it means nothing. */
static bool parse_word(ps_region_dvm *part, const char *word, size_t len)
{
        size_t key = strcspn(word, "= ");
        const char *value = word + key + 1;
        int64_t number;
        if (key >= len || word[key] != '=')
                return false;
        size_t rest = len - key - 1;
        if (strncmp(word, "copies", key) == 0 && key == 6) {
                bool is_good = parse_number(&number, value, 0, UINT32_MAX) && number > 0;
                part->copies = is_good ? (uint32_t)number : 0;
                return is_good;
        }
        if (strncmp(word, "operation", key) == 0 && key == 9)
                return (part->counts = parse_number(&number, value, 0, 1) && number) != 0;
        if (strncmp(word, "index", key) == 0 && key == 5) {
                part->has_index = parse_number(&number, value, INT64_MIN, INT64_MAX);
                part->index = part->has_index ? number : 0;
                return part->has_index;
        }
        if (strncmp(word, "purpose", key) == 0 && key == 7)
                return (part->purpose = find_key(purposes, PS_N_PURPOSES, value, rest)) != 0;
        if (strncmp(word, "interval", key) == 0 && key == 8)
                return (part->mark = find_key(marks, PS_N_MARKS, value, rest)) != 0;
        return false;
}

ps_region_dvm ps_region_dvm_parse(const char *text)
{
        ps_region_dvm part = {0};
        if (strncmp(text, begin, sizeof(begin) - 1) != 0)
                return part;
        for (const char *at = text + sizeof(begin) - 1; *at;) {
                at += strspn(at, " ");
                size_t len = strcspn(at, " ");
                if (len && !parse_word(&part, at, len))
                        return (ps_region_dvm){0};
                at += len;
        }
        return part;
}
