/* measure.c - see measure.h. */
#include "tools/lmo_bench/measure.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
        SWEEP_REPEATS = 4, /* times as many at least: what happens now and then is to be seen */
        TENFOLD = 10,      /* so much longer than the shortest one is an escalation */
        KB = 1024
};

void die(const char *what)
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

int by_value(const void *a, const void *b)
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

void run_pairs(bench *b, double bytes)
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

void run_triples(bench *b, double bytes)
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
void run_sweep(bench *b, int is_gather)
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
