/* archive.c - see archive.h. */
#include "reader/otf2_writer/archive.h"

static OTF2_FlushType before_flush(void *ctx, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool is_last)
{
        (void)ctx, (void)type, (void)location, (void)caller, (void)is_last;
        return OTF2_FLUSH;
}

static OTF2_ErrorCode keep_code(void *kept, const char *file, uint64_t line, const char *function,
                                OTF2_ErrorCode code, const char *format, va_list args)
{
        (void)file, (void)line, (void)function, (void)format, (void)args;
        OTF2_ErrorCode *first = kept;
        *first = *first ? *first : code;
        return code;
}

OTF2_ErrorCallback ps_otf2_out_silence(OTF2_ErrorCode *code)
{
        return OTF2_Error_RegisterCallback(keep_code, code);
}

ps_status ps_otf2_out_open(OTF2_Archive **out, const char *folder, uint64_t event_chunk,
                           uint64_t definition_chunk, OTF2_ErrorCode *code, ps_error *err)
{
        static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
        *out = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, event_chunk, definition_chunk,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        if (!*out)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot make the archive: path=\"%s\", reason=\"%s\"",
                               folder, OTF2_Error_GetDescription(*code));
        *code = OTF2_Archive_SetFlushCallbacks(*out, &flush, NULL);
        if (*code == OTF2_SUCCESS)
                *code = OTF2_Archive_SetSerialCollectiveCallbacks(*out);
        return PS_OK;
}
