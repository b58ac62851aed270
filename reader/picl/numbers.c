/* numbers.c - see numbers.h. */
#include "reader/picl/numbers.h"

#include "core/base/map.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const ps_picl_event *ps_picl_numbers_own(const ps_picl_numbers *numbers, ps_region region)
{
        if (region >= numbers->defs->regions.n)
                return NULL;
        const ps_region_def *def = &numbers->defs->regions.row[region];
        const char *name = ps_defs_str(numbers->defs, def->name);
        const ps_picl_event *row = numbers->row[region];
        return row && row->paradigm == def->paradigm && strcmp(row->name, name) == 0 ? row : NULL;
}

static const ps_picl_event *row_of_name(const ps_region_def *def, const char *name)
{
        bool is_mpi = strncasecmp(name, "mpi_", 4) == 0;

        for (unsigned i = 0; i < PS_PICL_E_COUNT; i++) {
                const ps_picl_event *row = &ps_picl_events[i];
                if (row->paradigm != def->paradigm || row->act == PS_PICL_SUBSET)
                        continue;
                if (strcmp(row->name, name) == 0)
                        return row;
                /* Which of the calls that manage communicators it is, its kind does not tell. */
                if (is_mpi && def->kind == row->kind &&
                    (row->kind == PS_K_COMM_MANAGE || row->kind == PS_K_NONE) &&
                    strcasecmp(row->name, name + 4) == 0)
                        return row;
        }
        return NULL;
}

static const ps_picl_event *row_of_region(const ps_defs *defs, const ps_region_def *def)
{
        const ps_picl_event *row = row_of_name(def, ps_defs_str(defs, def->name));

        /* What a call completes is known only when it does. */
        if (row || def->nonblocking || def->kind == PS_K_NONE || def->kind == PS_K_COMM_MANAGE ||
            ps_kinds[def->kind].cls == PS_C_COMPLETE || ps_kinds[def->kind].cls == PS_C_REQUEST)
                return row;
        return ps_picl_event_of_kind((ps_kind)def->kind);
}

static bool is_told_by_label(const ps_picl_numbers *numbers, ps_region region)
{
        const ps_region_def *def = &numbers->defs->regions.row[region];
        ps_name_info info = ps_kind_of_name(ps_defs_str(numbers->defs, def->name));

        return !ps_picl_numbers_own(numbers, region) && info.family == PS_NAMES_MPI &&
               info.kind == def->kind && info.nonblocking == def->nonblocking;
}

/* Of a PICL trace the record's name tells what it was: "mark trace_level", "entry tracing", "open". Whatever
 * has no event in PICL becomes a mark that tells only when it happened. */
static ps_picl_counted counted_of(const char *name)
{
        static const struct {
                const char *word;
                int32_t record;
        } records[] = {{"mark ", PS_PICL_R_MARK}, {"entry ", PS_PICL_R_ENTRY}, {"exit ", PS_PICL_R_EXIT}};
        ps_picl_counted out = {PS_PICL_R_MARK, ps_picl_events[PS_PICL_E_TRACE_INFO].number};

        for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
                size_t len = strlen(records[i].word);
                if (strncmp(name, records[i].word, len) == 0) {
                        out.record = records[i].record;
                        name += len;
                        break;
                }
        }
        for (unsigned row = 0; row < PS_PICL_E_COUNT; row++)
                if (strcmp(ps_picl_events[row].name, name) == 0)
                        out.event = ps_picl_events[row].number;
        if (out.record != PS_PICL_R_MARK && out.event != ps_picl_events[PS_PICL_E_TRACING].number)
                out.record = 0;
        return out;
}

/* The number of an event that a PICL trace has no label for: "user event 3", "picl event -777". */
static bool is_number(int32_t *out, const ps_region_def *def, const char *name)
{
        bool is_user = def->paradigm == PS_PARADIGM_USER;
        char copy[32];
        long long number;

        if (sscanf(name, is_user ? "user event %lld" : "picl event %lld", &number) != 1 ||
            number < INT32_MIN || number > INT32_MAX || is_user != (number >= 0) ||
            (!is_user && ps_picl_event_of_number(number) < PS_PICL_E_COUNT))
                return 0;
        *out = (int32_t)number;
        snprintf(copy, sizeof(copy), "%s event %lld", is_user ? "user" : "picl", number);
        return strcmp(copy, name) == 0;
}

/* Those that are numbers keep them, the others take what is left in their order: what is read again and
 * written again is the same. */
static ps_status number_regions(ps_picl_numbers *out, ps_error *err)
{
        uint32_t n = out->defs->regions.n;
        ps_map taken = {0};
        ps_status status = PS_OK;
        int32_t next = 0;

        for (ps_region i = 0; i < n && status == PS_OK; i++) {
                const ps_region_def *def = &out->defs->regions.row[i];
                int32_t *number = &out->number[i];
                if (!is_number(number, def, ps_defs_str(out->defs, def->name)))
                        continue;
                ps_time *owner = ps_map_at(&taken, (uint32_t)*number, 0, (ps_time)i);
                if (!owner)
                        status = PS_NOMEM(err, "regions", n);
                else
                        out->is_named[i] = *owner == (ps_time)i;
        }
        for (ps_region i = 0; i < n; i++) {
                if (out->is_named[i] || ps_picl_numbers_own(out, i))
                        continue;
                while (ps_map_get(&taken, (uint32_t)next, 0, -1) >= 0)
                        next++;
                out->number[i] = next++;
        }
        ps_map_free(&taken);
        return status;
}

