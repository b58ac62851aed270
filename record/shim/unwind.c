/* unwind.c - who called: the return addresses on the stack of a thread.
 *
 * Where the frame of a caller begins is what compilers tell of each place of their code, for exceptions
 * (.eh_frame), so that no program has to keep frame pointers. It is worked out once for an address and kept
 * in a table of the thread; from then on a frame takes some nanoseconds. Nothing is locked or allocated, and
 * nothing is read but the thread's own stack, so that a signal handler may do it, too. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* Where the caller's frame begins, and where its frame pointer was saved. */
enum { BASE_NONE, BASE_STACK, BASE_FRAME, BASE_AT_FRAME };
typedef enum saved_how { SAVED_NOT, SAVED_AT_CFA, SAVED_AT_FRAME, SAVED_LOST } saved_how;

struct ps_rule {
        uintptr_t pc; /* 0: free */
        int32_t offset;
        int16_t saved_at;
        uint8_t base, saved;
};

enum { RULES = 1024, OWN_FRAMES = 16 };

#ifdef __x86_64__
enum { FRAME_REGISTER = 6, STACK_REGISTER = 7, RETURN_COLUMN = 16, REMEMBERED = 4 };
enum { PC_RELATIVE_4 = 0x1b, UNSIGNED_4 = 0x03, TABLE_RELATIVE_4 = 0x3b };

/* Bytes of a section that was loaded with the code. */
typedef struct bytes {
        const uint8_t *at, *end;
} bytes;

static uint64_t take_number(bytes *b, unsigned n)
{
        uint64_t value = 0;
        if ((size_t)(b->end - b->at) < n) {
                b->at = b->end;
                return 0;
        }
        memcpy(&value, b->at, n);
        b->at += n;
        return value;
}

static uint64_t take_whole(bytes *b, bool is_signed)
{
        uint64_t value = 0;
        unsigned shift = 0;
        uint8_t byte = 0;
        do {
                byte = (uint8_t)take_number(b, 1);
                if (shift < 64)
                        value |= (uint64_t)(byte & 0x7f) << shift;
                shift += 7;
        } while (byte & 0x80 && b->at < b->end);
        if (is_signed && byte & 0x40 && shift < 64)
                value |= ~(uint64_t)0 << shift;
        return value;
}

static bytes take_block(bytes *b)
{
        uint64_t n = take_whole(b, 0);
        bytes block = {b->at, b->at + (n < (size_t)(b->end - b->at) ? n : (size_t)(b->end - b->at))};
        b->at = block.end;
        return block;
}

/* A record of the section: its length, and what stands behind that. */
static bytes record_at(const uint8_t *at)
{
        bytes b = {at, at + 4};
        uint64_t n = take_number(&b, 4);
        b.end = b.at + (n < UINT32_MAX ? n : 0);
        return b;
}

/* What the program that describes a function has come to. */
typedef struct state {
        struct ps_rule rule;
        bool has_return;
} state;

typedef struct machine {
        state now, first, remembered[REMEMBERED];
        unsigned n_remembered;
        uint64_t code_unit;
        int64_t data_unit;
        uintptr_t location, pc;
        bool is_lost; /* something that no compiler writes for code that calls */
} machine;

static void set_base(machine *m, uint64_t reg)
{
        m->now.rule.base = reg == STACK_REGISTER   ? BASE_STACK
                           : reg == FRAME_REGISTER ? BASE_FRAME
                                                   : BASE_NONE;
}

static void set_saved(machine *m, uint64_t reg, saved_how how, int64_t at)
{
        if (reg == RETURN_COLUMN)
                m->now.has_return = how == SAVED_AT_CFA && at == -8;
        if (reg != FRAME_REGISTER)
                return;
        m->now.rule.saved = (uint8_t)(at < INT16_MIN || at > INT16_MAX ? SAVED_LOST : how);
        m->now.rule.saved_at = (int16_t)at;
}

