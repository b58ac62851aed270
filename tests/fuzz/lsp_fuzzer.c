/* lsp_fuzzer.c - whatever an editor says, the server answers or passes over. */
#include "app/lsp/server.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char report[] =
        "{\"schema\":\"patscan-report-1\",\"trace\":{\"path\":\"t\",\"duration_s\":1},\"settings\":{\"source_"
        "root\":null},"
        "\"time\":[{\"time_s\":4}],\"findings\":[{\"id\":\"0000000000000001\",\"site\":\"0000000000000002\","
        "\"type\":\"late-sender\",\"process\":1,\"file\":\"a.c\",\"line\":2,\"line_text\":\"  "
        "f();\",\"count\":3,"
        "\"lost_s\":0.5,\"share\":0.1,\"worst\":{\"begin_s\":0,\"lost_s\":0.2,\"partner_process\":0,"
        "\"partner_file\":\"a.c\",\"partner_line\":1},\"causes\":[{\"id\":\"0000000000000003\"}],\"comment\":"
        "\"c\"}],"
        "\"functions\":[{\"callpath\":[\"f\"],\"function\":\"f\",\"file\":\"a.c\",\"line\":1,\"waiting_s\":0."
        "5}],"
        "\"causes\":[{\"id\":\"0000000000000003\",\"process\":0,\"function\":\"f\",\"file\":\"a.c\",\"line\":"
        "1,"
        "\"waiting_s\":0.5,\"share\":0.1,\"fixes\":[{\"kind\":\"evened\",\"edit\":\"even:f\",\"gain_s\":0.1}]"
        "}]}";

static char path[64];

static void forget_report(void)
{
        unlink(path);
}

static void make_report(void)
{
        snprintf(path, sizeof(path), "/tmp/lsp_fuzzer.%ld.json", (long)getpid());
        FILE *file = fopen(path, "w");
        if (!file || fputs(report, file) < 0 || fclose(file))
                abort();
        atexit(forget_report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static int nowhere = -1;
        FILE *in = tmpfile();
        bool is_orderly;
        if (nowhere < 0) {
                nowhere = open("/dev/null", O_WRONLY);
                make_report();
        }
        if (!in || (size && fwrite(data, size, 1, in) != 1) || fflush(in) || lseek(fileno(in), 0, SEEK_SET))
                abort();
        ps_lsp_options options = {.source = path, .is_report = true, .in = fileno(in), .out = nowhere};
        ps_lsp_serve(&options, &is_orderly, NULL);
        fclose(in);
        return 0;
}
