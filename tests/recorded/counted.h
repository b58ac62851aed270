/* counted.h - calls that a program makes and counts itself: from which line, how often and how long they
 * took. */
#ifndef PS_TESTS_RECORDED_COUNTED_H
#define PS_TESTS_RECORDED_COUNTED_H

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SITES_MOST = 1000 };

static struct {
        char function[40];
        int line, count;
        double seconds;
} sites[SITES_MOST];
static int n_sites, rank, size;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double now(void)
{
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note(const char *call, int line, double seconds)
{
        size_t n = strcspn(call, "(");
        int i = 0;
        pthread_mutex_lock(&mutex);
        while (i < n_sites && (sites[i].line != line || strncmp(sites[i].function, call, n) != 0))
                i++;
        if (i == n_sites) {
                n_sites++;
                snprintf(sites[i].function, sizeof(sites[i].function), "%.*s", (int)n, call);
                sites[i].line = line;
        }
        sites[i].count++;
        sites[i].seconds += seconds;
        pthread_mutex_unlock(&mutex);
}

#define DO(...)                                                                                              \
        do {                                                                                                 \
                double began = now();                                                                        \
                __VA_ARGS__;                                                                                 \
                note(#__VA_ARGS__, __LINE__, now() - began);                                                 \
        } while (0)

/* In a file of its own: what several ranks print through one pipe may be torn. */
static int say(void)
{
        char path[32];
        snprintf(path, sizeof(path), "said.%d", rank);
        FILE *file = fopen(path, "w");
        for (int i = 0; file && i < n_sites; i++)
                fprintf(file, "call %d %s %d %d %.9f\n", rank, sites[i].function, sites[i].line,
                        sites[i].count, sites[i].seconds);
        return file && fclose(file) == 0;
}

#endif
