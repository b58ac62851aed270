/* text.c - see text.h. */
#include "core/base/text.h"

#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

bool ps_char_is_in(uint32_t point, const ps_char_range *ranges, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (point <= ranges[i].to)
                        return point >= ranges[i].from;
        return 0;
}

bool ps_char_misleads(uint32_t point)
{
        static const ps_char_range bad[] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},
                                            {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},
                                            {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff},
                                            {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff}};

        return ps_char_is_in(point, bad, sizeof(bad) / sizeof(*bad));
}

size_t ps_text_decode(const char *text, uint32_t *point)
{
        static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        const unsigned char *s = (const unsigned char *)text;
        uint8_t n = s[0] < 0x80   ? 1
                    : s[0] < 0xc0 ? 0
                    : s[0] < 0xe0 ? 2
                    : s[0] < 0xf0 ? 3
                    : s[0] < 0xf8 ? 4
                                  : 0;

        if (n < 2) {
                *point = s[0];
                return n;
        }
        *point = s[0] & (0x7fu >> n);
        for (uint8_t i = 1; i < n; i++) {
                if ((s[i] & 0xc0) != 0x80)
                        return 0;
                *point = *point << 6 | (s[i] & 0x3fu);
        }
        if (*point < least[n] || *point > 0x10ffff || (*point >= 0xd800 && *point <= 0xdfff))
                return 0;
        return n;
}

char *ps_text_quoted(const char *word)
{
        static const char plain[] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-=:@%,";
        static const char quote[] = "'\\''"; /* inside of quotes: they end, it comes, they begin again */
        const size_t room = strlen(word) * (sizeof(quote) - 1) + sizeof("''");
        const bool is_plain = *word && !word[strspn(word, plain)];
        char *text = ps_memory_new(room), *to = text;
        if (!text)
                return NULL;
        if (!is_plain)
                *to++ = '\'';
        for (; *word; word++)
                if (*word == '\'')
                        to = (char *)memcpy(to, quote, sizeof(quote) - 1) + sizeof(quote) - 1;
                else
                        *to++ = *word;
        if (!is_plain)
                *to++ = '\'';
        *to = '\0';
        return text;
}

char *ps_text_quoted_path(const char *path)
{
        if (path[0] != '-' || !path[1]) /* - is the standard input */
                return ps_text_quoted(path);
        const size_t room = strlen(path) + sizeof("./");
        char *here = ps_memory_new(room), *quoted = NULL;
        if (here) {
                snprintf(here, room, "./%s", path);
                quoted = ps_text_quoted(here);
        }
        free(here);
        return quoted;
}
