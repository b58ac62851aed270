/* sites.c - call sites: a return address and a function have a number, and the finish learns where that is.
 *
 * An address means nothing outside of its process, so that a site is told as an offset in a file; files as
 * they are met, since a program may load more of them at any time. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_SLOTS = 1024, MODULES_MOST = 1024, BUILD_ID_MOST = 64, UNWIND_MOST = 256 };

static struct {
        struct {
                uintptr_t base;
                uint32_t listed; /* in which epoch, + 1 */
                uint64_t path;   /* its hash: a signal may come when nothing can be allocated */
        } module[MODULES_MOST];
        uint32_t n_modules;
        uint32_t n_sites;
        uint32_t unwind; /* how many functions around a call */
        uint32_t epoch;  /* grows when files are unloaded: addresses may be those of others then */
} known;

typedef struct build_id {
        uintptr_t base;
        char text[2 * BUILD_ID_MOST + 1];
} build_id;

static void take_note(build_id *out, const ElfW(Nhdr) * note)
{
        const uint8_t *id = (const uint8_t *)(note + 1) + ((note->n_namesz + 3) & ~3U);
        for (uint32_t i = 0; i < note->n_descsz && i < BUILD_ID_MOST; i++)
                snprintf(out->text + 2 * (size_t)i, 3, "%02x", id[i]);
}

static int find_build_id(struct dl_phdr_info *info, size_t size, void *user)
{
        build_id *out = user;
        (void)size;
        if (info->dlpi_addr != out->base)
                return 0;
        for (int i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                uintptr_t at = info->dlpi_addr + part->p_vaddr, end = at + part->p_memsz;
                while (part->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < end) {
                        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
                        if (note->n_type == NT_GNU_BUILD_ID && memcmp(note + 1, "GNU", 4) == 0)
                                take_note(out, note);
                        at += sizeof(*note) + ((note->n_namesz + 3) & ~3U) + ((note->n_descsz + 3) & ~3U);
                }
        }
        return 1;
}

static uint64_t hash_of_text(const char *text)
{
        uint64_t hash = 0xcbf29ce484222325U;
        for (; *text; text++)
                hash = (hash ^ (uint8_t)*text) * 0x100000001b3U;
        return hash;
}

