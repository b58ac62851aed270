/* html_check.c - see html_check.h. */
#include "tests/report/formats/html_check.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, NAME_ROOM = 32 };

static size_t name_length(const char *at)
{
        return strcspn(at, " \n/>\"'=<&");
}

/* Behind the attributes of a tag, each quoted and none a handler of events or a style. */
static const char *skip_attributes(const char *at)
{
        while (*at == ' ') {
                size_t n = name_length(++at);
                assert_true(n > 0 && strncmp(at, "on", 2) != 0 && !(n == 5 && !strncmp(at, "style", 5)));
                at += n;
                assert_int_equal(strncmp(at, "=\"", 2), 0);
                for (at += 2; *at && *at != '"'; at++)
                        assert_true(*at != '<');
                at++;
        }
        return at;
}

static const char *skip_reference(const char *at)
{
        static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&#34;", "&#39;", "&#96;", "&#215;"};

        for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
                if (!strncmp(at, known[i], strlen(known[i])))
                        return at + strlen(known[i]);
        fail_msg("a bare &: %.40s", at);
        return at;
}

typedef struct tags {
        char name[DEEPEST][NAME_ROOM];
        int depth;
} tags;

/* Behind the tag. What is between <script> or <style> and its end is no markup. */
static const char *skip_tag(tags *t, const char *at)
{
        int ends = at[1] == '/';
        const char *name = at + 1 + ends;
        size_t n = name_length(name);

        assert_true(n > 0 && n < NAME_ROOM);
        if (ends) {
                assert_true(t->depth > 0);
                if (strncmp(t->name[--t->depth], name, n) || t->name[t->depth][n])
                        fail_msg("</%.*s> ends <%s>", (int)n, name, t->name[t->depth]);
                assert_int_equal(name[n], '>');
                return name + n + 1;
        }
        at = skip_attributes(name + n);
        if (at[0] == '/' && at[1] == '>')
                return at + 2;
        assert_int_equal(*at, '>');
        assert_true(t->depth < DEEPEST);
        snprintf(t->name[t->depth], NAME_ROOM, "%.*s", (int)n, name);
        if (!strcmp(t->name[t->depth], "script") || !strcmp(t->name[t->depth], "style"))
                at = strstr(at, "</") - 1;
        t->depth++;
        return at + 1;
}

void html_check_markup(const char *html)
{
        static const char doctype[] = "<!DOCTYPE html>\n";
        tags t = {.depth = 0};

        assert_int_equal(strncmp(html, doctype, strlen(doctype)), 0);
        for (html += strlen(doctype); *html;) {
                assert_true((unsigned char)*html >= ' ' || *html == '\n');
                if (*html == '<')
                        html = skip_tag(&t, html);
                else if (*html == '&')
                        html = skip_reference(html);
                else
                        html++;
        }
        assert_int_equal(t.depth, 0);
}

/* strstr, but for AddressSanitizer's, which measures all of a long text each time. */
static const char *find(const char *html, const char *what)
{
        for (size_t n = strlen(what); *html; html++)
                if (*html == *what && !strncmp(html, what, n))
                        return html;
        return NULL;
}

unsigned html_count(const char *html, const char *what)
{
        unsigned n = 0;

        while ((html = find(html, what))) {
                n++;
                html += strlen(what);
        }
        return n;
}

static int compare_strings(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The values of an attribute, sorted, each in memory of its own. */
static char **values_of(const char *html, const char *attribute, size_t *n)
{
        char **value = NULL;

        for (*n = 0; (html = find(html, attribute)); (*n)++) {
                html += strlen(attribute);
                value = realloc(value, (*n + 1) * sizeof(*value));
                value[*n] = strndup(html, strcspn(html, "\""));
        }
        qsort(value, *n, sizeof(*value), compare_strings);
        return value;
}

static void free_values(char **value, size_t n)
{
        for (size_t i = 0; i < n; i++)
                free(value[i]);
        free(value);
}

void html_check_links(const char *html)
{
        size_t n_ids, n_links;
        char **id = values_of(html, " id=\"", &n_ids), **link = values_of(html, " href=\"", &n_links);

        for (size_t i = 1; i < n_ids; i++)
                if (!strcmp(id[i - 1], id[i]))
                        fail_msg("twice: id=\"%s\"", id[i]);
        for (size_t i = 0; i < n_links; i++) {
                const char *target = link[i] + 1;
                assert_int_equal(link[i][0], '#');
                if (!bsearch(&target, id, n_ids, sizeof(*id), compare_strings))
                        fail_msg("leads nowhere: %s", link[i]);
        }
        free_values(id, n_ids);
        free_values(link, n_links);
}
