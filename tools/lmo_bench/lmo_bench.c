/* lmo_bench.c - measures the round trips that LMO is estimated from, on the machine that it runs on:
 *
 *   mpirun -n 8 lmo-bench > trips.txt && patscan calibrate trips.txt --model lmo -o machine.json
 *
 * For each pair of processes a ping-pong without data and with each size, disjoint pairs at the same time;
 * for each triple, and each root in it, two sends that are answered without data; one to all others and all
 * others to one, over a range of sizes. Each is repeated until the mean is known to 2.5 % with 95 %
 * confidence, or often enough. The table goes to the standard output: docs/CALIBRATION.md says how it looks.
 * A program of its own: patscan does not need MPI. */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
        RANKS_MAX = 128,
        SIZES_MAX = 32,
        REPEATS_MAX = 10000,
        ALL_TRIPLES_MAX = 16, /* processes of which all triples are measured, unless it is asked for */
        COVER = 4,
        SWEEP_REPEATS = 4, /* times as many at least: what happens now and then is to be seen */
        TENFOLD = 10,      /* so much longer than the shortest one is an escalation */
        KB = 1024,
        TAG_CONTROL = 1,
        TAG_DATA = 2
};

static const double bytes_max = 1 << 30;

typedef struct settings {
        double size[SIZES_MAX], sweep[SIZES_MAX];
        int n_sizes, n_sweep;
        double triple_bytes;
        int least, most; /* repetitions */
        double precision;
        int cover; /* triples that each process begins; 0: all triples */
        int is_serial;
} settings;

enum { PAIR, TRIPLE, SCATTER, GATHER };

/* A line of the table. Doubles only, so that it can be sent as such. */
typedef struct row {
        double kind, rank[3], bytes, least, tenth, median,
                repetitions;      /* of the last two: rank[0] is how many there are */
        double escalated, excess; /* gathers that took ten times as long as the least one, and by how much
                                     longer than the median on average */
} row;

enum { ROW_DOUBLES = sizeof(row) / sizeof(double) };

typedef struct bench {
        settings how;
        int rank, n_ranks;
        char *buffer;
        double *times; /* of the repetitions at hand */
        row *rows;     /* of which this process was the root */
        int n_rows, room;
} bench;

