/* inside.c - a parallel region in a block of a function, in which one thread computes for longest, in a
 * function that compilers inline: what has no call in it is only named by looking where it is. */
#include <stdio.h>

static double relax(long n)
{
        volatile double sum = 0;
        for (long i = 0; i < n; i++)
                sum += (double)i * 1e-9;
        return sum;
}

int main(void)
{
        double sum = 0;
        for (int step = 0; step < 20; step++) {
                double share = 0;
#pragma omp parallel num_threads(2) reduction(+ : share)
                {
                        int late = 0;
#pragma omp for schedule(static, 1)
                        for (int i = 0; i < 2; i++)
                                late = i;
                        share += relax(late ? 6000000 : 1000000);
                }
                sum += share;
        }
        return sum < 0;
}
