/* recorder.c - rows of calls: see shim.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* What a row and its notes may take: of more, room is asked for note by note. */
enum { ROW_ROOM = 512, NOTE_ROOM = 64 };
enum { SAMPLED = 8 }; /* functions, up to one of the program's own */

static __thread ps_thread own __attribute__((tls_model("initial-exec")));

static struct {
        ps_shim_files files;
        pthread_mutex_t mutex;
        pthread_key_t at_exit; /* of a thread */
        uint32_t n_threads;
        uint64_t frames, per_second; /* --unwind, --sample */
        uint32_t sampled;            /* functions of a sample */
        uint64_t from;               /* when recording begins if nobody paused it, in ticks */
        bool is_started, is_ours, is_on, is_tsc, has_threads, unwinds; /* ours: there are files */
        uint64_t due;         /* when the next pair of clocks is, in ticks */
        uint64_t first, last; /* --from, --for, in ticks */
        uint64_t loaded[2];   /* ticks and nanoseconds when the program began */
} recorder = {.mutex = PTHREAD_MUTEX_INITIALIZER, .due = UINT64_MAX};

void ps_shim_lock(void)
{
        if (recorder.has_threads)
                pthread_mutex_lock(&recorder.mutex);
}

void ps_shim_unlock(void)
{
        if (recorder.has_threads)
                pthread_mutex_unlock(&recorder.mutex);
}

int ps_shim_room(void *rows, size_t *cap, size_t n, size_t size)
{
        void *row = NULL;
        if (n <= *cap)
                return 0;
        memcpy(&row, rows, sizeof(row));
        row = n <= SIZE_MAX / size / 2 ? realloc(row, 2 * n * size) : NULL;
        if (!row)
                return -1;
        memcpy(rows, &row, sizeof(row));
        *cap = 2 * n;
        return 0;
}

uint64_t ps_shim_now(void)
{
#ifdef __x86_64__
        if (recorder.is_tsc)
                return __rdtsc();
#endif
        return ps_shim_monotonic();
}

void ps_shim_stop(void)
{
        recorder.is_on = false;
}

static void on_thread_exit(void *thread)
{
        own.depth++; /* for good */
        ps_shim_sample_close(thread);
        ps_shim_files_close(thread, &recorder.files);
}

__attribute__((cold, noinline)) static bool open_thread(ps_thread *t)
{
        ps_shim_lock();
        uint32_t id = recorder.n_threads++;
        ps_shim_unlock();
        t->is_open = true;
        ps_raw_end why = ps_shim_files_open(t, &recorder.files, id);
        t->is_closed = why != PS_RAW_RUNNING;
        if (t->is_closed)
                ps_shim_cut(why);
        pthread_setspecific(recorder.at_exit, t);
        if (recorder.unwinds || ps_shim_is_sampling())
                (void)ps_shim_unwind_open(t);
        if (!t->is_closed)
                ps_shim_sample_open(t);
        return !t->is_closed;
}

__attribute__((cold, noinline)) static bool make_room(ps_thread *t, size_t bytes)
{
        int code = errno; /* the program's */
        bool has = !t->is_closed && (t->is_open || open_thread(t)) &&
                   ps_shim_files_grow(t, &recorder.files, bytes, ps_shim_now());
        errno = code;
        return has;
}

static bool has_room(ps_thread *t, size_t bytes)
{
        return (size_t)(t->end - t->at) >= bytes || make_room(t, bytes);
}

ps_thread *ps_shim_begin(uint32_t function, const void *caller)
{
        ps_thread *t = &own;
        bool is_inner = t->depth++;
        __atomic_signal_fence(__ATOMIC_SEQ_CST); /* no sample is taken from here on */
        if (is_inner || !recorder.is_on)
                return NULL;
        t->begun = ps_shim_now();
        if (!has_room(t, ROW_ROOM))
                return NULL;
        t->row = (ps_raw_row *)(void *)t->at;
        t->row->site = ps_shim_site(t, function, caller);
        t->awaits = NULL;
        t->at += sizeof(*t->row);
        return t;
}

void ps_shim_skip(void)
{
        own.depth--;
}

bool ps_shim_is_nested(void)
{
        return own.depth > 0;
}

