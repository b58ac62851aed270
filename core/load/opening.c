/* opening.c - see opening.h. */
#include "core/load/opening.h"
#include "core/load/tasks.h"

#include "core/base/blocks.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ps_status open_together(struct ps_folding *f, const char *path, ps_exchange *x, ps_error *err)
{
        ps_trace *trace = f->trace;
        return f->format->open_together(&f->reader, path, x, &trace->defs, &trace->issues, err);
}

/* What all are to know: the limit of memory, the name of the format, and the path. */
static ps_status ask(const struct ps_folding *f, ps_exchange *x, ps_error *err)
{
        uint64_t memory = f->options->memory;
        size_t n_name = strlen(f->format->name) + 1, n_path = strlen(f->path) + 1,
               n = sizeof(memory) + n_name + n_path;
        char *asked = malloc(n);
        if (!asked)
                return PS_NOMEM(err, "what is to be opened", n);
        memcpy(asked, &memory, sizeof(memory));
        memcpy(asked + sizeof(memory), f->format->name, n_name);
        memcpy(asked + sizeof(memory) + n_name, f->path, n_path);
        ps_status status = ps_task_ask(x, TASK_OPEN, asked, n, err);
        free(asked);
        return status;
}

ps_status ps_opening_lead(struct ps_folding *f, ps_error *err)
{
        ps_trace *trace = f->trace;
        ps_exchange *x = f->options ? f->options->exchange : NULL;
        f->near.all_bytes = x ? x->bytes : 0;
        if (!ps_exchange_is_shared(x) || !f->format->open_together)
                return f->format->open(&f->reader, f->path, &trace->defs, &trace->issues, err);
        PS_TRY(ask(f, x, err));
        PS_TRY(ps_exchange_agree(x, PS_OK, err));
        return open_together(f, f->path, x, err);
}

static ps_status follow(struct ps_folding *f, ps_exchange *x, const char *asked,
                        const ps_reader_class *(*find)(const char *name), ps_error *err)
{
        uint64_t memory;
        memcpy(&memory, asked, sizeof(memory));
        if (memory)
                ps_blocks_limit(memory);
        const char *name = asked + sizeof(memory);
        f->format = find(name);
        PS_TRY(ps_exchange_agree(x, ps_trace_new(&f->trace, f->format->name, err), err));
        return open_together(f, name + strlen(name) + 1, x, err);
}

ps_status ps_opening_follow(struct ps_folding *f, ps_exchange *x, size_t n,
                            const ps_reader_class *(*find)(const char *name), ps_error *err)
{
        char *asked = malloc(n);
        ps_status status =
                ps_exchange_agree(x, asked ? PS_OK : PS_NOMEM(err, "what is to be opened", n), err);
        if (status == PS_OK && asked) {
                ps_exchange_broadcast(x, asked, n);
                status = follow(f, x, asked, find, err);
        }
        free(asked);
        return status;
}

/* -- is it the same? -- */

/* Of what is in a file; of a folder, which cannot be read, nothing. */
static uint64_t print_of_file(const char *path)
{
        uint64_t print = 0;
        uint8_t block[4096];
        FILE *file = ps_file_open(path);
        for (size_t n; file && (n = fread(block, 1, sizeof(block), file)) > 0;)
                print = ps_hash_pair(print, ps_hash_bytes(block, n));
        if (file)
                fclose(file);
        return print;
}

/* Two processes that open different things would mean different things by the same numbers. Two runs of a
 * program may have as many of all, but not the same times in their definitions. */
ps_status ps_opening_print(struct ps_folding *f, ps_error *err)
{
        const ps_defs *defs = &f->trace->defs;
        const uint32_t n[] = {ps_strings_n(defs->strings),
                              defs->regions.n,
                              defs->locations.n,
                              defs->processes.n,
                              defs->comms.n,
                              defs->groups.n,
                              defs->windows.n,
                              defs->contexts.n,
                              defs->codes.n};
        char *part[PS_TRACE_PARTS];
        if (f->format->open_together) /* process 0 told them */
                return PS_OK;
        unsigned lacks = ps_memory_lacks(), n_parts = f->format->parts(part, f->path);
        f->print = ps_hash_bytes(n, sizeof(n));
        for (unsigned i = 0; i < n_parts; i++) {
                f->print = ps_hash_pair(f->print, print_of_file(part[i]));
                free(part[i]);
        }
        return n_parts && ps_memory_lacks() == lacks ? PS_OK : PS_NOMEM(err, "files", PS_TRACE_PARTS);
}
