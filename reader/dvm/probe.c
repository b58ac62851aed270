/* probe.c - whether the first bytes of a file are those of a DVM trace, packed or not. */
#include "reader/dvm/dvm.h"
#include "reader/dvm/header.h"

#include <string.h>

#define ZLIB_CONST /* what is unpacked is only read */
#include <zlib.h>

enum { HEAD_BYTES = 8192, SURE = 90 };

static int probe_text(const char *text, size_t len)
{
        static const char version[] = "RTS VERSION =";
        const char *end = text + len;
        if (memchr(text, '\0', len))
                return 0;
        for (const char *at = text, *line_end; at < end; at = line_end + 1) {
                ps_dvm_header h;
                line_end = memchr(at, '\n', (size_t)(end - at));
                if (!line_end)
                        line_end = end;
                while (at < line_end && (*at == ' ' || *at == '\t'))
                        at++;
                if ((size_t)(line_end - at) >= sizeof(version) - 1 &&
                    memcmp(at, version, sizeof(version) - 1) == 0)
                        return SURE;
                if (ps_dvm_header_scan(&h, at, line_end) && !h.wrong)
                        return SURE;
        }
        return 0;
}

/* The beginning of what `head` unpacks to. */
static size_t unpack(const uint8_t *head, size_t len, char *text, size_t cap)
{
        enum { GZIP_ONLY = 16 };
        z_stream z = {.next_in = head, .avail_in = (uInt)len};
        if (inflateInit2(&z, MAX_WBITS + GZIP_ONLY) != Z_OK)
                return 0;
        z.next_out = (Bytef *)text;
        z.avail_out = (uInt)cap;
        inflate(&z, Z_SYNC_FLUSH);
        size_t n = cap - z.avail_out;
        inflateEnd(&z);
        return n;
}

int ps_dvm_probe(const uint8_t *head, size_t len)
{
        char text[HEAD_BYTES];
        if (len < 2 || head[0] != 0x1f || head[1] != 0x8b)
                return probe_text((const char *)head, len);
        return probe_text(text, unpack(head, len < UINT32_MAX ? len : UINT32_MAX, text, sizeof(text)));
}