static void die(const char *what)
{
        fprintf(stderr, "lmo-bench: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
}

/* -- one operation -- */

/* Whoever is not the root waits for its message when the root begins: it has just acknowledged. */
static void command(const int *others, int n, int go)
{
        for (int i = 0; i < n; i++)
                MPI_Send(&go, 1, MPI_INT, others[i], TAG_CONTROL, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
                MPI_Recv(&go, 1, MPI_INT, others[i], TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double once(const bench *b, const int *others, int n, int bytes, int reply)
{
        double began = MPI_Wtime();
        for (int i = 0; i < n; i++)
                MPI_Send(b->buffer, bytes, MPI_BYTE, others[i], TAG_DATA, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
                MPI_Recv(b->buffer, reply, MPI_BYTE, others[i], TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return MPI_Wtime() - began;
}

static void answer(const bench *b, int root, int bytes, int reply)
{
        for (;;) {
                int go;
                MPI_Recv(&go, 1, MPI_INT, root, TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(&go, 1, MPI_INT, root, TAG_CONTROL, MPI_COMM_WORLD);
                if (!go)
                        return;
                MPI_Recv(b->buffer, bytes, MPI_BYTE, root, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(b->buffer, reply, MPI_BYTE, root, TAG_DATA, MPI_COMM_WORLD);
        }
}

/* The mean is known well enough. */
static int is_enough(const settings *how, const double *times, int n)
{
        double sum = 0, squares = 0;
        if (n < how->least)
                return 0;
        for (int i = 0; i < n; i++)
                sum += times[i];
        for (int i = 0; i < n; i++)
                squares += (times[i] - sum / n) * (times[i] - sum / n);
        return n >= how->most || 1.96 * sqrt(squares / (n - 1) / n) <= how->precision * sum / n;
}

static int by_value(const void *a, const void *b)
{
        double p = *(const double *)a, q = *(const double *)b;
        return (p > q) - (p < q);
}

/* Returns the row, which has its times and needs all else. */
static row *keep(bench *b, int repetitions)
{
        double *t = b->times;
        if (b->n_rows == b->room) {
                b->room = b->room ? 2 * b->room : 64;
                b->rows = realloc(b->rows, (size_t)b->room * sizeof(*b->rows));
                if (!b->rows)
                        die("out of memory");
        }
        qsort(t, (size_t)repetitions, sizeof(*t), by_value);
        b->rows[b->n_rows++] = (row){.least = t[0],
                                     .tenth = t[repetitions / 10],
                                     .median = t[repetitions / 2],
                                     .repetitions = repetitions};
        return &b->rows[b->n_rows - 1];
}

/* The part of one process in the operation of a root with one or two others. */
static void take_part(bench *b, int root, const int *others, int n, double bytes)
{
        int size = (int)bytes, reply = n == 1 ? size : 0, done = 0;
        if (b->rank != root) {
                answer(b, root, size, reply);
                return;
        }
        for (int i = -1; i < 0 || !is_enough(&b->how, b->times, done); i++) {
                command(others, n, 1);
                double time = once(b, others, n, size, reply);
                if (i >= 0) /* the first one warms up */
                        b->times[done++] = time;
        }
        command(others, n, 0);
        row *kept = keep(b, done);
        kept->kind = n > 1 ? TRIPLE : PAIR;
        kept->rank[0] = b->rank;
        kept->rank[1] = others[0];
        kept->rank[2] = n > 1 ? others[1] : -1;
        kept->bytes = bytes;
}

/* -- all pairs: a tournament, in each round of which everybody has one partner -- */

static int partner_of(int rank, int round, int n_even)
{
        int last = n_even - 1;
        if (rank == last)
                return round;
        if (rank == round)
                return last;
        return ((2 * round - rank) % last + last) % last;
}

static void run_pairs(bench *b, double bytes)
{
        int n_even = b->n_ranks + b->n_ranks % 2;
        for (int round = 0; round < n_even - 1; round++) {
                int partner = partner_of(b->rank, round, n_even),
                    root = partner < b->rank ? partner : b->rank;
                int other = partner < b->rank ? b->rank : partner;
                for (int turn = 0; turn < (b->how.is_serial ? b->n_ranks : 1); turn++) {
                        if (partner < b->n_ranks && (!b->how.is_serial || turn == root))
                                take_part(b, root, &other, 1, bytes);
                        MPI_Barrier(MPI_COMM_WORLD);
                }
        }
}

/* -- triples -- */

static void run_triple(bench *b, int i, int j, int k, double bytes)
{
        const int member[3] = {i, j, k};
        if (b->rank == i || b->rank == j || b->rank == k)
                for (int x = 0; x < 3; x++) {
                        const int others[2] = {member[x == 0], member[x == 2 ? 1 : 2]};
                        take_part(b, member[x], others, 2, bytes);
                }
        MPI_Barrier(MPI_COMM_WORLD);
}

/* The triple is one of those that steps around the ring of processes make. */
static int is_in_cover(const bench *b, int i, int j, int k)
{
        int n = b->n_ranks, gap[3] = {j - i, k - j, n - k + i};
        for (int x = 0; x < 3; x++)
                if (gap[x] == gap[(x + 1) % 3] && gap[x] <= b->how.cover)
                        return 1;
        return 0;
}

static void run_triples(bench *b, double bytes)
{
        for (int i = 0; i < b->n_ranks; i++)
                for (int j = i + 1; j < b->n_ranks; j++)
                        for (int k = j + 1; k < b->n_ranks; k++)
                                if (!b->how.cover || is_in_cover(b, i, j, k))
                                        run_triple(b, i, j, k, bytes);
}

/* -- one to all others, and all others to one; process 0 is the root -- */

/* The root's time. Receivers acknowledge what they were sent. */
static double sweep_once(const bench *b, int is_gather, int bytes)
{
        MPI_Barrier(MPI_COMM_WORLD);
        double began = MPI_Wtime();
        if (b->rank && is_gather) {
                MPI_Send(b->buffer, bytes, MPI_BYTE, 0, TAG_DATA, MPI_COMM_WORLD);
        } else if (b->rank) {
                MPI_Recv(b->buffer, bytes, MPI_BYTE, 0, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(b->buffer, 0, MPI_BYTE, 0, TAG_DATA, MPI_COMM_WORLD);
        }
        for (int i = 1; i < b->n_ranks && !b->rank && !is_gather; i++)
                MPI_Send(b->buffer, bytes, MPI_BYTE, i, TAG_DATA, MPI_COMM_WORLD);
        for (int i = 1; i < b->n_ranks && !b->rank; i++)
                MPI_Recv(b->buffer, is_gather ? bytes : 0, MPI_BYTE, i, TAG_DATA, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        return MPI_Wtime() - began;
}

/* The way of an acknowledgement: half of the least round trip without data. */
static double acknowledgement(const bench *b)
{
        double least = -1;
        for (int i = 0; i < b->n_rows; i++)
                if (b->rows[i].kind == PAIR && b->rows[i].bytes == 0 &&
                    (least < 0 || b->rows[i].least < least))
                        least = b->rows[i].least;
        return least > 0 ? least / 2 : 0;
}

static void keep_sweep(bench *b, int is_gather, double bytes, int done)
{
        double less = is_gather ? 0 : acknowledgement(b);
        for (int i = 0; i < done; i++)
                b->times[i] = b->times[i] > 2 * less ? b->times[i] - less : b->times[i] / 2;
        row *kept = keep(b, done);
        kept->kind = is_gather ? GATHER : SCATTER;
        kept->rank[0] = b->n_ranks;
        kept->bytes = bytes;
        for (int i = 0; i < done; i++)
                if (b->times[i] > TENFOLD * kept->least) {
                        kept->escalated++;
                        kept->excess += b->times[i] - kept->median;
                }
        if (kept->escalated > 0)
                kept->excess /= kept->escalated;
}

/* Does it escalate? All processes are told. */
static int sweep_size(bench *b, int is_gather, double bytes)
{
        int done = 0, go = 1, escalates = 0;
        for (int i = -1; go; i++) {
                double time = sweep_once(b, is_gather, (int)bytes);
                if (i >= 0)
                        b->times[done++] = time;
                go = i < 0 || ((done < SWEEP_REPEATS * b->how.least || !is_enough(&b->how, b->times, done)) &&
                               done < b->how.most);
                MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
        if (!b->rank) {
                keep_sweep(b, is_gather, bytes, done);
                escalates = b->rows[b->n_rows - 1].escalated > 0;
        }
        MPI_Bcast(&escalates, 1, MPI_INT, 0, MPI_COMM_WORLD);
        return escalates;
}

/* Between the last size that does not escalate and the first one that does, down to a kilobyte. */
static void run_sweep(bench *b, int is_gather)
{
        double before = -1, first = -1;
        for (int i = 0; i < b->how.n_sweep; i++) {
                int escalates = sweep_size(b, is_gather, b->how.sweep[i]);
                if (escalates && first < 0)
                        first = b->how.sweep[i];
                else if (first < 0)
                        before = b->how.sweep[i];
        }
        while (is_gather && before >= 0 && first - before > KB) {
                double middle = floor((before + first) / 2);
                *(sweep_size(b, is_gather, middle) ? &first : &before) = middle;
        }
}

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