static uint32_t pad(ps_thread *t)
{
        while ((uintptr_t)t->at % PS_RAW_ALIGN)
                *t->at++ = PS_RAW_NONE;
        return (uint32_t)(t->at - (uint8_t *)(t->row + 1));
}

void ps_shim_enter(ps_thread *t)
{
        t->is_dropped = t->begun < recorder.first || t->begun > recorder.last;
        if (t->is_dropped)
                return;
        t->row->size = pad(t);
        __atomic_signal_fence(__ATOMIC_RELEASE);
        __atomic_store_n(&t->row->enter, t->begun, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_RELEASE);
}

void ps_shim_note(ps_thread *t, ps_raw_note note, const uint64_t *fields)
{
        static const uint8_t n_fields[] = {
                0,
#define PS_NOTE(id, n) n,
#include "record/raw/notes.def"
#undef PS_NOTE
        };
        if (!has_room(t, NOTE_ROOM + ROW_ROOM))
                return;
        uint8_t *at = t->at;
        *at++ = (uint8_t)note;
        for (unsigned i = 0; i < n_fields[note]; i++) {
                uint64_t rest = fields[i];
                for (; rest > 0x7f; rest >>= 7)
                        *at++ = (uint8_t)(rest | 0x80);
                *at++ = (uint8_t)rest;
        }
        t->at = at;
}

/* As if the row had never been. */
static void drop_row(ps_thread *t)
{
        memset(t->row, 0, (size_t)(t->at - (uint8_t *)t->row));
        t->at = (uint8_t *)t->row;
}

/* What has to be told from time to time. */
static void look_again(void)
{
        recorder.due = ps_shim_clock_pair();
        if (ps_shim_is_sampling())
                ps_shim_modules_list();
}

void ps_shim_end(ps_thread *t)
{
        uint64_t leave;
        if (t->is_dropped) {
                drop_row(t);
                leave = ps_shim_now();
        } else {
                t->row->size = pad(t);
                leave = ps_shim_now();
                __atomic_signal_fence(__ATOMIC_RELEASE);
                __atomic_store_n(&t->row->leave, leave, __ATOMIC_RELAXED);
        }
        t->row = NULL;
        if (__builtin_expect(leave > recorder.due, 0))
                look_again();
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        t->depth--;
}

/* -- marks -- */

uint32_t ps_shim_place(uint32_t function, const void *caller, const void *body)
{
        if (!recorder.is_on)
                return PS_SHIM_NOWHERE;
        own.depth++;
        own.body = body;
        uint32_t site = ps_shim_site(&own, function, caller);
        own.body = NULL;
        own.depth--;
        return site;
}

void ps_shim_threads(void)
{
        recorder.has_threads = true;
}

static bool is_recorded(ps_thread *t, ps_shim_mark mark, uint64_t now)
{
        if (mark != PS_MARK_ENDS)
                return now >= recorder.first && now <= recorder.last;
        bool began = t->marks & 1;
        t->marks >>= 1;
        return began;
}

ps_thread *ps_shim_mark_begin(ps_shim_mark mark, uint32_t site, uint64_t now)
{
        ps_thread *t = &own;
        bool is_wanted = is_recorded(t, mark, now) && recorder.is_on && site != PS_SHIM_NOWHERE &&
                         !t->depth && has_room(t, ROW_ROOM);
        if (mark == PS_MARK_BEGINS)
                t->marks = t->marks << 1 | is_wanted;
        if (!is_wanted)
                return NULL;
        t->depth++;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        t->row = (ps_raw_row *)(void *)t->at;
        t->row->site = site;
        t->at += sizeof(*t->row);
        return t;
}

void ps_shim_mark_end(ps_thread *t, uint64_t now)
{
        t->row->size = pad(t);
        t->row->leave = now;
        __atomic_signal_fence(__ATOMIC_RELEASE);
        __atomic_store_n(&t->row->enter, now, __ATOMIC_RELAXED);
        t->row = NULL;
        if (now > recorder.due)
                look_again();
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        t->depth--;
}

