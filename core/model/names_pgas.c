/* names_pgas.c - from names to kinds for partitioned global address spaces.
 *
 * One call has many spellings: upc_notify in a program, GASP_UPC_NOTIFY in the tool interface of UPC,
 * "UPC_NOTIFY [{a.upc} {7,1}]" or "main => UPC_NOTIFY" in TAU's traces, shmem_int_put and shmem_put32 for one
 * operation of OpenSHMEM. They are brought to one before they are looked up. */
#include "core/model/kinds.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST_NAME = 128 };

enum family { UPC, GASNET, CAF, SHMEM };

static const struct {
        const char *name;
        uint8_t family, kind, nonblocking, sync;
} names[] = {
#define PS_PGAS_NAME(family, name, kind, nonblocking, in, out)                                               \
        {name, family, PS_K_##kind, nonblocking, PS_SYNC_MODES(PS_SYNC_##in, PS_SYNC_##out)},
#include "core/model/names_pgas.def"
#undef PS_PGAS_NAME
};

/* The longer one first where one begins another. */
static const struct {
        const char *text;
        enum family family;
} prefixes[] = {
        {"upc_", UPC},           {"bupc_", UPC}, {"shmem_", SHMEM}, {"pshmem_", SHMEM},  {"shmemx_", SHMEM},
        {"_gfortran_caf_", CAF}, {"caf_", CAF},  {"lib_caf_", CAF}, {"gasnet_", GASNET}, {"gex_", GASNET},
};

/* -- spelling -- */

/* The part of a name that counts, in lower case; 0 when it is too long. */
static bool normalise(char out[LONGEST_NAME], const char *name)
{
        name = ps_name_called(name);
        size_t n = strcspn(name, "([{");
        while (n && isspace((unsigned char)name[n - 1]))
                n--;
        if (n >= LONGEST_NAME)
                return false;
        for (size_t i = 0; i < n; i++)
                out[i] = name[i] == ' ' ? '_' : (char)tolower((unsigned char)name[i]);
        out[n] = '\0';
        if (strncmp(out, "gasp_", 5) == 0)
                memmove(out, out + 5, n - 5 + 1);
        if (strcmp(out, "start_pes") == 0) /* as it was called before OpenSHMEM 1.2 */
                memcpy(out, "shmem_init", sizeof("shmem_init"));
        return true;
}

/* What follows the prefix, and whose it is; NULL when there is none. */
static const char *drop_prefix(const char *text, enum family *out)
{
        for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
                if (*text != *prefixes[i].text) /* so it is of nearly all names, which may be very many */
                        continue;
                size_t n = strlen(prefixes[i].text);
                if (strncmp(text, prefixes[i].text, n) != 0 || !text[n])
                        continue;
                *out = prefixes[i].family;
                return text + n;
        }
        return NULL;
}

static bool starts_with_type(const char *text, size_t n)
{
        static const char *const types[] = {
                "ctx",       "char",    "schar",  "short",   "int",      "long",     "longlong", "float",
                "double",    "uchar",   "ushort", "uint",    "ulong",    "size",     "ptrdiff",  "longdouble",
                "ulonglong", "int8",    "int16",  "int32",   "int64",    "uint8",    "uint16",   "uint32",
                "uint64",    "integer", "real",   "logical", "complexf", "complexd", "complex",  "character",
                "int4",      "real4",   "real8",  "real16",  "comp4",    "comp8",    "nbi"};
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
                if (strlen(types[i]) == n && strncmp(text, types[i], n) == 0)
                        return 1;
        return 0;
}

static const char *drop_types(const char *text)
{
        const char *end;
        while ((end = strchr(text, '_')) != NULL && end[1] && starts_with_type(text, (size_t)(end - text)))
                text = end + 1;
        return text;
}

/* A pattern has at most one *, at its begin or its end. */
static bool matches_pattern(const char *pattern, const char *text)
{
        size_t n = strlen(pattern), len = strlen(text);
        if (pattern[0] == '*')
                return len >= n && strcmp(text + len - (n - 1), pattern + 1) == 0;
        if (pattern[n - 1] == '*')
                return strncmp(text, pattern, n - 1) == 0;
        return strcmp(text, pattern) == 0;
}

