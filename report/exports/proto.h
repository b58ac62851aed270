/* proto.h - messages of protobuf, written as they come. A message inside of another one stands behind its
 * length: it is written to a room of its own first, so that few bytes are moved. */
#ifndef PS_REPORT_EXPORTS_PROTO_H
#define PS_REPORT_EXPORTS_PROTO_H

#include "core/base/error.h"

typedef struct ps_proto {
        unsigned char *bytes;
        uint32_t n, cap;
        bool failed; /* no memory */
} ps_proto;

void ps_proto_varint(ps_proto *p, unsigned field, uint64_t value);
void ps_proto_fixed64(ps_proto *p, unsigned field, uint64_t value);
void ps_proto_bytes(ps_proto *p, unsigned field, const void *bytes, size_t n);
void ps_proto_text(ps_proto *p, unsigned field, const char *text);
/* `inner` is empty then. */
void ps_proto_message(ps_proto *p, unsigned field, ps_proto *inner);
void ps_proto_free(ps_proto *p);

#endif
