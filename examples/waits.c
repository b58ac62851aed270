/* waits.c TRACE - who waited for whom, where, and how long, worst first; and who caused it. */
#include <patscan/patscan.h>
#include <stdio.h>

static void print_finding(const patscan_finding_row *f)
{
        printf("%9.3f ms  rank %u", 1e3 * f->lost_s, f->process);
        if (f->partner_process != PATSCAN_NONE)
                printf(" for rank %u", f->partner_process);
        printf(", %s:%u: %s\n", f->file ? f->file : "?", f->line, f->type);
}

static void print_cause(const patscan_cause_row *c)
{
        if (c->process == PATSCAN_NONE) /* what nothing explains */
                return;
        printf("%9.3f ms  caused by rank %u in %s", 1e3 * c->waiting_s, c->process,
               c->function ? c->function : "?");
        if (c->fix)
                printf("; %s saves %.3f ms", c->fix, 1e3 * c->fix_gain_s);
        putchar('\n');
}

int main(int argc, char **argv)
{
        patscan_trace *trace = NULL;
        patscan_analysis *analysis = NULL;
        patscan_error err = {0};
        char why[1024];
        patscan_status status;

        if (argc != 2) {
                fputs("usage: waits TRACE\n", stderr);
                return 2;
        }
        status = patscan_open(&trace, argv[1], NULL, &err);
        if (status == PATSCAN_OK)
                status = patscan_analyze(&analysis, trace, NULL, &err);
        if (status == PATSCAN_OK) {
                for (size_t i = 0; i < patscan_finding_count(analysis); i++)
                        print_finding(patscan_finding(analysis, i));
                for (size_t i = 0; i < patscan_cause_count(analysis); i++)
                        print_cause(patscan_cause(analysis, i));
        } else {
                fprintf(stderr, "waits: %s\n", patscan_error_text(&err, why, sizeof(why)));
        }
        patscan_analysis_free(analysis);
        patscan_close(trace);
        return status != PATSCAN_OK;
}
