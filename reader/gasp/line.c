/* line.c - see line.h. Names of files and events may hold any sign, so that the ends of their
 * fields are looked for from what follows them. */
#include "reader/gasp/line.h"

#include "core/base/hash.h"
#include "core/model/format.h"

#include <string.h>

struct cursor {
        const char *at, *end;
};

static bool take_text(struct cursor *c, const char *text)
{
        size_t n = strlen(text);
        if ((size_t)(c->end - c->at) < n || memcmp(c->at, text, n) != 0)
                return false;
        c->at += n;
        return true;
}

/* Digits, as a number that stops growing at `most`. */
static bool take_number(struct cursor *c, uint64_t most, uint64_t *out)
{
        const char *begin = c->at;
        *out = 0;
        for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
                *out = *out > most / 10 ? most : 10 * *out + (uint64_t)(*c->at - '0');
        *out = *out > most ? most : *out;
        return c->at > begin;
}

static bool take_time(struct cursor *c, ps_gasp_line *out)
{
        uint64_t seconds, most = PS_READER_TIME_LIMIT / PS_PS_PER_S;
        if (!take_number(c, UINT32_MAX, &seconds))
                return false;
        out->out_of_range = seconds >= most;
        out->time = (ps_time)(seconds < most ? seconds : most - 1) * PS_PS_PER_S;
        if (!take_text(c, "."))
                return true;
        ps_time unit = PS_PS_PER_S / 10;
        const char *begin = c->at;
        for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++, unit /= 10)
                out->time += (*c->at - '0') * unit;
        return c->at > begin;
}

/* Back over ":DIGITS" at the end of the text. */
static bool drop_number(ps_gasp_text *text, uint64_t *out)
{
        size_t n = text->n;
        while (n && text->at[n - 1] >= '0' && text->at[n - 1] <= '9')
                n--;
        struct cursor c = {text->at + n, text->at + text->n};
        if (!n || text->at[n - 1] != ':' || !take_number(&c, UINT32_MAX, out))
                return false;
        text->n = n - 1;
        return true;
}

static const char *find_text(const struct cursor *c, const char *what)
{
        size_t n = strlen(what);
        for (const char *at = c->at; (size_t)(c->end - at) >= n; at++)
                if (memcmp(at, what, n) == 0)
                        return at;
        return NULL;
}

static bool take_place(struct cursor *c, ps_gasp_line *out)
{
        uint64_t column, line;
        const char *end = find_text(c, "] ");
        if (!take_text(c, "[") || !end)
                return false;
        out->file = (ps_gasp_text){c->at, (size_t)(end - c->at)};
        if (!drop_number(&out->file, &column) || !drop_number(&out->file, &line))
                return false;
        out->line = (uint32_t)(line < INT32_MAX ? line : 0);
        c->at = end + 2;
        return true;
}

static ps_gasp_text trim(ps_gasp_text text)
{
        while (text.n && (text.at[0] == ' ' || text.at[0] == '\t'))
                text = (ps_gasp_text){text.at + 1, text.n - 1};
        while (text.n && (text.at[text.n - 1] == ' ' || text.at[text.n - 1] == '\r'))
                text.n--;
        return text;
}

/* "TAG START { ... }": a user's tag may hold blanks. */
static bool take_event(struct cursor *c, ps_gasp_line *out)
{
        static const char *const types[] = {" START", " END", " ATOMIC"};
        const char *brace = find_text(c, " {");
        ps_gasp_text head = trim((ps_gasp_text){c->at, brace ? (size_t)(brace - c->at) : 0});
        ps_gasp_text rest = trim((ps_gasp_text){c->at, (size_t)(c->end - c->at)});
        if (!brace || rest.at[rest.n - 1] != '}')
                return false;
        for (int i = 0; i < 3; i++) {
                size_t n = strlen(types[i]);
                if (head.n <= n || memcmp(head.at + head.n - n, types[i], n) != 0)
                        continue;
                out->type = (ps_gasp_type)i;
                out->tag = trim((ps_gasp_text){head.at, head.n - n});
                out->arguments =
                        trim((ps_gasp_text){brace + 2, (size_t)(rest.at + rest.n - 1 - (brace + 2))});
                return out->tag.n > 0;
        }
        return false;
}

const char *ps_gasp_line_parse(ps_gasp_line *out, const char *text, size_t n)
{
        struct cursor c = {text, text + n};
        uint64_t thread, threads;
        memset(out, 0, sizeof(*out));
        if (!take_number(&c, UINT32_MAX, &thread) || !take_text(&c, "/") ||
            !take_number(&c, UINT32_MAX, &threads) || !take_text(&c, " "))
                return "does not begin with thread/threads";
        if (!threads || threads > PS_GASP_MOST_THREADS || thread >= threads)
                return "has an impossible thread";
        if (!take_time(&c, out) || !take_text(&c, "> "))
                return "has no time";
        if (!take_place(&c, out))
                return "has no place";
        if (!take_event(&c, out))
                return "has no event";
        out->thread = (uint32_t)thread;
        out->threads = (uint32_t)threads;
        return NULL;
}

bool ps_gasp_line_is_chatter(const char *text, size_t n)
{
        static const char *const chatter[] = {"Execution complete", "File output disabled"};
        if (trim((ps_gasp_text){text, n}).n == 0)
                return 1;
        for (size_t i = 0; i < sizeof(chatter) / sizeof(chatter[0]); i++)
                if (n >= strlen(chatter[i]) && memcmp(text, chatter[i], strlen(chatter[i])) == 0)
                        return 1;
        return 0;
}

ps_gasp_text ps_gasp_argument(const ps_gasp_line *line, unsigned i)
{
        const char *at = line->arguments.at, *end = at + line->arguments.n;
        for (unsigned k = 0; at < end; k++) {
                const char *begin = at;
                for (int depth = 0; at < end && (depth > 0 || *at != ','); at++)
                        depth += *at == '<' ? 1 : *at == '>' && depth ? -1 : 0;
                if (k == i)
                        return trim((ps_gasp_text){begin, (size_t)(at - begin)});
                at += at < end;
        }
        return (ps_gasp_text){end, 0};
}

uint64_t ps_gasp_number(ps_gasp_text argument)
{
        struct cursor c = {argument.at, argument.at + argument.n};
        uint64_t value;
        return take_number(&c, UINT64_MAX / 16, &value) && c.at == c.end ? value : 0;
}

uint32_t ps_gasp_thread(const ps_gasp_line *line, ps_gasp_text argument)
{
        struct cursor c = {argument.at, argument.at + argument.n};
        uint64_t thread;
        c.at = find_text(&c, "thread");
        if (!c.at)
                return PS_NONE;
        c.at += strlen("thread");
        while (take_text(&c, " ") || take_text(&c, "="))
                ;
        return take_number(&c, UINT32_MAX, &thread) && thread < line->threads ? (uint32_t)thread : PS_NONE;
}

uint64_t ps_gasp_id(ps_gasp_text argument)
{
        return ps_hash_bytes(argument.at, argument.n);
}