static void restore_saved(machine *m, uint64_t reg)
{
        if (reg == RETURN_COLUMN)
                m->now.has_return = m->first.has_return;
        if (reg == FRAME_REGISTER) {
                m->now.rule.saved = m->first.rule.saved;
                m->now.rule.saved_at = m->first.rule.saved_at;
        }
}

/* "The frame register and so much", and maybe what stands there: all that frames of aligned stacks need. */
static void set_expression(machine *m, bytes block, bool is_cfa, uint64_t reg)
{
        enum { FRAME_PLUS = 0x70 + FRAME_REGISTER, DEREFERENCE = 0x06 };
        bool is_plain = take_number(&block, 1) == FRAME_PLUS;
        int64_t offset = (int64_t)take_whole(&block, 1);
        bool is_there = block.at < block.end && take_number(&block, 1) == DEREFERENCE;
        is_plain = is_plain && block.at == block.end && is_there == is_cfa;
        if (!is_cfa) {
                set_saved(m, reg, is_plain ? SAVED_AT_FRAME : SAVED_LOST, offset);
                return;
        }
        m->now.rule.base = is_plain ? BASE_AT_FRAME : BASE_NONE;
        m->now.rule.offset = (int32_t)offset;
}

static void run_extended(machine *m, bytes *b, uint8_t code)
{
        uint64_t reg;
        switch (code) {
        case 0x02: /* advance */
        case 0x03:
        case 0x04:
                m->location += m->code_unit * take_number(b, 1U << (code - 2));
                break;
        case 0x05: /* saved at */
        case 0x11:
                reg = take_whole(b, 0);
                set_saved(m, reg, SAVED_AT_CFA, (int64_t)take_whole(b, code == 0x11) * m->data_unit);
                break;
        case 0x06:
                restore_saved(m, take_whole(b, 0));
                break;
        case 0x07: /* undefined */
                set_saved(m, take_whole(b, 0), SAVED_LOST, 0);
                break;
        case 0x08: /* as it is */
                set_saved(m, take_whole(b, 0), SAVED_NOT, 0);
                break;
        case 0x0a: /* remember, and recall */
                m->is_lost |= m->n_remembered == REMEMBERED;
                if (!m->is_lost)
                        m->remembered[m->n_remembered++] = m->now;
                break;
        case 0x0b:
                m->is_lost |= !m->n_remembered;
                if (!m->is_lost)
                        m->now = m->remembered[--m->n_remembered];
                break;
        case 0x0c: /* the frame begins at */
        case 0x12:
                set_base(m, take_whole(b, 0));
                m->now.rule.offset =
                        (int32_t)((int64_t)take_whole(b, code == 0x12) * (code == 0x12 ? m->data_unit : 1));
                break;
        case 0x0d:
                set_base(m, take_whole(b, 0));
                break;
        case 0x0e:
                m->now.rule.offset = (int32_t)take_whole(b, 0);
                break;
        case 0x0f:
                set_expression(m, take_block(b), 1, 0);
                break;
        case 0x10:
                reg = take_whole(b, 0);
                set_expression(m, take_block(b), 0, reg);
                break;
        case 0x2e: /* size of arguments */
                take_whole(b, 0);
                break;
        default:
                m->is_lost = code != 0x00; /* nothing */
        }
}

/* Runs the program as far as it is about the machine's address. */
static void run_program(machine *m, bytes b)
{
        while (b.at < b.end && !m->is_lost && m->location <= m->pc) {
                uint8_t code = (uint8_t)take_number(&b, 1), low = code & 0x3f;
                if (code >> 6 == 1)
                        m->location += m->code_unit * low;
                else if (code >> 6 == 2)
                        set_saved(m, low, SAVED_AT_CFA, (int64_t)take_whole(&b, 0) * m->data_unit);
                else if (code >> 6 == 3)
                        restore_saved(m, low);
                else
                        run_extended(m, &b, low);
        }
}

