/* loaded.c - a trace for a test, and what is in it as text. */
#include "tests/support/loaded.h"

#include "tests/support/damage.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ps_trace *loaded_by(const char *path, unsigned n_threads, ps_clock_mode clock)
{
        ps_load_options options = {.n_threads = n_threads, .clock = clock};
        ps_error err = {0};
        ps_trace *trace;
        if (ps_trace_load(&trace, path, &options, &err) != PS_OK)
                ps_test_die("cannot load: %s", err.n_causes ? err.cause[0].text : "no reason");
        return trace;
}

ps_trace *loaded(ps_gen *g, ps_clock_mode clock)
{
        ps_gen_close(g);
        return loaded_by(ps_gen_anchor(g), 1, clock);
}

ps_gen *loaded_begin(ps_gen_options options)
{
        ps_gen *g = ps_gen_new(NULL, options);
        for (uint32_t i = 0; i < options.ranks; i++)
                ps_gen_enter(g, i, 0, "main");
        return g;
}

ps_trace *loaded_end(ps_gen *g, uint32_t n_ranks, uint64_t end)
{
        for (uint32_t i = 0; i < n_ranks; i++)
                ps_gen_leave(g, i, end, "main");
        return loaded(g, PS_CLOCK_AS_IS);
}

void loaded_free(ps_gen *g, ps_trace *trace)
{
        loaded_check(trace);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* -- text -- */

typedef struct text {
        char *at;
        size_t n, cap;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
        va_list args;
        if (t->cap - t->n < 256) {
                t->cap = t->cap * 2 + 1024;
                t->at = realloc(t->at, t->cap);
                if (!t->at)
                        ps_test_die("out of memory");
        }
        va_start(args, format);
        t->n += (size_t)vsnprintf(t->at + t->n, t->cap - t->n, format, args);
        va_end(args);
}

static void add_flags(text *t, unsigned flags)
{
        static const char *const names[] = {"+n",    "+part", "+cancelled", "+persistent",
                                            "+bare", NULL,    "+elsewhere", "+truncated"};
        for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (names[i] && flags & 1U << i)
                        add(t, "%s", names[i]);
}

static void add_message(text *t, const ps_ops *ops, ps_op i)
{
        if (ops->flags[i] & PS_OP_MATCHED)
                add(t, " %u.%u", ps_op_peer(ops, i), ops->link[i]);
        else if (ps_op_peer(ops, i) != PS_NONE)
                add(t, " ?%u", ps_op_peer(ops, i));
        if (ps_op_comm(ops, i) != PS_NONE)
                add(t, " comm%u #%u %lluB", ps_op_comm(ops, i), ps_op_tag(ops, i),
                    (unsigned long long)ps_op_bytes(ops, i));
}

static void add_collective(text *t, const ps_trace *trace, const ps_ops *ops, ps_op i)
{
        unsigned long long received = 0;
        if (ops->flags[i] & PS_OP_MATCHED) {
                const ps_member *member = &trace->members[ops->link[i]];
                received = member->received;
                add(t, " coll%u", member->coll);
        }
        if (ps_op_comm(ops, i) != PS_NONE)
                add(t, " %s%u", ps_kinds[ops->kind[i]].traits & PS_T_RMA ? "win" : "comm",
                    ps_op_comm(ops, i));
        if (ps_op_peer(ops, i) != PS_NONE)
                add(t, " root%u", ps_op_peer(ops, i));
        if (ps_op_tag(ops, i))
                add(t, " sync%u/%u", ps_sync_in(ps_op_tag(ops, i)), ps_sync_out(ps_op_tag(ops, i)));
        if (ps_op_bytes(ops, i) || received)
                add(t, " %llu/%llu", (unsigned long long)ps_op_bytes(ops, i), received);
}

static void add_completed(text *t, const ps_ops *ops, ps_op i)
{
        add(t, " [");
        for (uint32_t k = 0; k < ps_op_tag(ops, i); k++)
                add(t, k ? " %u" : "%u", ps_op_completed(ops, i, k));
        add(t, "]");
}

/* Its members: the number that it has is the archive's affair. */
static void add_group(text *t, const ps_group_def *group)
{
        for (uint32_t i = 0; i < group->n_members; i++)
                add(t, "%s%u", i ? "," : " #", group->members[i]);
}

/* The classes without links. */
static void add_other(text *t, const ps_trace *trace, const ps_ops *ops, ps_op i, ps_class cls)
{
        if (ps_op_peer(ops, i) != PS_NONE)
                add(t, " >%u", ps_op_peer(ops, i));
        if (ps_op_comm(ops, i) != PS_NONE)
                add(t, " %s%u", cls == PS_C_RMA || cls == PS_C_RMA_SYNC ? "win" : "comm", ps_op_comm(ops, i));
        int is_lock = cls == PS_C_RMA_SYNC && ops->link[i] != PS_NONE;
        if (is_lock)
                add(t, " lock%llu", (unsigned long long)ps_op_bytes(ops, i));
        if (ops->kind[i] >= PS_K_WIN_START && ops->kind[i] <= PS_K_WIN_WAIT &&
            ps_op_tag(ops, i) < trace->defs.groups.n)
                add_group(t, &trace->defs.groups.row[ps_op_tag(ops, i)]);
        else if (cls != PS_C_RMA && cls != PS_C_PROBE && cls != PS_C_REQUEST &&
                 (!is_lock || ps_op_tag(ops, i)))
                add(t, " #%u", ps_op_tag(ops, i));
        if (cls == PS_C_RMA)
                add(t, " %lluB", (unsigned long long)ps_op_bytes(ops, i));
        if (cls == PS_C_LOCK)
                add(t, " %u", ops->link[i]);
}

static void add_op(text *t, const ps_trace *trace, ps_loc loc, ps_op i)
{
        const ps_ops *ops = &trace->ops[loc];
        const ps_kind_info *kind = &ps_kinds[ops->kind[i]];
        add(t, "%lld-%lld %s", (long long)(trace->measured.enter[loc][i] / PS_PS_PER_NS),
            (long long)(trace->measured.leave[loc][i] / PS_PS_PER_NS), kind->name);
        add_flags(t, kind->cls == PS_C_COMPLETE ? ops->flags[i] & ~(unsigned)PS_OP_IN_A_ROW : ops->flags[i]);
        if (kind->cls == PS_C_SEND || kind->cls == PS_C_RECV)
                add_message(t, ops, i);
        else if (kind->cls == PS_C_COLL)
                add_collective(t, trace, ops, i);
        else if (kind->cls == PS_C_COMPLETE)
                add_completed(t, ops, i);
        else
                add_other(t, trace, ops, i, kind->cls);
        if (ops->done[i] != PS_NONE)
                add(t, " done%u", ops->done[i]);
        add(t, "\n");
}

char *loaded_ops(const ps_trace *trace, ps_loc loc)
{
        text t = {0};
        add(&t, "%s", "");
        for (ps_op i = 0; i < trace->ops[loc].n; i++)
                add_op(&t, trace, loc, i);
        return t.at;
}

static void compare(const char *file, int line, const char *what, const char *expected, const char *found)
{
        if (!strcmp(expected, found))
                return;
        print_error("%s: expected\n%s\nfound\n%s\n", what, expected, found);
        _fail(file, line);
}

void loaded_expect(const char *file, int line, const ps_trace *trace, ps_loc loc, const char *lines)
{
        char *found = loaded_ops(trace, loc);
        compare(file, line, "operations", lines, found);
        free(found);
}

void loaded_expect_issues(const char *file, int line, const ps_trace *trace, const char *list)
{
        text t = {0};
        add(&t, "%s", "");
        for (int i = 0; i < PS_I_COUNT; i++)
                if (trace->issues.row[i].count)
                        add(&t, "%s%s=%llu", t.n ? " " : "", ps_issue_infos[i].name,
                            (unsigned long long)trace->issues.row[i].count);
        compare(file, line, "issues", list, t.at);
        free(t.at);
}

static void add_path(text *t, const ps_trace *trace, ps_path path)
{
        const ps_path_node *node = &trace->paths[path];
        if (path == 0)
                return;
        add_path(t, trace, node->parent);
        if (node->site_line)
                add(t, "@%s:%u", ps_defs_str(&trace->defs, node->site_file), node->site_line);
        add(t, "%s%s", t->n ? "/" : "",
            node->region == PS_NONE ? "?"
                                    : ps_defs_str(&trace->defs, trace->defs.regions.row[node->region].name));
}

void loaded_expect_path(const char *file, int line, const ps_trace *trace, ps_ref ref, const char *path)
{
        text t = {0};
        add(&t, "%s", "");
        add_path(&t, trace, ps_op_path(&trace->ops[ref.loc], ref.op));
        compare(file, line, "call path", path, t.at);
        free(t.at);
}

const ps_path_use *loaded_use(const ps_trace *t, ps_loc loc, const char *region)
{
        for (uint32_t i = 0; i < t->info[loc].n_uses; i++) {
                ps_region r = t->paths[t->info[loc].uses[i].path].region;
                if (r != PS_NONE && !strcmp(ps_defs_str(&t->defs, t->defs.regions.row[r].name), region))
                        return &t->info[loc].uses[i];
        }
        return NULL;
}
