/* consumer.c - the smallest program that uses the installed library: asks for a trace that is not there. */
#include <patscan/patscan.h>
#include <stdio.h>

int main(void)
{
        patscan_trace *trace = NULL;
        patscan_error err = {0};
        patscan_status status = patscan_open(&trace, "/nonexistent/traces.otf2", NULL, &err);

        patscan_close(trace);
        printf("%s %d\n", patscan_version(), (int)status);
        return status == PATSCAN_E_INPUT && err.n_causes > 0 ? 0 : 1;
}
