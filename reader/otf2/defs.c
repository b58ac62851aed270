/* defs.c - see defs.h. */
#include "reader/otf2/defs.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <assert.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_GROUP = 18, SKIP = PS_OTF2_TABLES };

/* The records of the global definitions and their fields: i I b: the id (32, 64 bits, one byte); n N u: a
 * value (the same); '-' and '.': a 32-bit value and a byte of no use; s: text; M: members, 64 bits each,
 * their number before them; m: the same, 32 bits each and a byte for their number; '?': what follows came
 * with later versions of the format. Fields at the end that nobody needs are left out. */
static const struct {
        uint8_t type, table;
        const char *fields;
} records[] = {
        {5, PS_OTF2_CLOCK, "NN"},                    /* CLOCK_PROPERTIES */
        {6, PS_OTF2_PARADIGM, "bnu"},                /* PARADIGM */
        {7, SKIP, ""},                               /* PARADIGM_PROPERTY */
        {8, SKIP, ""},                               /* IO_PARADIGM */
        {10, PS_OTF2_STRING, "is"},                  /* STRING */
        {11, PS_OTF2_ATTRIBUTE, "inu"},              /* ATTRIBUTE */
        {12, PS_OTF2_NODE, "innn"},                  /* SYSTEM_TREE_NODE */
        {13, PS_OTF2_PROCESS, "inun?n"},             /* LOCATION_GROUP */
        {14, PS_OTF2_LOCATION, "InuNn"},             /* LOCATION */
        {15, PS_OTF2_REGION, "indunnn?-uun"},        /* REGION */
        {16, SKIP, ""},                              /* CALLSITE */
        {17, SKIP, ""},                              /* CALLPATH */
        {TYPE_GROUP, PS_OTF2_GROUP, "inuM?uun"},     /* GROUP */
        {19, PS_OTF2_MEMBER, "in"},                  /* METRIC_MEMBER */
        {20, PS_OTF2_METRIC, "im"},                  /* METRIC_CLASS */
        {21, PS_OTF2_METRIC, "in"},                  /* METRIC_INSTANCE */
        {PS_OTF2_TYPE_COMM, PS_OTF2_COMM, "innn?n"}, /* COMM */
        {23, PS_OTF2_PARAMETER, "inu"},              /* PARAMETER */
        {24, PS_OTF2_WINDOW, "inn"},                 /* RMA_WIN */
        {25, SKIP, ""},                              /* METRIC_CLASS_RECORDER */
        {26, SKIP, ""},                              /* SYSTEM_TREE_NODE_PROPERTY */
        {27, SKIP, ""},                              /* SYSTEM_TREE_NODE_DOMAIN */
        {28, PS_OTF2_PROCESS_PROPERTY, "nnn"},       /* LOCATION_GROUP_PROPERTY */
        {29, SKIP, ""},                              /* LOCATION_PROPERTY */
        {30, SKIP, ""},                              /* CART_DIMENSION */
        {31, SKIP, ""},                              /* CART_TOPOLOGY */
        {32, SKIP, ""},                              /* CART_COORDINATE */
        {33, PS_OTF2_SOURCE, "inn"},                 /* SOURCE_CODE_LOCATION */
        {34, PS_OTF2_CONTEXT, "innn"},               /* CALLING_CONTEXT */
        {35, SKIP, ""},                              /* CALLING_CONTEXT_PROPERTY */
        {36, PS_OTF2_SAMPLER, "inuuNN"},             /* INTERRUPT_GENERATOR */
        {37, SKIP, ""},                              /* IO_FILE_PROPERTY */
        {38, SKIP, ""},                              /* IO_REGULAR_FILE */
        {39, SKIP, ""},                              /* IO_DIRECTORY */
        {40, SKIP, ""},                              /* IO_HANDLE */
        {41, SKIP, ""},                              /* IO_PRE_CREATED_HANDLE_STATE */
        {42, SKIP, ""},                              /* CALLPATH_PARAMETER */
        {43, PS_OTF2_COMM, "innnn"}                  /* INTER_COMM */
};