static bool look_up(ps_name_info *out, const char *text, enum family family)
{
        if (family == SHMEM)
                text = drop_types(text);
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                if (names[i].family != family || !matches_pattern(names[i].name, text))
                        continue;
                *out = (ps_name_info){.kind = (ps_kind)names[i].kind,
                                      .nonblocking = names[i].nonblocking,
                                      .family = family == SHMEM ? PS_NAMES_SHMEM : PS_NAMES_UPC,
                                      .sync = names[i].sync};
                return true;
        }
        return false;
}

ps_name_info ps_kind_of_pgas_name(const char *name, ps_names family)
{
        ps_name_info info = {.kind = PS_K_NONE};
        enum family named;
        char text[LONGEST_NAME];
        if (!normalise(text, name))
                return info;
        const char *rest = drop_prefix(text, &named);
        bool found = rest && look_up(&info, rest, named);
        if (!rest && family == PS_NAMES_SHMEM)
                found = look_up(&info, text, SHMEM);
        else if (!rest && family == PS_NAMES_UPC)
                found = look_up(&info, text, UPC) || look_up(&info, text, CAF);
        if (found)
                info.sync = (uint8_t)ps_sync_merge(ps_sync_parse(name), info.sync);
        return info;
}

/* -- modes -- */

uint32_t ps_sync_merge(uint32_t modes, uint32_t other)
{
        unsigned in = ps_sync_in(modes) ? ps_sync_in(modes) : ps_sync_in(other);
        unsigned out = ps_sync_out(modes) ? ps_sync_out(modes) : ps_sync_out(other);
        return PS_SYNC_MODES(in, out);
}

/* Without regard to case; `word` is in capitals. */
static bool names_word(const char *text, const char *word)
{
        size_t n = strlen(word);
        for (; *text; text++) {
                size_t i = 0;
                while (i < n && toupper((unsigned char)text[i]) == word[i])
                        i++;
                if (i == n)
                        return true;
        }
        return false;
}

uint32_t ps_sync_parse(const char *text)
{
        static const char *const words[2][4] = {
                {NULL, "UPC_IN_ALLSYNC", "UPC_IN_MYSYNC", "UPC_IN_NOSYNC"},
                {NULL, "UPC_OUT_ALLSYNC", "UPC_OUT_MYSYNC", "UPC_OUT_NOSYNC"}};
        unsigned mode[2] = {PS_SYNC_UNKNOWN, PS_SYNC_UNKNOWN};
        for (int half = 0; half < 2; half++)
                for (unsigned i = PS_SYNC_ALL; i <= PS_SYNC_NO; i++)
                        if (names_word(text, words[half][i]))
                                mode[half] = i;
        if (!mode[0] && !mode[1])
                return 0;
        for (int half = 0; half < 2; half++)
                mode[half] = mode[half] ? mode[half] : PS_SYNC_ALL;
        return PS_SYNC_MODES(mode[0], mode[1]);
}

uint32_t ps_sync_of_flags(uint64_t flags, ps_upc_flags meaning)
{
        static const uint8_t bits[][2][4] = {[PS_UPC_FLAGS_NEW] = {{0, 1, 2, 4}, {0, 8, 16, 32}},
                                             [PS_UPC_FLAGS_OLD] = {{0, 16, 2, 1}, {0, 32, 8, 4}},
                                             [PS_UPC_FLAGS_MTU] = {{0, 0, 2, 1}, {0, 0, 8, 4}}};
        unsigned mode[2] = {PS_SYNC_ALL, PS_SYNC_ALL}, n[2] = {0, 0};
        uint64_t known = 0;
        if (meaning == PS_UPC_FLAGS_UNKNOWN)
                return 0;
        for (int half = 0; half < 2; half++)
                for (unsigned i = PS_SYNC_ALL; i <= PS_SYNC_NO; i++) {
                        uint64_t bit = bits[meaning][half][i];
                        known |= bit;
                        if (!(flags & bit))
                                continue;
                        mode[half] = i;
                        n[half]++;
                }
        return flags & ~known || n[0] > 1 || n[1] > 1 ? 0 : PS_SYNC_MODES(mode[0], mode[1]);
}
