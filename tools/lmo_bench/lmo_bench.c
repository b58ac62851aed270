/* lmo_bench.c - measures the round trips that LMO is estimated from, on the machine that it runs on:
 *
 *   mpirun -n 8 lmo-bench > trips.txt && patscan calibrate trips.txt --model lmo -o machine.json
 *
 * For each pair of processes a ping-pong without data and with each size, disjoint pairs at the same time;
 * for each triple, and each root in it, two sends that are answered without data; one to all others and all
 * others to one, over a range of sizes. Each is repeated until the mean is known to 2.5 % with 95 %
 * confidence, or often enough. The table goes to the standard output: docs/CALIBRATION.md says how it looks.
 * A program of its own: patscan does not need MPI. */
#include "tools/lmo_bench/measure.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
        ALL_TRIPLES_MAX = 16, /* processes of which all triples are measured, unless it is asked for */
        COVER = 4
};

static const double bytes_max = 1 << 30;

/* -- the table -- */

static void print_row(const row *r)
{
        static const char *const words[] = {"pair", "triple", "scatter", "gather"};
        static const int n_ranks[] = {2, 3, 1, 1};
        int kind = (int)r->kind;
        fputs(words[kind], stdout);
        for (int i = 0; i < n_ranks[kind]; i++)
                printf(" %.0f", r->rank[i]);
        printf(" %.0f %.9g %.9g %.9g %.0f", r->bytes, r->least, r->tenth, r->median, r->repetitions);
        if (kind == GATHER)
                printf(" %.0f %.9g", r->escalated, r->excess);
        putchar('\n');
}