/* What functions share that were compiled together: how their programs begin, and are to be read. */
static bool run_shared(machine *m, const uint8_t *at, bool *has_sizes)
{
        bytes b = record_at(at), more;
        (void)take_number(&b, 4);
        uint64_t version = take_number(&b, 1);
        const char *letters = (const char *)b.at;
        while (b.at < b.end && take_number(&b, 1))
                ;
        m->code_unit = take_whole(&b, 0);
        m->data_unit = (int64_t)take_whole(&b, 1);
        bool is_fine = (version == 1 ? take_number(&b, 1) : take_whole(&b, 0)) == RETURN_COLUMN;
        *has_sizes = *letters == 'z';
        more = *has_sizes ? take_block(&b) : (bytes){b.at, b.at};
        for (const char *letter = letters + *has_sizes; *letter && is_fine; letter++) {
                if (*letter == 'R')
                        is_fine = take_number(&more, 1) == PC_RELATIVE_4;
                else if (*letter == 'L')
                        (void)take_number(&more, 1);
                else if (*letter == 'P')
                        (void)take_number(&more, (take_number(&more, 1) & 7) == UNSIGNED_4 ? 4 : 8);
                else
                        is_fine = 0; /* a signal's frame, or nothing that is known */
        }
        if (is_fine)
                run_program(m, b);
        m->first = m->now;
        return is_fine && !m->is_lost;
}