void ps_otf2_defs_note(const ps_otf2_defs *defs, const ps_otf2_def *def, ps_issue_kind kind,
                       ps_issues *issues)
{
        ps_issue_note(issues, kind,
                      (ps_place){PS_NONE, defs->name, def ? def->offset : UINT64_MAX, INT64_MIN});
}

/* Steps over members, which are decoded when they are needed; each takes a byte at least, so that a wrong
 * number of them ends at the record's end. */
static void parse_members(ps_otf2_def *def, ps_otf2_bytes *b, int wide)
{
        def->count = wide ? ps_otf2_u32(b) : ps_otf2_u8(b);
        def->data = b->p;
        for (uint64_t i = 0; i < def->count && !b->bad; i++)
                wide ? ps_otf2_u64(b) : ps_otf2_u32(b);
        def->size = (uint32_t)(b->p - def->data);
}

static bool parse_text(ps_otf2_def *def, ps_otf2_bytes *b)
{
        size_t len;
        def->data = (const uint8_t *)ps_otf2_text(b, &len);
        def->count = len;
        def->size = (uint32_t)len;
        return len < UINT32_MAX;
}

/* Fills `def` from a record; 0 when it does not hold what its type says. */
static bool parse(ps_otf2_def *def, ps_otf2_bytes *b, const char *fields)
{
        int v = 0;
        for (const char *f = fields; *f && !b->bad; f++) {
                switch (*f) {
                case 'i':
                        def->id = ps_otf2_u32(b);
                        break;
                case 'I':
                        def->id = ps_otf2_u64(b);
                        break;
                case 'b':
                        def->id = ps_otf2_u8(b);
                        break;
                case 'n':
                        def->v[v++] = ps_otf2_u32(b);
                        break;
                case 'N':
                        def->v[v++] = ps_otf2_u64(b);
                        break;
                case 'u':
                        def->v[v++] = ps_otf2_u8(b);
                        break;
                case 'd':
                        def->count = ps_otf2_u32(b);
                        break;
                case '-':
                        ps_otf2_u32(b);
                        break;
                case 's':
                        b->bad |= !parse_text(def, b);
                        break;
                case 'm':
                case 'M':
                        parse_members(def, b, *f == 'M');
                        break;
                default: /* '?' */
                        if (b->p == b->end)
                                return true;
                        break;
                }
        }
        return !b->bad;
}

static ps_status append_def(ps_otf2_defs *defs, ps_otf2_table table, const ps_otf2_def *def, ps_error *err)
{
        if (PS_ROOM(defs->table[table].row, defs->table[table].n, defs->table[table].cap))
                return PS_NOMEM(err, "definitions", defs->table[table].n);
        defs->table[table].row[defs->table[table].n++] = *def;
        return PS_OK;
}

/* Before version 1.2 one number said what a group was and of which paradigm. */
static void modernise_group(ps_otf2_def *def)
{
        static const uint8_t old[][2] = {{OTF2_GROUP_TYPE_UNKNOWN, OTF2_PARADIGM_UNKNOWN},
                                         {OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_UNKNOWN},
                                         {OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_UNKNOWN},
                                         {OTF2_GROUP_TYPE_METRIC, OTF2_PARADIGM_UNKNOWN},
                                         {OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI},
                                         {OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI},
                                         {OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI}};
        if (def->v[PS_OTF2_GROUP_TYPE] != UINT64_MAX)
                return;
        uint64_t type = def->v[PS_OTF2_GROUP_OLD_TYPE];
        type = type < sizeof(old) / sizeof(old[0]) ? type : 0;
        def->v[PS_OTF2_GROUP_TYPE] = old[type][0];
        def->v[PS_OTF2_GROUP_PARADIGM] = old[type][1];
        def->v[PS_OTF2_GROUP_FLAGS] = 0;
}