ps_status ps_picl_numbers_make(ps_picl_numbers *out, const ps_defs *defs, ps_error *err)
{
        uint32_t n = defs->regions.n;

        *out = (ps_picl_numbers){.defs = defs, .world = ps_defs_world(defs)};
        out->row = calloc(n ? n : 1, sizeof(const ps_picl_event *));
        out->counted = calloc(defs->codes.n + (size_t)1, sizeof(*out->counted));
        out->number = calloc(n ? n : 1, sizeof(*out->number));
        out->is_named = calloc(n ? n : 1, 1);
        out->is_told = calloc(n ? n : 1, 1);
        if (!out->row || !out->counted || !out->number || !out->is_named || !out->is_told)
                return PS_NOMEM(err, "regions", n);
        for (uint32_t code = 0; code < defs->codes.n; code++)
                out->counted[code] = counted_of(ps_defs_str(defs, defs->codes.row[code]));
        for (ps_region region = 0; region < n; region++) {
                out->row[region] = row_of_region(defs, &defs->regions.row[region]);
                out->is_told[region] = (uint8_t)is_told_by_label(out, region);
        }
        return number_regions(out, err);
}

void ps_picl_numbers_free(ps_picl_numbers *numbers)
{
        free(numbers->row);
        free(numbers->counted);
        free(numbers->number);
        free(numbers->is_named);
        free(numbers->is_told);
}

/* Ids of their own for MPI_COMM_SELF, which is another communicator on each process. */
static int64_t self_subset(const ps_defs *defs, ps_proc process)
{
        return (int64_t)defs->comms.n + process;
}

bool ps_picl_numbers_subset(const ps_picl_numbers *numbers, ps_comm comm, ps_proc member, int64_t *out)
{
        if (comm >= numbers->defs->comms.n)
                return false;
        const ps_comm_def *def = &numbers->defs->comms.row[comm];
        *out = comm == numbers->world ? -1 : def->self ? self_subset(numbers->defs, member) : (int64_t)comm;
        return !def->inter && !def->team;
}

/* A part of a quoted string: quotes, and what could steer a terminal or mislead the eye, cannot be told in
 * one. */
static void put_string(ps_picl_queue *queue, const char *text)
{
        enum { CHARACTER_BYTES = 4 };
        char part[64];
        uint32_t point;
        size_t at = 0;

        for (size_t n; *text; text += n) {
                size_t len = ps_text_decode(text, &point);
                bool is_told = len && !ps_char_misleads(point) && *text != '"';
                n = len ? len : 1;
                if (at + CHARACTER_BYTES >= sizeof(part)) {
                        part[at] = '\0';
                        ps_picl_queue_put(queue, part);
                        at = 0;
                }
                if (is_told)
                        memcpy(part + at, text, n);
                else
                        part[at] = *text == '"' ? '\'' : '?';
                at += is_told ? n : 1;
        }
        part[at] = '\0';
        ps_picl_queue_put(queue, part);
}

static void write_text(ps_picl_queue *queue, int32_t record, int32_t number, const char *text,
                       const char *more)
{
        ps_picl_queue_define(queue, record, number);
        ps_picl_queue_put_number(queue, 1);
        ps_picl_queue_put_number(queue, PS_PICL_D_STRING);
        ps_picl_queue_put(queue, " \"");
        put_string(queue, text);
        put_string(queue, more);
        ps_picl_queue_put(queue, "\"\n");
}

static void write_label(const ps_picl_numbers *numbers, ps_picl_queue *queue, ps_region region)
{
        const ps_region_def *def = &numbers->defs->regions.row[region];
        char line[16];

        if (!numbers->is_named[region])
                write_text(queue, PS_PICL_R_LABEL, numbers->number[region],
                           ps_defs_str(numbers->defs, def->name), "");
        if (!def->file)
                return;
        snprintf(line, sizeof(line), ":%" PRIu32, def->line);
        write_text(queue, PS_PICL_R_MESSAGE, numbers->number[region], ps_defs_str(numbers->defs, def->file),
                   line);
}

static void write_subset(ps_picl_queue *queue, int64_t id, const uint32_t *members, uint32_t n)
{
        ps_picl_queue_define(queue, PS_PICL_R_PROCESS_SUBSET, ps_picl_events[PS_PICL_E_COMM_SPLIT].number);
        ps_picl_queue_put_number(queue, (int64_t)n + 1);
        ps_picl_queue_put_number(queue, PS_PICL_D_INT);
        ps_picl_queue_put_number(queue, id);
        for (uint32_t i = 0; i < n; i++)
                ps_picl_queue_put_number(queue, members[i] == PS_NONE ? -1 : (int64_t)members[i]);
        ps_picl_queue_put(queue, "\n");
}

void ps_picl_numbers_write(const ps_picl_numbers *numbers, ps_picl_queue *queue)
{
        const ps_defs *defs = numbers->defs;
        bool has_self = false;
        int64_t id;

        for (ps_comm comm = 0; comm < defs->comms.n; comm++) {
                const ps_comm_def *def = &defs->comms.row[comm];
                has_self |= def->self;
                if (!def->self && ps_picl_numbers_subset(numbers, comm, 0, &id) && id >= 0)
                        write_subset(queue, id, def->members, def->n_members);
        }
        for (ps_proc process = 0; has_self && process < defs->processes.n; process++)
                write_subset(queue, self_subset(defs, process), &process, 1);
        for (ps_region region = 0; region < defs->regions.n; region++)
                if (!ps_picl_numbers_own(numbers, region))
                        write_label(numbers, queue, region);
}
