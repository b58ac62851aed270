/* text.h - small questions about texts. */
#ifndef PS_CORE_BASE_TEXT_H
#define PS_CORE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whatever the locale: files are read alike everywhere. */
static inline bool ps_text_is_digit(char c)
{
        return c >= '0' && c <= '9';
}

/* Takes `ending` off `text`, whose length is *len, unless nothing would be left. */
static inline void ps_text_drop_ending(char *text, size_t *len, const char *ending)
{
        size_t n = strlen(ending);
        if (*len > n && strcmp(text + *len - n, ending) == 0)
                text[ *len -= n] = '\0';
}

/* The file's name, without its folders; the whole path where that ends with a slash. */
static inline const char *ps_file_name(const char *path)
{
        const char *slash = strrchr(path, '/');
        return slash && slash[1] ? slash + 1 : path;
}

/* The bytes of the UTF-8 character at `text`, which ends with a NUL somewhere; 0 when there is none. */
size_t ps_text_decode(const char *text, uint32_t *point);

/* The word as a shell takes it: in quotes, unless it can do without. To be freed; NULL without memory. */
char *ps_text_quoted(const char *word);
/* The same of a path, which a command does not take for an option. */
char *ps_text_quoted_path(const char *path);

/* Characters that steer terminals, reorder or hide what is shown, or are none in XML. */
bool ps_char_misleads(uint32_t point);

typedef struct ps_char_range {
        uint32_t from, to;
} ps_char_range;
bool ps_char_is_in(uint32_t point, const ps_char_range *ranges, size_t n);

#endif