static ps_status take_definition(ps_otf2_defs *defs, uint8_t type, ps_otf2_bytes *record, uint64_t offset,
                                 ps_issues *issues, ps_error *err)
{
        ps_otf2_def def = {.offset = offset, .type = type, .big = (uint8_t)record->big};
        size_t i = 0, n = sizeof(records) / sizeof(records[0]);
        while (i < n && records[i].type != type)
                i++;
        if (i == n)
                ps_otf2_defs_note(defs, &def, PS_I_RECORD_UNKNOWN, issues);
        if (i == n || records[i].table == SKIP)
                return PS_OK;
        for (int v = 0; v < PS_OTF2_VALUES; v++)
                def.v[v] = UINT64_MAX;
        if (!parse(&def, record, records[i].fields)) {
                ps_otf2_defs_note(defs, &def, PS_I_DEF_INVALID, issues);
                return PS_OK;
        }
        if (type == TYPE_GROUP)
                modernise_group(&def);
        if (records[i].table == PS_OTF2_PROCESS_PROPERTY)
                def.id = offset; /* a process may have several */
        PS_TRY(append_def(defs, records[i].table, &def, err));
        if (type != TYPE_GROUP || def.v[PS_OTF2_GROUP_TYPE] != OTF2_GROUP_TYPE_COMM_LOCATIONS)
                return PS_OK;
        def.id = def.v[PS_OTF2_GROUP_PARADIGM];
        return append_def(defs, PS_OTF2_RANKS, &def, err);
}

static ps_status take_records(ps_otf2_defs *defs, uint64_t chunk, ps_issues *issues, ps_error *err)
{
        ps_otf2_walk walk = {defs->file.data, defs->file.len, 0, chunk, 0, 0};
        ps_otf2_bytes record = {0};
        uint64_t offset;
        uint8_t type;
        ps_status status = PS_OK;
        ps_otf2_step step = PS_OTF2_RECORD;
        while (status == PS_OK &&
               (step = ps_otf2_walk_next(&walk, &type, &record, &offset)) == PS_OTF2_RECORD)
                status = take_definition(defs, type, &record, offset, issues, err);
        ps_issue_kind damage = step == PS_OTF2_CORRUPT ? PS_I_FILE_CORRUPT : PS_I_FILE_TRUNCATED;
        if (step == PS_OTF2_END)
                damage = walk.len - offset > PS_OTF2_MARK_BYTES ? PS_I_FILE_TRAILING : PS_I_COUNT;
        if (status == PS_OK && damage != PS_I_COUNT)
                ps_issue_note(issues, damage, (ps_place){PS_NONE, defs->name, offset, INT64_MIN});
        return status;
}

static int by_id(const void *a, const void *b)
{
        const ps_otf2_def *x = a, *y = b;
        PS_ORDER_BY(x->id, y->id);
        return PS_ORDER(x->offset, y->offset);
}

