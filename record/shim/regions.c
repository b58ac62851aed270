/* regions.c - parts of the program that it names itself (include/patscan/regions.h). */
#include "record/shim/shim.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 200 };

__attribute__((visibility("default"))) void patscan_region_begin(const char *name);
__attribute__((visibility("default"))) void patscan_region_end(const char *name);

static uint64_t hash_of_name(const char *name, size_t n)
{
        uint64_t hash = 0xcbf29ce484222325U;
        for (size_t i = 0; i < n; i++)
                hash = (hash ^ (uint8_t)name[i]) * 0x100000001b3U;
        return hash;
}

/* Definitions are lines of words. */
static void print_name(char *out, const char *name, size_t n)
{
        *out++ = '@';
        for (size_t i = 0; i < n; i++) {
                uint8_t byte = (uint8_t)name[i];
                if (byte <= ' ' || byte == '%' || byte == 0x7f)
                        out += snprintf(out, 4, "%%%02x", byte);
                else
                        *out++ = (char)byte;
        }
        *out = '\0';
}

static void mark_region(ps_shim_mark what, ps_raw_note note, uint32_t site)
{
        uint64_t now = ps_shim_now();
        ps_thread *t = ps_shim_mark_begin(what, site, now);
        if (!t)
                return;
        ps_shim_note(t, note, NULL);
        ps_shim_mark_end(t, now);
}

void patscan_region_begin(const char *name)
{
        char text[3 * NAME_MOST + 2];
        size_t n = name ? strnlen(name, NAME_MOST) : 0;
        ps_thread *t = ps_shim_idle();
        if (!t || t->n_regions == PS_REGIONS_MOST)
                return;
        ps_region *region = &t->regions[t->n_regions++];
        print_name(text, name, n);
        region->name = hash_of_name(name, n);
        t->depth++; /* no sample is taken meanwhile */
        region->site = ps_shim_named_site(t, text, region->name, __builtin_return_address(0));
        t->depth--;
        mark_region(PS_MARK_BEGINS, PS_RAW_REGION_ENTER, region->site);
}

/* Ends the regions inside of it, too; does nothing if it was never begun. */
void patscan_region_end(const char *name)
{
        uint64_t wanted = hash_of_name(name, name ? strnlen(name, NAME_MOST) : 0);
        ps_thread *t = ps_shim_idle();
        uint32_t n = t ? t->n_regions : 0;
        while (n > 0 && t->regions[n - 1].name != wanted)
                n--;
        while (n > 0 && t->n_regions >= n)
                mark_region(PS_MARK_ENDS, PS_RAW_REGION_LEAVE, t->regions[--t->n_regions].site);
}
