/* plants.c - `plants ROUNDS MICROSECONDS`: all cases of the shared corpus's plant.c that come to an end, one
 * after the other in one run. What each rank was blocked for in the calls that a case measures stands in
 * said.RANK: "CASE SECONDS", and by how much it slept too long, at most: "usleep SECONDS". PLANT is the
 * file, with a statement a line. */
#define usleep sleep_a_while
#define main   plant_main
#include PLANT
#undef main
static double overslept;

static int ends(const char *name)
{
        return strcmp(name, "abort") != 0 && strcmp(name, "kill") != 0 && strcmp(name, "nofinal") != 0;
}

int main(int argc, char **argv)
{
        char path[32];
        int level;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        MPI_Comm_rank(C, &R);
        MPI_Comm_size(C, &N);
        reps = argc > 1 ? atoi(argv[1]) : reps;
        D = argc > 2 ? atol(argv[2]) : D;
        buf = calloc(1, BIG + 4096);
        buf2 = calloc(1, BIG + 4096);
        snprintf(path, sizeof(path), "said.%d", R);
        FILE *file = fopen(path, "w");
        for (int i = 0; file && tab[i].n; i++) {
                if (!ends(tab[i].n))
                        continue;
                blk = 0;
                MPI_Barrier(C);
                tab[i].f();
                fprintf(file, "%s %.9f\n", tab[i].n, blk);
        }
        if (file)
                fprintf(file, "usleep %.9f\n", overslept);
        int failed = !file || fclose(file);
        MPI_Finalize();
        return failed;
}

/* What <unistd.h> declares under this name. */
int sleep_a_while(useconds_t us)
{
        long long begun = mono();
        int failed = nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
        double more = 1e-9 * (double)(mono() - begun) - 1e-6 * us;
        if (more > overslept)
                overslept = more;
        return failed;
}