/* The number of a module; a new one is defined. */
static uint32_t module_of(uintptr_t base, const char *name)
{
        char path[PATH_MAX] = "";
        build_id id = {.base = base};
        uint64_t hash = hash_of_text(name);
        for (uint32_t i = 0; i < known.n_modules; i++)
                if (known.module[i].base == base && known.module[i].path == hash)
                        return i;
        if (known.n_modules == MODULES_MOST)
                return MODULES_MOST;
        if (!*name && readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
                path[0] = '\0';
        else if (*name && !realpath(name, path))
                snprintf(path, sizeof(path), "%s", name);
        dl_iterate_phdr(find_build_id, &id);
        ps_shim_define("module %u %s %s\n", known.n_modules, *id.text ? id.text : "-", path);
        known.module[known.n_modules].base = base;
        known.module[known.n_modules].path = hash;
        return known.n_modules++;
}

/* A library has those of what it wraps. */
#pragma weak ps_shim_functions
#pragma weak ps_openmp_functions
static const char *name_of(uint32_t function)
{
        if (function == PS_SHIM_FRAME)
                return "-";
        function &= ~(uint32_t)PS_SHIM_JUMP;
        return function >= PS_SHIM_OPENMP ? ps_openmp_functions[function - PS_SHIM_OPENMP]
                                          : ps_shim_functions[function];
}

/* Where it is: a module, or -1, and in that. */
static int find_place(const void *at, uint64_t *offset)
{
        Dl_info info;
        struct link_map *map = NULL;
        if (!dladdr1((const char *)at - 1, &info, (void **)&map,
                     RTLD_DL_LINKMAP)) /* the call may end its function */
                map = NULL;
        uint32_t module = map ? module_of(map->l_addr, map->l_name) : MODULES_MOST;
        *offset = (uintptr_t)at - (map ? map->l_addr : 0);
        return module < MODULES_MOST ? (int)module : -1;
}

static uint32_t define_site(const ps_thread *t, uint32_t function, const char *name, const void *caller,
                            uint32_t outer)
{
        uint64_t offset;
        int code = errno; /* the program's */
        ps_shim_lock();
        int module = find_place(caller, &offset);
        uint32_t id = known.n_sites++;
        ps_shim_define("%s %u %s %d %llx %d\n", function & PS_SHIM_JUMP ? "jump" : "site", id,
                       name ? name : name_of(function), module, (unsigned long long)offset, (int)outer);
        if (t->body) {
                module = find_place(t->body, &offset);
                ps_shim_define("body %u %d %llx\n", id, module, (unsigned long long)offset);
        }
        ps_shim_unlock();
        errno = code;
        return id;
}

static ps_site_slot *slot_of(ps_thread *t, uint32_t function, const void *caller, uint32_t outer)
{
        uint64_t hash = ((uintptr_t)caller + function + (uint64_t)outer * 31) * 0x9E3779B97F4A7C15U;
        uint32_t mask = t->n_slots - 1, i = (uint32_t)(hash >> 40) & mask;
        while (t->sites[i].caller && (t->sites[i].caller != caller || t->sites[i].function != function ||
                                      t->sites[i].outer != outer))
                i = (i + 1) & mask;
        return &t->sites[i];
}

/* Half of the slots are free, always. */
__attribute__((cold, noinline)) static int make_slots(ps_thread *t)
{
        ps_site_slot *old = t->sites;
        uint32_t n_old = t->n_slots, n = n_old ? 2 * n_old : FIRST_SLOTS;
        ps_site_slot *slots = calloc(n, sizeof(*slots));
        if (!slots)
                return -1;
        t->sites = slots;
        t->n_slots = n;
        for (uint32_t i = 0; i < n_old; i++)
                if (old[i].caller)
                        *slot_of(t, old[i].function, old[i].caller, old[i].outer) = old[i];
        free(old);
        return 0;
}

/* What is known of addresses may be wrong now. */
__attribute__((cold, noinline)) static void forget_sites(ps_thread *t, uint32_t epoch)
{
        if (t->sites)
                memset(t->sites, 0, t->n_slots * sizeof(*t->sites));
        t->n_sites = 0;
        ps_shim_unwind_forget(t);
        t->epoch = epoch;
}

void ps_shim_sites_check(ps_thread *t)
{
        uint32_t epoch = __atomic_load_n(&known.epoch, __ATOMIC_RELAXED);
        if (__builtin_expect(t->epoch != epoch, 0))
                forget_sites(t, epoch);
}

/* `key` stands for the caller, and for the name if the function has one of its own. */
static inline uint32_t site_of(ps_thread *t, uint32_t function, const char *name, const void *key,
                               const void *caller, uint32_t outer)
{
        ps_shim_sites_check(t);
        if (__builtin_expect(2 * t->n_sites >= t->n_slots, 0) && make_slots(t))
                return define_site(t, function, name, caller, outer);
        ps_site_slot *slot = slot_of(t, function, key, outer);
        if (__builtin_expect(!slot->caller, 0)) {
                *slot = (ps_site_slot){key, function, outer, define_site(t, function, name, caller, outer)};
                t->n_sites++;
        }
        return slot->id;
}

uint32_t ps_shim_site_in(ps_thread *t, uint32_t function, const void *caller, uint32_t outer)
{
        return site_of(t, function, NULL, caller, caller, outer);
}

/* The site around the function that makes the call: those that called it, the outermost first. */
static uint32_t outer_of(ps_thread *t, const void *caller)
{
        const void *address[UNWIND_MOST];
        ps_shim_frame frame;
        uint32_t outer = PS_SHIM_NOWHERE, n = 0;
        if (!ps_shim_unwind_to(t, caller, &frame))
                return outer;
        while (n + 1 < known.unwind && ps_shim_unwind_step(t, &frame, 0))
                address[n++] = (const void *)frame.pc;
        while (n > 0)
                outer = ps_shim_site_in(t, PS_SHIM_FRAME, address[--n], outer);
        return outer;
}

uint32_t ps_shim_site(ps_thread *t, uint32_t function, const void *caller)
{
        return ps_shim_site_in(t, function, caller, t->rules ? outer_of(t, caller) : PS_SHIM_NOWHERE);
}

uint32_t ps_shim_named_site(ps_thread *t, const char *text, uint64_t name, const void *caller)
{
        const void *key = (const void *)(uintptr_t)((name ^ (uintptr_t)caller) | 1);
        return site_of(t, PS_SHIM_NAMED, text, key, caller, t->rules ? outer_of(t, caller) : PS_SHIM_NOWHERE);
}

void ps_shim_sites_unwind(uint32_t most)
{
        known.unwind = most < UNWIND_MOST ? most : UNWIND_MOST;
        ps_shim_define("unwind %u\n", known.unwind);
}

/* -- files that are unloaded -- */

static int count_unloaded(struct dl_phdr_info *info, size_t size, void *user)
{
        if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
                *(unsigned long long *)user = info->dlpi_subs;
        return 1;
}

static int list_module(struct dl_phdr_info *info, size_t size, void *user)
{
        uint32_t module = module_of(info->dlpi_addr, info->dlpi_name), now = *(uint32_t *)user + 1;
        (void)size;
        if (module == MODULES_MOST || known.module[module].listed == now)
                return 0;
        known.module[module].listed = now;
        for (int i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                uintptr_t at = info->dlpi_addr + part->p_vaddr;
                if (part->p_type == PT_LOAD && part->p_flags & PF_X)
                        ps_shim_define("range %u %llx %llx %llx\n", module, (unsigned long long)at,
                                       (unsigned long long)(at + part->p_memsz),
                                       (unsigned long long)info->dlpi_addr);
        }
        return 0;
}

void ps_shim_modules_list(void)
{
        ps_shim_lock();
        uint32_t epoch = __atomic_load_n(&known.epoch, __ATOMIC_RELAXED);
        dl_iterate_phdr(list_module, &epoch);
        ps_shim_unlock();
}

/* Tells what is loaded before files are unloaded, and behind that what is left. */
static void note_unloaded(void)
{
        (void)__atomic_add_fetch(&known.epoch, 1, __ATOMIC_RELAXED);
        if (!ps_shim_is_sampling())
                return;
        ps_shim_define("unloaded %llu\n", (unsigned long long)ps_shim_now());
        ps_shim_modules_list();
}

__attribute__((visibility("default"))) int dlclose(void *handle)
{
        static int (*next)(void *);
        unsigned long long before = 0, after = 0;
        if (!next) {
                ps_shim_function *found = ps_shim_next("dlclose");
                memcpy((void *)&next, (void *)&found, sizeof(next));
        }
        if (ps_shim_is_sampling())
                ps_shim_modules_list();
        dl_iterate_phdr(count_unloaded, &before);
        int code = next(handle);
        dl_iterate_phdr(count_unloaded, &after);
        if (after != before)
                note_unloaded();
        return code;
}
