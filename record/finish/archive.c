/* archive.c - see archive.h. Locations are written one after the other. */
#include "record/finish/archive.h"

#include "reader/otf2_writer/archive.h"

#include <stdlib.h>

enum { CHUNK_BYTES = 1 << 20, MEMBER_BYTES = 10 };

void ps_archive_check(ps_archive *archive, OTF2_ErrorCode code)
{
        if (archive->code == OTF2_SUCCESS)
                archive->code = code;
}

/* To OTF2 an empty value is a property that is to be taken away. */
static void set_property(ps_archive *a, const char *name, const char *value)
{
        if (*value)
                ps_archive_check(a, OTF2_Archive_SetProperty(a->otf2, name, value, 1));
}

static ps_status open_archive(ps_archive *a, const char *folder, const char *incomplete, ps_error *err)
{
        uint64_t members = a->run->size > a->run->threads.n ? a->run->size : a->run->threads.n;
        PS_TRY(ps_otf2_out_open(&a->otf2, folder, CHUNK_BYTES, CHUNK_BYTES + members * MEMBER_BYTES, &a->code,
                                err));
        ps_archive_check(a, OTF2_Archive_SetCreator(a->otf2, "patscan record " PS_VERSION));
        char *ends;
        PS_TRY(ps_archive_ends(&ends, a->run, err));
        set_property(a, "PATSCAN::INCOMPLETE", incomplete);
        set_property(a, "PATSCAN::ENDS", ends);
        free(ends);
        ps_archive_check(a, OTF2_Archive_OpenEvtFiles(a->otf2));
        a->global = OTF2_Archive_GetGlobalDefWriter(a->otf2);
        return a->global ? PS_OK : PS_NOMEM(err, "archive", 1);
}

static ps_status write_all(ps_archive *a, const char *folder, const char *incomplete, ps_error *err)
{
        ps_status status = open_archive(a, folder, incomplete, err);
        for (uint32_t i = 0; i < a->run->threads.n && status == PS_OK && !a->code; i++)
                status = ps_archive_events(a, i, err);
        if (status == PS_OK && !a->code) {
                ps_archive_check(a, OTF2_Archive_CloseEvtFiles(a->otf2));
                ps_archive_definitions(a);
        }
        if (a->otf2)
                ps_archive_check(a, OTF2_Archive_Close(a->otf2));
        if (status == PS_OK && a->is_out_of_memory)
                status = PS_NOMEM(err, "definitions", a->run->threads.n);
        if (status == PS_OK && a->code)
                status = PS_FAIL(err, PS_E_OUTPUT, "cannot write the archive: path=\"%s\", reason=\"%s\"",
                                 folder, OTF2_Error_GetDescription(a->code));
        return status;
}

ps_status ps_archive_write(ps_raw_run *run, const char *folder, const char *incomplete, ps_error *err)
{
        ps_archive a = {.run = run, .first = UINT64_MAX};
        a.n_events = calloc((size_t)run->threads.n + 1, sizeof(*a.n_events));
        a.span = calloc((size_t)run->threads.n + 1, sizeof(*a.span));
        OTF2_ErrorCallback before = ps_otf2_out_silence(&a.code);
        ps_status status = a.n_events && a.span ? write_all(&a, folder, incomplete, err)
                                                : PS_NOMEM(err, "locations", run->threads.n);
        OTF2_Error_RegisterCallback(before, NULL);
        free(a.n_events);
        free(a.span);
        free(a.distances.row);
        return status;
}