void ps_shim_pause(bool is_paused, uint32_t function, const void *caller)
{
        uint64_t now = ps_shim_now(), first = is_paused ? UINT64_MAX : recorder.from;
        if (!recorder.is_on || own.depth || recorder.first == first || now < recorder.from)
                return;
        recorder.first = recorder.from;
        ps_thread *t = ps_shim_mark_begin(PS_MARK_WITHIN, ps_shim_place(function, caller, NULL), now);
        if (t) {
                PS_SHIM_NOTE(t, MEASUREMENT, !is_paused);
                ps_shim_mark_end(t, now);
        }
        recorder.first = first;
}

ps_thread *ps_shim_idle(void)
{
        return own.depth || !recorder.is_on ? NULL : &own;
}

/* -- samples -- */

void ps_shim_sample(ps_shim_frame at)
{
        ps_thread *t = &own;
        uint64_t now = ps_shim_now();
        if (t->depth || !t->is_open || t->is_closed || !recorder.is_on || now < recorder.first ||
            now > recorder.last)
                return;
        t->depth++;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        ps_shim_sites_check(t);
        if (has_room(t, sizeof(ps_raw_row) + recorder.sampled * sizeof(uint64_t) + ROW_ROOM)) {
                ps_raw_row *row = (ps_raw_row *)(void *)t->at;
                uint64_t *address = (uint64_t *)(void *)(row + 1);
                uint32_t n = 0;
                do
                        address[n++] = at.pc;
                while (n < recorder.sampled && t->rules && ps_shim_unwind_step(t, &at, n == 1));
                row->site = PS_RAW_SAMPLE;
                row->size = n * (uint32_t)sizeof(*address);
                row->leave = now;
                t->at = (uint8_t *)(address + n);
                __atomic_signal_fence(__ATOMIC_RELEASE);
                __atomic_store_n(&row->enter, now, __ATOMIC_RELAXED);
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        t->depth--;
}

/* -- begin and end -- */

static uint64_t setting_number(const char *name, uint64_t otherwise)
{
        const char *text = getenv(name);
        char *end;
        unsigned long long number = text ? strtoull(text, &end, 10) : 0;
        return text && *text && !*end ? number : otherwise;
}

/* Is `rank` in "0-3,8"? */
static bool is_listed(const char *list, int rank)
{
        while (list && *list) {
                char *end;
                long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
                if (rank >= first && rank <= last)
                        return 1;
                list = *end == ',' ? end + 1 : NULL;
        }
        return 0;
}

/* What is mapped is not the child's. */
static void after_fork(void)
{
        recorder.is_on = false;
        own.is_closed = true;
        own.head = NULL;
        own.end = own.at;
        ps_shim_definitions_forget();
}

/* Programs that the recorded one starts are not recorded, and get the environment that they would have
 * without a recorder. */
static void leave_environment(void)
{
        static const char *const ours[] = {
                "PATSCAN_RECORD",        "PATSCAN_RECORD_RANKS",   "PATSCAN_RECORD_FROM",
                "PATSCAN_RECORD_FOR",    "PATSCAN_RECORD_MAX",     "PATSCAN_RECORD_BUFFER",
                "PATSCAN_RECORD_RUN",    "PATSCAN_RECORD_CLOCK",   "PATSCAN_RECORD_UNWIND",
                "PATSCAN_RECORD_SAMPLE", "PATSCAN_RECORD_PATIENCE"};
        Dl_info self;
        char *loaded = getenv("LD_PRELOAD");
        size_t n = dladdr((void *)(uintptr_t)leave_environment, &self) ? strlen(self.dli_fname) : 0;
        for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
                (void)unsetenv(ours[i]);
        if (!n || !loaded || strncmp(loaded, self.dli_fname, n) != 0)
                return;
        if (loaded[n] == ':')
                memmove(loaded, loaded + n + 1, strlen(loaded + n));
        else if (!loaded[n])
                (void)unsetenv("LD_PRELOAD");
}

void ps_shim_name_run(char *out, size_t size)
{
        const char *given = getenv("PATSCAN_RECORD_RUN");
        if (given)
                snprintf(out, size, "%s", given);
        else
                snprintf(out, size, "%llu.%ld", (unsigned long long)ps_shim_monotonic(), (long)getpid());
}

static bool find_folder(const char *run)
{
        size_t size = sizeof(recorder.files.folder);
        int n = snprintf(recorder.files.folder, size, "%s/%s%s", getenv("PATSCAN_RECORD"), PS_RAW_PREFIX,
                         run);
        return n > 0 && n < (int)size;
}

/* Seconds since now, in ticks of a clock whose rate is known well enough for it. */
static uint64_t tick_after(uint64_t milliseconds)
{
        struct timespec nap = {0, 10000000};
        uint64_t ticks = ps_shim_now(), ns = ps_shim_monotonic();
        if (milliseconds == UINT64_MAX)
                return UINT64_MAX;
        if (recorder.is_tsc)
                nanosleep(&nap, NULL);
        double rate =
                recorder.is_tsc ? (double)(ps_shim_now() - ticks) / (double)(ps_shim_monotonic() - ns) : 1;
        return ticks + (uint64_t)((double)milliseconds * 1e6 * rate);
}

void ps_shim_first(uint32_t function, const void *caller, uint64_t enter)
{
        uint64_t first = recorder.first;
        recorder.first = 0;
        ps_thread *t = ps_shim_begin(function, caller);
        if (t) {
                ps_shim_enter(t);
                t->row->enter = enter;
                ps_shim_end(t);
        } else {
                ps_shim_skip();
        }
        recorder.first = first;
}

static void choose_part(void)
{
        uint64_t from = setting_number("PATSCAN_RECORD_FROM", 0);
        uint64_t length = setting_number("PATSCAN_RECORD_FOR", UINT64_MAX);
        recorder.first = recorder.from = from ? tick_after(from) : 0;
        recorder.last = length == UINT64_MAX ? UINT64_MAX : tick_after(from + length);
}

bool ps_shim_is_there(void)
{
        return getenv("PATSCAN_RECORD") || recorder.is_started;
}

bool ps_shim_is_wanted(void)
{
        return getenv("PATSCAN_RECORD") && !recorder.is_started;
}

bool ps_shim_open(const ps_shim_world *world)
{
        const char *ranks = getenv("PATSCAN_RECORD_RANKS");
        recorder.is_started = true;
        recorder.files.rank = world->rank;
        recorder.files.step = setting_number("PATSCAN_RECORD_BUFFER", 0);
        recorder.files.most = setting_number("PATSCAN_RECORD_MAX", 0);
        recorder.frames = setting_number("PATSCAN_RECORD_UNWIND", 0);
        recorder.per_second = setting_number("PATSCAN_RECORD_SAMPLE", 0);
        recorder.has_threads = world->has_threads;
        recorder.is_ours = find_folder(world->run) && (!ranks || is_listed(ranks, world->rank)) &&
                           ps_shim_definitions_open(&recorder.files, world->is_alone);
        if (recorder.is_ours) {
                ps_shim_process_define(world, recorder.is_tsc);
                choose_part();
                ps_shim_define("pair %llu %llu\n", (unsigned long long)recorder.loaded[0],
                               (unsigned long long)recorder.loaded[1]);
                recorder.due = ps_shim_clock_pair();
                pthread_key_create(&recorder.at_exit, on_thread_exit);
                pthread_atfork(NULL, NULL, after_fork);
        }
        leave_environment();
        return recorder.is_ours;
}

void ps_shim_start(void)
{
        recorder.unwinds = recorder.frames > 1;
        if (recorder.frames)
                ps_shim_sites_unwind((uint32_t)recorder.frames);
        if (recorder.is_ours && recorder.per_second) {
                recorder.sampled = recorder.frames > SAMPLED ? (uint32_t)recorder.frames : SAMPLED;
                ps_shim_sample_start(recorder.per_second);
                ps_shim_modules_list();
        }
        recorder.is_on = recorder.is_ours;
}

void ps_shim_finish(void)
{
        int code = errno;
        recorder.is_on = false;
        ps_shim_sample_close(&own);
        if (ps_shim_is_sampling())
                ps_shim_modules_list();
        ps_shim_definitions_close();
        ps_shim_files_close(&own, &recorder.files);
        errno = code;
}

/* Init may be called long after the program began, so that the clock is known from the start. */
__attribute__((constructor)) static void choose_clock(void)
{
        recorder.is_tsc = getenv("PATSCAN_RECORD") && ps_shim_clock_is_tsc();
        ps_shim_clock_read(&recorder.loaded[0], &recorder.loaded[1]);
}
