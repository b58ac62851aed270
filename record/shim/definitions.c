/* definitions.c - the text in which a process says what its rows mean, a line each. It is mapped, as rows
 * are, so that a line is there once it is written, whatever becomes of the process. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long a line may be, how long the last ones are together, and by how much the file grows. */
enum { LINE_ROOM = 4096, END_ROOM = 256, STEP = 1 << 16 };

static struct {
        pthread_mutex_t mutex;
        ps_shim_map map;
        uint8_t *at;
        bool is_cut;
        char path[PATH_MAX];
} text = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static size_t room(void)
{
        return text.map.base ? (size_t)(text.map.size - ps_shim_map_place(&text.map, text.at)) : 0;
}

static ps_raw_end more_text(void)
{
        uint64_t place = text.map.base ? ps_shim_map_place(&text.map, text.at) : 0;
        ps_raw_end why = ps_shim_map_more(&text.map, text.path, place, STEP, 0);
        if (why == PS_RAW_RUNNING)
                text.at = text.map.base + (place - text.map.offset);
        return why;
}

/* A line that is not whole ends the text: it has no newline. */
static void write_line(const char *format, va_list list)
{
        size_t most = room() < LINE_ROOM ? room() : LINE_ROOM;
        int n = vsnprintf((char *)text.at, most, format, list);
        if (n > 0 && (size_t)n < most)
                text.at += n;
        else if (most)
                *text.at = '\0';
}

__attribute__((format(printf, 1, 2))) static void write_last(const char *format, ...)
{
        va_list list;
        va_start(list, format);
        write_line(format, list);
        va_end(list);
}

static void cut_definitions(ps_raw_end why)
{
        if (text.map.base && !text.is_cut)
                write_last("cut %d\n", (int)why);
        text.is_cut = true;
}

void ps_shim_cut(ps_raw_end why)
{
        pthread_mutex_lock(&text.mutex);
        cut_definitions(why);
        pthread_mutex_unlock(&text.mutex);
}

void ps_shim_define(const char *format, ...)
{
        va_list list;
        if (!text.map.base || text.is_cut)
                return;
        pthread_mutex_lock(&text.mutex);
        ps_raw_end why = room() < LINE_ROOM + END_ROOM ? more_text() : PS_RAW_RUNNING;
        va_start(list, format);
        if (why == PS_RAW_RUNNING) {
                write_line(format, list);
        } else { /* rows that nobody could understand are not worth having */
                ps_shim_stop();
                cut_definitions(why);
        }
        va_end(list);
        pthread_mutex_unlock(&text.mutex);
}

bool ps_shim_definitions_open(const ps_shim_files *files, bool is_alone)
{
        (void)mkdir(files->folder, 0777);
        snprintf(text.path, sizeof(text.path), "%s/%d.defs", files->folder, files->rank);
        return !(is_alone && access(text.path, F_OK) == 0) && more_text() == PS_RAW_RUNNING;
}

void ps_shim_definitions_close(void)
{
        if (!text.map.base)
                return;
        pthread_mutex_lock(&text.mutex);
        uint64_t ticks = 0, ns = 0;
        ps_shim_clock_read(&ticks, &ns);
        write_last("pair %llu %llu\n", (unsigned long long)ticks, (unsigned long long)ns);
        write_last("end\n");
        ps_shim_map_close(&text.map, text.path, text.at, 0);
        pthread_mutex_unlock(&text.mutex);
}

void ps_shim_definitions_forget(void)
{
        text.map.base = NULL;
}
