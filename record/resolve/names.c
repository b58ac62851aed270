/* names.c - see names.h. */
#include "record/resolve/names.h"

#include "core/base/memory.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* -- from declarations to names -- */

/* "operator<", "operator()": its signs are not brackets. Returns behind it; `c` if none begins there. */
static const char *pass_operator(const char *c)
{
        static const char word[] = "operator";
        const size_t n = sizeof(word) - 1;
        if (strncmp(c, word, n) != 0 || isalnum((unsigned char)c[n]) || c[n] == '_')
                return c;
        c += n;
        if (strncmp(c, "()", 2) == 0 || strncmp(c, "[]", 2) == 0)
                return c + 2;
        return c + strspn(c, "<>=!+-*/%^&|~,");
}

/* Behind what a bracket opens; the end of the text if it is never closed. */
static const char *pass_brackets(const char *c)
{
        unsigned depth = 0;
        do {
                const char *behind = strncmp(c, "->", 2) == 0 ? c + 2 : pass_operator(c);
                depth += behind == c && (*c == '(' || *c == '<' || *c == '{');
                depth -= behind == c && (*c == ')' || *c == '>' || *c == '}');
                c = behind == c ? c + 1 : behind;
        } while (depth && *c);
        return c;
}

/* As in "(anonymous namespace)::f", which are no parameters. */
static bool is_name_in_brackets(const char *c)
{
        static const char anonymous[] = "(anonymous namespace)";
        return strncmp(c, anonymous, sizeof(anonymous) - 1) == 0;
}

/* The next part of a declaration: a sign, an operator, or all that is in brackets. Returns behind it. */
static const char *pass_part(const char *c, bool *is_operator)
{
        const char *behind = pass_operator(c);
        *is_operator |= behind != c;
        return behind != c ? behind : *c == '(' || *c == '<' || *c == '{' ? pass_brackets(c) : c + 1;
}

void ps_plain_name_cut(char *declaration)
{
        char *out = declaration;
        bool has_operator = false; /* "operator bool" has a blank in it */
        for (const char *c = declaration, *behind; *c; c = behind) {
                behind = pass_part(c, &has_operator);
                if (*c == ' ' && !has_operator) {
                        out = declaration; /* what came so far is the result */
                } else if (*c != '(' || is_name_in_brackets(c)) {
                        memmove(out, c, (size_t)(behind - c));
                        out += behind - c;
                } else if (*behind != ':') {
                        break; /* at the parameters of all, not of a function around it */
                }
        }
        *out = '\0';
}

/* -- from symbols to declarations -- */

typedef char *read_symbol(const char *symbol, char *room, size_t *size, int *status);

/* Of the C++ library, which is there where a program of C++ is. It stays loaded. */
static read_symbol *find_reader(void)
{
        static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
        read_symbol *reader = NULL;
        for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries) && !reader; i++) {
                void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
                void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
                memcpy(&reader, &found, sizeof(reader));
        }
        return reader;
}

/* NULL: it cannot be read. To be freed. */
static char *read_name(const char *symbol)
{
        static read_symbol *reader;
        int status;
        if (!reader && !(reader = find_reader()))
                return NULL;
        char *text = reader(symbol, NULL, NULL, &status);
        if (text)
                ps_plain_name_cut(text);
        return text;
}

const char *ps_plain_name(ps_plain_names *names, const char *symbol)
{
        if (!symbol || strncmp(symbol, "_Z", 2) != 0)
                return symbol;
        const char *part = symbol + strcspn(symbol, "."); /* such as ".constprop.0", as of C functions */
        char *whole = strndup(symbol, (size_t)(part - symbol)), *text = whole ? read_name(whole) : NULL;
        const size_t n = text ? strlen(text) : 0, n_part = strlen(part);
        char *name = n ? ps_memory_new(n + n_part + 1) : NULL;
        if (name) {
                memcpy(name, text, n);
                memcpy(name + n, part, n_part + 1);
        }
        free(whole);
        free(text);
        if (name && PS_PUSH(names->text, name) == 0)
                return name;
        free(name);
        return symbol;
}

void ps_plain_names_clear(ps_plain_names *names)
{
        for (uint32_t i = 0; i < names->text.n; i++)
                free(names->text.row[i]);
        free(names->text.row);
        *names = (ps_plain_names){0};
}
