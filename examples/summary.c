#include <inttypes.h>
#include <patscan/patscan.h>
#include <stdio.h>

int main(int argc, char **argv)
{
        patscan_trace *trace = NULL;
        patscan_error err = {0};

        if (argc != 2 || patscan_open(&trace, argv[1], NULL, &err) != PATSCAN_OK) {
                fprintf(stderr, "%s\n", err.n_causes ? err.cause[0].text : "usage: summary TRACE");
                return 1;
        }
        printf("%" PRIu64 " messages in %.4f s\n", patscan_summary(trace)->messages,
               patscan_summary(trace)->duration_s);
        patscan_close(trace);
        return 0;
}
