/* lab.c - see lab.h. */
#include "tests/reader/dvm/lab.h"

#include "tests/reader/dvm/check.h"
#include "tests/support/damage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ps_status read_file(ps_dvm **out, const char *text, size_t n, int packed, int tolerant, ps_error *err)
{
        char path[1024], *dir = ps_dir_new();
        snprintf(path, sizeof(path), "%s/t.ptr", dir);
        (packed ? dvm_write_gzip : dvm_write)(path, text, n);
        ps_status status = (tolerant ? ps_dvm_read_tolerant : ps_dvm_read)(out, path, err);
        ps_dir_remove(dir);
        free(dir);
        return status;
}

ps_dvm *dvm_read_bytes(const char *text, size_t n, int packed, int tolerant)
{
        ps_dvm *dvm;
        ps_error err = {.status = PS_OK};
        if (read_file(&dvm, text, n, packed, tolerant, &err) < 0)
                ps_test_die("cannot read: %s", err.cause[0].text);
        dvm_check(dvm);
        return dvm;
}

ps_dvm *dvm_read_text(const char *text)
{
        return dvm_read_bytes(text, strlen(text), 0, 0);
}

char *dvm_read_failure(const char *text)
{
        ps_dvm *dvm;
        ps_error err = {.status = PS_OK};
        if (read_file(&dvm, text, strlen(text), 0, 0, &err) != PS_E_INPUT || dvm)
                ps_test_die("reading does not fail");
        return strdup(err.cause[0].text);
}

const ps_dvm_call *dvm_nth(const ps_dvm *dvm, const char *name, unsigned k)
{
        for (uint32_t i = 0; i < dvm->calls.n; i++)
                if (strcmp(ps_dvm_str(dvm, dvm->calls.row[i].name), name) == 0 && k-- == 0)
                        return &dvm->calls.row[i];
        ps_test_die("no such call: function=%s", name);
}

static int same_call(const ps_dvm *a, const ps_dvm *b, uint32_t i)
{
        const ps_dvm_call *x = &a->calls.row[i], *y = &b->calls.row[i];
        return x->call_time == y->call_time && x->ret_time == y->ret_time && x->function == y->function &&
               x->cls == y->cls && x->form == y->form && x->depth == y->depth && x->line == y->line &&
               x->object == y->object && x->other == y->other && x->value == y->value &&
               strcmp(ps_dvm_str(a, x->name), ps_dvm_str(b, y->name)) == 0 &&
               strcmp(ps_dvm_str(a, x->file), ps_dvm_str(b, y->file)) == 0 && !x->of.any == !y->of.any;
}

const char *dvm_difference(const ps_dvm *a, const ps_dvm *b)
{
        if (a->calls.n != b->calls.n)
                return "calls";
        for (uint32_t i = 0; i < a->calls.n; i++)
                if (!same_call(a, b, i))
                        return ps_dvm_str(a, a->calls.row[i].name);
        if (a->arrays.n != b->arrays.n || a->views.n != b->views.n || a->loops.n != b->loops.n ||
            a->pss.n != b->pss.n || a->ams.n != b->ams.n || a->reds.n != b->reds.n ||
            a->buffers.n != b->buffers.n || a->intervals.n != b->intervals.n)
                return "objects";
        if (a->exit_time != b->exit_time || a->truncated != b->truncated ||
            a->n_processors != b->n_processors)
                return "the run";
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (a->issues.row[kind].count != b->issues.row[kind].count)
                        return ps_issue_infos[kind].name;
        return NULL;
}