static bool same(const ps_otf2_def *a, const ps_otf2_def *b)
{
        return a->type == b->type && memcmp(a->v, b->v, sizeof(a->v)) == 0 && a->count == b->count &&
               a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* How good a definition is compared with others of its id. Recorders that define a communicator for every
 * process under one id, or a group as list of locations and as list of ranks, mean the larger, named one. */
static uint64_t merit(const ps_otf2_defs *defs, ps_otf2_table table, const ps_otf2_def *def)
{
        uint64_t members = 0;
        if (table == PS_OTF2_RANKS)
                return def->count;
        if (table == PS_OTF2_GROUP)
                members = def->v[PS_OTF2_GROUP_TYPE] == OTF2_GROUP_TYPE_COMM_LOCATIONS ? 0 : def->count + 1;
        else if (table == PS_OTF2_COMM) {
                const ps_otf2_def *g = ps_otf2_defs_find(defs, PS_OTF2_GROUP, def->v[PS_OTF2_COMM_GROUP]);
                members = g ? g->count + 1 : 0;
        } else {
                return 0;
        }
        const ps_otf2_def *name = ps_otf2_defs_find(defs, PS_OTF2_STRING, def->v[PS_OTF2_NAME]);
        return members * 2 + (name && name->count > 0);
}

/* Sorts a table and leaves one definition of each id: of several the best, of equally good ones the first. */
static void sort_table(ps_otf2_defs *defs, ps_otf2_table table, ps_issues *issues)
{
        ps_otf2_def *row = defs->table[table].row;
        uint32_t n = defs->table[table].n, kept = 0;
        if (n == 0)
                return;
        qsort(row, n, sizeof(*row), by_id);
        for (uint32_t i = 1; i < n; i++) {
                if (row[i].id != row[kept].id) {
                        row[++kept] = row[i];
                } else if (!same(&row[i], &row[kept])) {
                        if (table != PS_OTF2_RANKS)
                                ps_otf2_defs_note(defs, &row[i], PS_I_DEF_DUPLICATE, issues);
                        if (merit(defs, table, &row[i]) > merit(defs, table, &row[kept]))
                                row[kept] = row[i];
                }
        }
        defs->table[table].n = kept + 1;
        assert(ps_rows_are_sorted(row, kept + 1, sizeof(*row), by_id));
}

static ps_status intern_strings(ps_otf2_defs *defs, ps_strings *strings, ps_error *err)
{
        for (uint32_t i = 0; i < defs->table[PS_OTF2_STRING].n; i++) {
                ps_otf2_def *def = &defs->table[PS_OTF2_STRING].row[i];
                ps_str id = ps_strings_add(strings, (const char *)def->data, def->count);
                if (id == PS_NONE)
                        return PS_NOMEM(err, "strings", i);
                def->v[PS_OTF2_STRING_ID] = id;
        }
        return PS_OK;
}

static ps_status load_defs(ps_otf2_defs *out, const ps_otf2_archive *archive, ps_strings *strings,
                           ps_error *err)
{
        size_t n = strlen(archive->stem);
        char *path = malloc(n + 5);
        if (!path)
                return PS_NOMEM(err, "path", n);
        memcpy(path, archive->stem, n);
        memcpy(path + n, ".def", 5);
        ps_status status = ps_otf2_load(&out->file, path, err);
        if (status == PS_OK && !out->file.found)
                status = PS_FAIL(err, PS_E_INPUT, "the OTF2 archive has no global definitions: path=\"%s\"",
                                 path);
        out->name = ps_strings_addz(strings, path + (archive->name - archive->stem));
        if (status == PS_OK && out->name == PS_NONE)
                status = PS_NOMEM(err, "strings", 1);
        free(path);
        return status;
}

ps_status ps_otf2_defs_read(ps_otf2_defs *out, const ps_otf2_archive *archive, ps_strings *strings,
                            ps_issues *issues, ps_error *err)
{
        memset(out, 0, sizeof(*out));
        ps_status status = load_defs(out, archive, strings, err);
        PS_THEN(status, take_records(out, archive->def_chunk, issues, err));
        for (int t = 0; t < PS_OTF2_TABLES && status == PS_OK; t++)
                sort_table(out, (ps_otf2_table)t, issues);
        PS_THEN(status, intern_strings(out, strings, err));
        if (status != PS_OK)
                ps_otf2_defs_free(out);
        return status;
}

void ps_otf2_defs_free(ps_otf2_defs *defs)
{
        for (int t = 0; t < PS_OTF2_TABLES; t++)
                free(defs->table[t].row);
        free(defs->file.data);
        memset(defs, 0, sizeof(*defs));
}

const ps_otf2_def *ps_otf2_defs_find(const ps_otf2_defs *defs, ps_otf2_table table, uint64_t id)
{
        const ps_otf2_def *row = defs->table[table].row;
        uint32_t low = 0;
        if (id < defs->table[table].n && row[id].id == id) /* ids usually count from 0 */
                return &row[id];
        PS_SEARCH(low, defs->table[table].n, middle, row[middle].id < id);
        return low < defs->table[table].n && row[low].id == id ? &row[low] : NULL;
}
