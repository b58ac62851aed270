/* pgas.c - see pgas.h. */
#include "reader/otf2_writer/pgas.h"

#include "core/model/kinds.h"

#include <stdio.h>

#include <stdio.h>

/* Ids of the attributes, behind the one for call sites. */
enum { IN_SYNC = PS_OTF2_OUT_SITE + 1, OUT_SYNC, ROOT, LOCK_ID };

static bool has_paradigm(const ps_defs *defs, ps_paradigm paradigm)
{
        for (ps_region i = 0; i < defs->regions.n; i++)
                if (defs->regions.row[i].paradigm == paradigm)
                        return 1;
        return 0;
}

static bool has_comm(const ps_defs *defs, int of_locations)
{
        for (ps_comm i = 0; i < defs->comms.n; i++)
                if (defs->comms.row[i].pgas && defs->comms.row[i].team == of_locations)
                        return 1;
        return 0;
}

static ps_region region_of_access(const ps_defs *defs, const ps_event *e)
{
        if (e->kind == PS_EV_ENTER)
                return e->ref;
        return e->kind == PS_EV_CONTEXT_ENTER && e->ref < defs->contexts.n ? defs->contexts.row[e->ref].region
                                                                           : PS_NONE;
}

static const char *const mode_names[2][4] = {{"", "UPC_IN_ALLSYNC", "UPC_IN_MYSYNC", "UPC_IN_NOSYNC"},
                                             {"", "UPC_OUT_ALLSYNC", "UPC_OUT_MYSYNC", "UPC_OUT_NOSYNC"}};

OTF2_StringRef ps_otf2_out_modes(ps_otf2_out *out, const ps_region_def *def)
{
        char text[64];

        if (!ps_paradigm_is_pgas(def->paradigm) ||
            def->sync == ps_kind_of_pgas_name(ps_defs_str(out->defs, def->name), PS_NAMES_OTHER).sync)
                return OTF2_UNDEFINED_STRING;
        snprintf(text, sizeof(text), "%s|%s", mode_names[0][ps_sync_in(def->sync)],
                 mode_names[1][ps_sync_out(def->sync)]);
        return ps_otf2_out_text(out, text);
}

static void add_mode(ps_otf2_out *out, OTF2_AttributeList *list, int at_end, ps_sync mode)
{
        uint32_t *id = &out->modes[at_end][mode];

        if (mode == PS_SYNC_UNKNOWN)
                return;
        if (!*id)
                *id = ps_otf2_out_text(out, mode_names[at_end][mode]) + 1;
        ps_otf2_out_check(out, OTF2_AttributeList_AddStringRef(list, at_end ? OUT_SYNC : IN_SYNC, *id - 1));
}

void ps_otf2_out_hints(ps_otf2_out *out, OTF2_AttributeList *list, const ps_event *e)
{
        ps_region region = region_of_access(out->defs, e);

        if (region >= out->defs->regions.n || !ps_paradigm_is_pgas(out->defs->regions.row[region].paradigm))
                return;
        add_mode(out, list, 0, ps_sync_in(e->tag));
        add_mode(out, list, 1, ps_sync_out(e->tag));
        if (e->peer != PS_NONE)
                ps_otf2_out_check(out, OTF2_AttributeList_AddUint32(list, ROOT, e->peer));
        if (e->op)
                ps_otf2_out_check(out, OTF2_AttributeList_AddUint64(list, LOCK_ID, e->request));
}

static void define_window(ps_otf2_out *out, OTF2_AttributeRef attribute, const char *name,
                          const char *description, OTF2_Type type)
{
        ps_otf2_out_check(out, OTF2_GlobalDefWriter_WriteAttribute(out->global, attribute,
                                                                   ps_otf2_out_text(out, name),
                                                                   ps_otf2_out_text(out, description), type));
}

static void define_paradigm(ps_otf2_out *out, OTF2_Paradigm paradigm, const char *name)
{
        ps_otf2_out_check(out, OTF2_GlobalDefWriter_WriteParadigm(out->global, paradigm,
                                                                  ps_otf2_out_text(out, name),
                                                                  OTF2_PARADIGM_CLASS_PROCESS));
}

void ps_otf2_out_pgas(ps_otf2_out *out)
{
        const ps_defs *defs = out->defs;
        bool has_upc = has_paradigm(defs, PS_PARADIGM_PGAS),
             has_shmem = has_paradigm(defs, PS_PARADIGM_SHMEM);
        int of_processes = has_comm(defs, 0), of_locations = has_comm(defs, 1);

        if (!has_upc && !has_shmem && !of_processes && !of_locations)
                return;
        OTF2_Paradigm first = has_shmem && !has_upc ? OTF2_PARADIGM_SHMEM : OTF2_PARADIGM_UPC;
        OTF2_Paradigm other = first == OTF2_PARADIGM_UPC ? OTF2_PARADIGM_SHMEM : OTF2_PARADIGM_UPC;
        out->pgas[0] = of_processes ? first : 0;
        out->pgas[1] = !of_locations ? 0 : of_processes ? other : first;
        if (has_upc || out->pgas[0] == OTF2_PARADIGM_UPC || out->pgas[1] == OTF2_PARADIGM_UPC)
                define_paradigm(out, OTF2_PARADIGM_UPC, "UPC");
        if (has_shmem || out->pgas[0] == OTF2_PARADIGM_SHMEM || out->pgas[1] == OTF2_PARADIGM_SHMEM)
                define_paradigm(out, OTF2_PARADIGM_SHMEM, "SHMEM");
        define_window(out, IN_SYNC, "UPC_IN_SYNC", "synchronisation at the begin", OTF2_TYPE_STRING);
        define_window(out, OUT_SYNC, "UPC_OUT_SYNC", "synchronisation at the end", OTF2_TYPE_STRING);
        define_window(out, ROOT, "ROOT", "thread that the operation begins or ends at", OTF2_TYPE_UINT32);
        define_window(out, LOCK_ID, "LOCK_ID", "which lock it is", OTF2_TYPE_UINT64);
}
