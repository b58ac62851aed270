/* convert.c TRACE - the messages of a run as a table: sender, receiver, tag, bytes, begin and end. Anything
 * that a trace holds is reached in this way, and written in whatever form another tool reads. */
#include <inttypes.h>
#include <patscan/patscan.h>
#include <stdio.h>

static uint32_t rank_of(const patscan_trace *trace, uint32_t location)
{
        return patscan_location(trace, location)->process;
}

int main(int argc, char **argv)
{
        patscan_trace *trace = NULL;
        patscan_error err = {0};
        const patscan_open_options options = {.size = sizeof(options), .lean = 1};
        char why[1024];

        if (argc != 2) {
                fputs("usage: convert TRACE\n", stderr);
                return 2;
        }
        if (patscan_open(&trace, argv[1], &options, &err) != PATSCAN_OK) {
                fprintf(stderr, "convert: %s\n", patscan_error_text(&err, why, sizeof(why)));
                return 1;
        }
        puts("sender,receiver,tag,bytes,send_s,receive_s");
        for (size_t i = 0; i < patscan_message_count(trace); i++) {
                const patscan_message_row *m = patscan_message(trace, i);

                printf("%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%.9f,%.9f\n",
                       rank_of(trace, m->sender), rank_of(trace, m->receiver), m->tag, m->bytes, m->send_s,
                       m->receive_s);
        }
        patscan_close(trace);
        return 0;
}