/* The function's program around `pc`, by the sorted table of the file; NULL: there is none. */
static const uint8_t *find_program(const uint8_t *head, uintptr_t pc)
{
        const int32_t *row = (const int32_t *)(const void *)(head + 12);
        uint32_t n, low = 0;
        memcpy(&n, head + 8, sizeof(n));
        if (head[0] != 1 || head[1] != PC_RELATIVE_4 || head[2] != UNSIGNED_4 || head[3] != TABLE_RELATIVE_4)
                return NULL;
        for (uint32_t high = n; low < high;) {
                uint32_t middle = low + (high - low) / 2;
                if ((uintptr_t)(head + row[(size_t)2 * middle]) <= pc)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low ? head + row[(size_t)2 * low - 1] : NULL;
}

static struct ps_rule rule_by(const uint8_t *head, uintptr_t pc)
{
        const uint8_t *at = head ? find_program(head, pc) : NULL;
        machine m = {.location = 0};
        bool has_sizes;
        if (!at)
                return (struct ps_rule){.base = BASE_NONE};
        bytes b = record_at(at);
        const uint8_t *here = b.at;
        const uint8_t *shared = here - take_number(&b, 4), *begin = b.at;
        uintptr_t first = (uintptr_t)(begin + (int32_t)take_number(&b, 4));
        uint64_t length = take_number(&b, 4);
        if (pc < first || pc - first >= length || !run_shared(&m, shared, &has_sizes))
                return (struct ps_rule){.base = BASE_NONE};
        if (has_sizes)
                (void)take_block(&b);
        m.location = first;
        m.pc = pc;
        run_program(&m, b);
        if (m.is_lost || !m.now.has_return)
                m.now.rule.base = BASE_NONE;
        return m.now.rule;
}

#if __GLIBC_PREREQ(2, 35)
/* What the C library made for this: it locks nothing. */
static const uint8_t *find_head(uintptr_t pc)
{
        struct dl_find_object found;
        return _dl_find_object((void *)pc, &found) == 0 ? found.dlfo_eh_frame : NULL;
}
#else
typedef struct search {
        uintptr_t pc;
        const uint8_t *head;
} search;

static int look_into(struct dl_phdr_info *info, size_t size, void *user)
{
        search *s = user;
        const uint8_t *head = NULL;
        bool is_here = false;
        (void)size;
        for (int i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                uintptr_t at = info->dlpi_addr + part->p_vaddr;
                if (part->p_type == PT_GNU_EH_FRAME)
                        head = (const uint8_t *)at;
                is_here |= part->p_type == PT_LOAD && s->pc >= at && s->pc - at < part->p_memsz;
        }
        s->head = is_here ? head : NULL;
        return is_here;
}

static const uint8_t *find_head(uintptr_t pc)
{
        search s = {pc, NULL};
        dl_iterate_phdr(look_into, &s);
        return s.head;
}
#endif

static struct ps_rule rule_of(uintptr_t pc)
{
        return rule_by(find_head(pc), pc);
}
#else
/* Elsewhere every function keeps a frame record. */
static struct ps_rule rule_of(uintptr_t pc)
{
        (void)pc;
        return (struct ps_rule){.offset = 16, .saved_at = -16, .base = BASE_FRAME, .saved = SAVED_AT_CFA};
}
#endif

bool ps_shim_unwind_open(ps_thread *t)
{
        pthread_attr_t attributes;
        void *stack = NULL, *rules;
        size_t size = 0;
        if (t->rules)
                return 1;
        rules = mmap(NULL, RULES * sizeof(*t->rules), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                     0);
        if (rules == MAP_FAILED || pthread_getattr_np(pthread_self(), &attributes))
                return 0;
        (void)pthread_attr_getstack(&attributes, &stack, &size);
        (void)pthread_attr_destroy(&attributes);
        t->stack_end = (uintptr_t)stack + size;
        t->rules = rules;
        return 1;
}

void ps_shim_unwind_close(ps_thread *t)
{
        if (t->rules)
                (void)munmap(t->rules, RULES * sizeof(*t->rules));
        t->rules = NULL;
}

void ps_shim_unwind_forget(ps_thread *t)
{
        if (t->rules)
                memset(t->rules, 0, RULES * sizeof(*t->rules));
}

static const struct ps_rule *find_rule(ps_thread *t, uintptr_t pc)
{
        struct ps_rule *slot = &t->rules[((uint64_t)pc * 0x9E3779B97F4A7C15U) >> 54];
        if (slot->pc != pc) {
                *slot = rule_of(pc);
                slot->pc = pc;
        }
        return slot;
}

static bool read_stack(const ps_thread *t, const ps_shim_frame *from, uintptr_t at, uintptr_t *out)
{
        if (at < from->stack || at % sizeof(*out) || at > t->stack_end - sizeof(*out))
                return 0;
        memcpy(out, (const void *)at, sizeof(*out));
        return 1;
}

bool ps_shim_unwind_step(ps_thread *t, ps_shim_frame *frame, bool is_exact)
{
        const struct ps_rule *rule = find_rule(t, frame->pc - !is_exact);
        ps_shim_frame caller = {.frame = frame->frame};
        uintptr_t base = rule->base == BASE_STACK ? frame->stack : frame->frame;
        caller.stack = base + (uintptr_t)(intptr_t)rule->offset;
        if (rule->base == BASE_NONE || frame->stack >= t->stack_end ||
            (rule->base == BASE_AT_FRAME && !read_stack(t, frame, caller.stack, &caller.stack)) ||
            caller.stack <= frame->stack || !read_stack(t, frame, caller.stack - 8, &caller.pc))
                return 0;
        uintptr_t saved_at = (rule->saved == SAVED_AT_CFA ? caller.stack : frame->frame) +
                             (uintptr_t)(intptr_t)rule->saved_at;
        if (rule->saved == SAVED_LOST ||
            (rule->saved != SAVED_NOT && !read_stack(t, frame, saved_at, &caller.frame)))
                caller.frame = 0;
        *frame = caller;
        return caller.pc != 0;
}

__attribute__((noinline)) bool ps_shim_unwind_to(ps_thread *t, const void *caller, ps_shim_frame *out)
{
        const uintptr_t *record = __builtin_frame_address(0);
        *out = (ps_shim_frame){record[1], (uintptr_t)(record + 2), record[0]};
        for (int i = 0; i < OWN_FRAMES && out->pc != (uintptr_t)caller; i++)
                if (!ps_shim_unwind_step(t, out, 0))
                        return 0;
        return out->pc == (uintptr_t)caller;
}