static void print_rows(const bench *b)
{
        if (b->rank) {
                MPI_Send(&b->n_rows, 1, MPI_INT, 0, TAG_CONTROL, MPI_COMM_WORLD);
                MPI_Send(b->rows, b->n_rows * ROW_DOUBLES, MPI_DOUBLE, 0, TAG_DATA, MPI_COMM_WORLD);
                return;
        }
        for (int i = 0; i < b->n_rows; i++)
                print_row(&b->rows[i]);
        for (int from = 1; from < b->n_ranks; from++) {
                int n;
                MPI_Recv(&n, 1, MPI_INT, from, TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                row *rows = calloc((size_t)n + 1, sizeof(*rows));
                if (!rows)
                        die("out of memory");
                MPI_Recv(rows, n * ROW_DOUBLES, MPI_DOUBLE, from, TAG_DATA, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                for (int i = 0; i < n; i++)
                        print_row(&rows[i]);
                free(rows);
        }
}

static void print_head(const bench *b)
{
        char name[MPI_MAX_PROCESSOR_NAME + 1] = "", all[RANKS_MAX][MPI_MAX_PROCESSOR_NAME + 1];
        int len;
        MPI_Get_processor_name(name, &len);
        for (char *c = name; *c; c++)
                if (*c <= ' ' || *c == '#')
                        *c = '_';
        MPI_Gather(name, sizeof(name), MPI_CHAR, all, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
        if (b->rank)
                return;
        printf("patscan-rtt 1\n# round trips in seconds: bytes, least, tenth percentile, median, "
               "repetitions\n");
        printf("processes %d\n", b->n_ranks);
        for (int i = 0; i < b->n_ranks; i++)
                printf("node %d %s\n", i, all[i]);
}

/* -- the command line -- */

static double read_number(const char *text, double least, double most, const char **rest)
{
        char *end;
        double value = strtod(text, &end);
        if (end == text || !(value >= least && value <= most) || (!rest && *end))
                die("bad number: see --help");
        if (rest)
                *rest = end;
        return value;
}

static void read_sizes(double *size, int *n, const char *text)
{
        for (*n = 0;; text++) {
                if (*n == SIZES_MAX)
                        die("there are too many sizes");
                size[(*n)++] = floor(read_number(text, 0, bytes_max, &text));
                if (*text != ',')
                        break;
        }
        if (*text)
                die("sizes are numbers separated by commas");
}

static const char usage[] =
        "lmo-bench [OPTION=VALUE]...   measures round trips, to be run by mpirun with three processes or "
        "more\n"
        "  --sizes=A,B,...       bytes of the ping-pongs, beside 0 (1024,4096,16384,65536,1048576)\n"
        "  --triple-size=BYTES   of the triples, beside 0; below the eager limit (4096)\n"
        "  --sweep=A,B,...       bytes of what one sends to all others, and these to it (1024,2048 ... "
        "131072)\n"
        "  --no-sweep            none of that\n"
        "  --least=N --most=N    repetitions of each (10, 200)\n"
        "  --precision=SHARE     of the mean, with 95 % confidence, at which they end (0.025)\n"
        "  --cover=N             2 N triples or so for each process instead of all of them (all up to 16 "
        "processes,\n"
        "                        then 4); 0: all\n"
        "  --serial              one pair at a time\n";

static void read_option(settings *how, const char *text)
{
        size_t len = strcspn(text, "=");
        const char *value = text[len] ? text + len + 1 : "";
        char name[32];
        snprintf(name, sizeof(name), "%.*s", (int)(len < 31 ? len : 31), text);
        if (!strcmp(name, "--sizes"))
                read_sizes(how->size, &how->n_sizes, value);
        else if (!strcmp(name, "--sweep"))
                read_sizes(how->sweep, &how->n_sweep, value);
        else if (!strcmp(name, "--no-sweep"))
                how->n_sweep = 0;
        else if (!strcmp(name, "--triple-size"))
                how->triple_bytes = floor(read_number(value, 1, bytes_max, NULL));
        else if (!strcmp(name, "--least"))
                how->least = (int)read_number(value, 2, REPEATS_MAX, NULL);
        else if (!strcmp(name, "--most"))
                how->most = (int)read_number(value, 2, REPEATS_MAX, NULL);
        else if (!strcmp(name, "--precision"))
                how->precision = read_number(value, 0, 1, NULL);
        else if (!strcmp(name, "--cover"))
                how->cover = (int)read_number(value, 0, RANKS_MAX, NULL);
        else if (!strcmp(name, "--serial"))
                how->is_serial = 1;
        else
                die("unknown option: see --help");
}

/* The pairs need the sizes of the triples, too. */
static void complete(settings *how)
{
        const double needed[] = {0, how->triple_bytes};
        for (int k = 0; k < 2; k++) {
                int has = 0;
                for (int i = 0; i < how->n_sizes; i++)
                        has |= how->size[i] == needed[k];
                if (!has && how->n_sizes == SIZES_MAX)
                        die("there are too many sizes");
                if (!has)
                        how->size[how->n_sizes++] = needed[k];
        }
        qsort(how->size, (size_t)how->n_sizes, sizeof(*how->size), by_value);
        qsort(how->sweep, (size_t)how->n_sweep, sizeof(*how->sweep), by_value);
        if (how->most < how->least)
                how->most = how->least;
}

static void prepare(bench *b, int argc, char **argv)
{
        b->how = (settings){.triple_bytes = 4096, .least = 10, .most = 200, .precision = 0.025, .cover = -1};
        read_sizes(b->how.size, &b->how.n_sizes, "1024,4096,16384,65536,1048576");
        read_sizes(b->how.sweep, &b->how.n_sweep, "1024,2048,4096,8192,16384,32768,65536,131072");
        for (int i = 1; i < argc; i++)
                read_option(&b->how, argv[i]);
        complete(&b->how);
        if (b->how.cover < 0)
                b->how.cover = b->n_ranks > ALL_TRIPLES_MAX ? COVER : 0;
        if (b->n_ranks < 2 || b->n_ranks > RANKS_MAX)
                die("it needs 2 to 128 processes, and triples need 3");
        double most = b->how.size[b->how.n_sizes - 1],
               swept = b->how.n_sweep ? b->how.sweep[b->how.n_sweep - 1] : 0;
        b->buffer = calloc(1, (size_t)(most > swept ? most : swept) + 1);
        b->times = calloc((size_t)b->how.most + 1, sizeof(*b->times));
        if (!b->buffer || !b->times)
                die("out of memory");
}

int main(int argc, char **argv)
{
        bench b = {.rank = 0};
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &b.n_ranks);
        if (argc > 1 && !strcmp(argv[1], "--help")) {
                if (!b.rank)
                        fputs(usage, stdout);
                MPI_Finalize();
                return 0;
        }
        prepare(&b, argc, argv);
        print_head(&b);
        for (int i = 0; i < b.how.n_sizes; i++)
                run_pairs(&b, b.how.size[i]);
        run_triples(&b, 0);
        run_triples(&b, b.how.triple_bytes);
        for (int is_gather = 0; is_gather < 2 && b.n_ranks > 2; is_gather++)
                run_sweep(&b, is_gather);
        print_rows(&b);
        free(b.buffer);
        free(b.times);
        free(b.rows);
        MPI_Finalize();
        return 0;
}
