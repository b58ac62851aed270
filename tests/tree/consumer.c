/* consumer.c - the smallest program that uses the installed library: asks for a trace that is not there. */
#include <patscan/patscan.h>
#include <stdio.h>

int main(void)
{
        ps_trace *trace = NULL;
        ps_error err = {0};
        ps_status status = ps_trace_load(&trace, "/nonexistent/traces.otf2", NULL, &err);

        ps_trace_close(trace);
        printf("%s %d\n", ps_version(), (int)status);
        return status == PS_E_INPUT && err.n_causes > 0 ? 0 : 1;
}
