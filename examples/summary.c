#include <inttypes.h>
#include <patscan/patscan.h>
#include <stdio.h>

int main(int argc, char **argv)
{
        ps_trace *trace = NULL;
        ps_summary sum;
        ps_error err = {0};

        if (argc != 2 || ps_trace_load(&trace, argv[1], NULL, &err) != PS_OK) {
                fprintf(stderr, "%s\n", err.n_causes ? err.cause[0].text : "usage: summary TRACE");
                return 1;
        }
        ps_trace_summary(trace, &sum);
        printf("%" PRIu64 " messages in %.4f s\n", sum.n_messages, (double)sum.duration_ps / 1e12);
        ps_trace_close(trace);
        return 0;
}
