/* request.c - see request.h. */
#include "serve/request.h"

#include "core/base/memory.h"
#include "core/base/number.h"
#include "report/page/picture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

ps_status ps_serve_make_token(char token[PS_SERVE_TOKEN_ROOM], ps_error *err)
{
        uint64_t random[2];
        if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
                return PS_FAIL(err, PS_E_OUTPUT, "cannot get random numbers: error=\"%s\"", strerror(errno));
        ps_number_print_hex(token, random[0]);
        ps_number_print_hex(token + 16, random[1]);
        return PS_OK;
}

static ps_answer say(unsigned status, const char *text)
{
        return (ps_answer){.status = status, .type = "text/plain", .bytes = text, .n = strlen(text)};
}

/* -- who asks -- */

/* This machine, by any port: a tunnel has one of its own. */
static bool is_here(const char *host)
{
        static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                size_t n = strlen(names[i]);
                uint64_t port;
                if (strncasecmp(host, names[i], n) != 0)
                        continue;
                const char *at = host + n + (host[n] == ':');
                if (!host[n] || (host[n] == ':' && ps_number_whole(&at, 65535, &port) && !*at))
                        return true;
        }
        return false;
}

static bool is_own_page(const char *origin, const char *host)
{
        static const char scheme[] = "http://";
        return strncmp(origin, scheme, sizeof(scheme) - 1) == 0 &&
               strcasecmp(origin + sizeof(scheme) - 1, host) == 0;
}

/* What follows "/TOKEN/"; NULL: another token. It takes the same time however much of it is right. */
static const char *behind_token(const char *path, const char *token)
{
        size_t n = strlen(token);
        unsigned differs = 0;
        if (strlen(path) < n + 2 || path[0] != '/' || path[n + 1] != '/')
                return NULL;
        for (size_t i = 0; i < n; i++)
                differs |= (unsigned char)path[i + 1] ^ (unsigned char)token[i];
        return differs ? NULL : path + n + 2;
}

/* -- what is asked for -- */

/* Rising numbers and ranges, such as 0-7,12. */
static bool read_lanes(uint32_t *lane, uint32_t *n, uint32_t n_lanes, const char *text)
{
        uint64_t from, to;
        *n = 0;
        for (const char *at = text;; at++) {
                if (!ps_number_range(&at, n_lanes - 1, &from, &to) || (*n && from <= lane[*n - 1]))
                        return false;
                for (uint64_t i = from; i <= to; i++)
                        lane[(*n)++] = (uint32_t)i;
                if (*at != ',')
                        return *at == '\0';
        }
}

static bool read_time(uint32_t *time, const char *text, uint32_t end)
{
        uint64_t number;
        if (!text || !ps_number_whole(&text, end, &number) || *text)
                return false;
        *time = (uint32_t)number;
        return true;
}

/* Writes into memory; what fails is told. */
static ps_answer put_answer(ps_status (*write)(const ps_timeline *, const ps_picture_part *, ps_output *,
                                               ps_error *),
                            const ps_served *served, const ps_picture_part *part)
{
        ps_answer out = {.status = 200, .type = "application/json"};
        ps_error err = {0};
        ps_status status = ps_output_open_memory(&out.owned, PS_WIDTH_DEFAULT, &err);
        PS_THEN(status, write(served->timeline, part, out.owned, &err));
        out.bytes = status == PS_OK ? ps_output_text(out.owned) : NULL;
        if (out.bytes) {
                out.n = ps_output_gathered(out.owned);
                return out;
        }
        if (out.owned)
                ps_output_discard(out.owned);
        return status == PS_E_USAGE
                       ? say(404, "This format cannot be read from the middle.\n")
                       : say(500, "This part of the run cannot be read, or there is no memory for it.\n");
}

static ps_status put_stack(const ps_timeline *timeline, const ps_picture_part *part, ps_output *out,
                           ps_error *err)
{
        return ps_timeline_put_stack(timeline, part->lane[0], part->begin, part->end, out, err);
}

static ps_answer answer_part(const ps_served *served, const ps_request *request, bool is_stack)
{
        uint32_t n_lanes = ps_timeline_lanes(served->timeline), end = ps_timeline_end(served->timeline);
        ps_picture_part part = {0};
        uint32_t *lane = ps_memory_zeroed(n_lanes + (size_t)1, sizeof(*lane));
        ps_answer out;
        if (!lane)
                return say(500, "There is no memory for so many lanes.\n");
        part.lane = lane;
        if (!read_time(&part.begin, request->from, end) || !read_time(&part.end, request->to, end) ||
            part.begin >= part.end)
                out = say(400, "from and to are times of the page, from before to.\n");
        else if (!request->lanes || !n_lanes || !read_lanes(lane, &part.n_lanes, n_lanes, request->lanes))
                out = say(400, "lanes are rising numbers of lanes of the page, such as 0-7,12.\n");
        else if (is_stack && part.n_lanes != 1)
                out = say(400, "A call stack is that of one lane.\n");
        else
                out = put_answer(is_stack ? put_stack : ps_timeline_put_part, served, &part);
        free(lane);
        return out;
}

ps_answer ps_serve_answer(const ps_served *served, const ps_request *request)
{
        const char *what = request->path ? behind_token(request->path, served->token) : NULL;
        if (!request->method || strcmp(request->method, "GET") != 0)
                return say(405, "Only GET is answered.\n");
        if (!request->host || !is_here(request->host) ||
            (request->origin && !is_own_page(request->origin, request->host)) || !what)
                return say(403, "Only the address that patscan view printed is answered.\n");
        if (!*what)
                return (ps_answer){.status = 200,
                                   .type = "text/html; charset=utf-8",
                                   .bytes = ps_output_text(served->page),
                                   .n = ps_output_gathered(served->page)};
        if (strcmp(what, "here") == 0)
                return say(200, served->has_changed && served->has_changed(served->ctx) ? "changed\n" : "");
        bool is_stack = strcmp(what, "stack") == 0;
        if ((is_stack || strcmp(what, "part") == 0) && served->timeline)
                return answer_part(served, request, is_stack);
        return say(404, "There is nothing of that name.\n");
}
