/* kinds.h - operation kinds, and how a region's name tells its kind. */
#ifndef PS_CORE_MODEL_KINDS_H
#define PS_CORE_MODEL_KINDS_H

#include "core/model/loading.h"
#include <stdint.h>

typedef enum ps_kind {
#define PS_KIND(id, name, cls, traits) PS_K_##id,
#include "core/model/kinds.def"
#undef PS_KIND
        PS_K_COUNT,
        PS_K_NONE = 255 /* not an operation: user code, or a call that takes no part in communication */
} ps_kind;

typedef enum ps_class {
        PS_C_SEND,
        PS_C_RECV,
        PS_C_SENDRECV, /* only of regions: such a call becomes two rows */
        PS_C_PROBE,
        PS_C_COMPLETE,
        PS_C_REQUEST,
        PS_C_COLL,
        PS_C_RMA,
        PS_C_RMA_SYNC,
        PS_C_THREAD,
        PS_C_LOCK,
        PS_C_TASK
} ps_class;

enum {
        PS_T_BLOCKING = 1 << 0,
        PS_T_ONE_TO_ALL = 1 << 1,
        PS_T_ALL_TO_ONE = 1 << 2,
        PS_T_ALL_TO_ALL = 1 << 3,
        PS_T_PREFIX = 1 << 4,
        PS_T_BARRIER = 1 << 5,
        PS_T_SPARSE = 1 << 6,
        PS_T_LIFE = 1 << 7, /* init and finalize: no communicator in the trace, all processes take part */
        PS_T_RMA = 1 << 8,  /* its communicator column holds a window */
        PS_T_TEAM = 1 << 9  /* its members are locations, not processes */
};

typedef struct ps_kind_info {
        const char *name;
        ps_class cls;
        uint16_t traits;
} ps_kind_info;

/* One row for each kind below PS_K_COUNT. */
extern const ps_kind_info ps_kinds[PS_K_COUNT];

/* The kinds of sends stand together, and those of receives, which spares who asks for each row a table. */
#define PS_KIND(id, name, cls, traits)                                                                       \
        _Static_assert((PS_C_##cls == PS_C_SEND) == (PS_K_##id <= PS_K_SENDRECV_SEND), "a send");            \
        _Static_assert((PS_C_##cls <= PS_C_RECV) == (PS_K_##id <= PS_K_SENDRECV_RECV), "or a receive");
#include "core/model/kinds.def"
#undef PS_KIND

static inline bool ps_kind_sends(uint8_t kind)
{
        return kind <= PS_K_SENDRECV_SEND;
}

static inline bool ps_kind_receives(uint8_t kind)
{
        return (uint8_t)(kind - PS_K_RECV) <= PS_K_SENDRECV_RECV - PS_K_RECV;
}

/* PS_T_TEAM, of any kind, without a look at the table. */
static inline bool ps_kind_is_of_team(unsigned kind)
{
        return kind == PS_K_TEAM_BARRIER || kind == PS_K_TEAM_IMPLICIT_BARRIER;
}

/* How a collective operation of UPC synchronises: with all threads, with those whose data it touches, or not
 * at all. Two of them, for its begin and its end, make an operation's modes, in one small number. */
typedef enum ps_sync { PS_SYNC_UNKNOWN, PS_SYNC_ALL, PS_SYNC_MY, PS_SYNC_NO } ps_sync;

#define PS_SYNC_MODES(in, out) ((unsigned)(in) | (unsigned)(out) << 2)

static inline ps_sync ps_sync_in(uint32_t modes)
{
        return (ps_sync)(modes & 3);
}

static inline ps_sync ps_sync_out(uint32_t modes)
{
        return (ps_sync)(modes >> 2 & 3);
}

/* What is unknown in `modes` is taken from `other`. */
uint32_t ps_sync_merge(uint32_t modes, uint32_t other);

/* The modes that a text names, such as "UPC_IN_MYSYNC|UPC_OUT_ALLSYNC"; 0 when it names none. As in the
 * language, a half that is not named is ALLSYNC if the other one is. */
uint32_t ps_sync_parse(const char *text);

/* The modes that a number means; 0: none that makes sense. A half that is not named is ALLSYNC. */
uint32_t ps_sync_of_flags(uint64_t flags, ps_upc_flags meaning);

typedef enum ps_names {
        PS_NAMES_OTHER,
        PS_NAMES_MPI,
        PS_NAMES_UPC, /* and coarrays */
        PS_NAMES_SHMEM
} ps_names;

/* What a region's name says about its calls. */
typedef struct ps_name_info {
        ps_kind kind;
        uint8_t nonblocking; /* a nonblocking form of a kind that is usually blocking (MPI_Ibarrier) */
        uint8_t family;      /* ps_names: whose call it is, whatever the trace says of its paradigm */
        uint8_t sync;        /* modes that follow from the name */
        bool is_of_files;    /* a call of MPI that opens, reads, writes or closes a file */
} ps_name_info;

/* Knows MPI's C names, the Fortran spellings that tools record (mpi_send_, MPI_SEND, mpi_send_f08) and the
 * PMPI ones, and those of UPC, OpenSHMEM and coarrays with their prefixes. Unknown names give PS_K_NONE. */
ps_name_info ps_kind_of_name(const char *name);
/* Of "main => relax => MPI_Send", a name that tells who called, what is called; mostly that is all of it. */
const char *ps_name_called(const char *name);

/* A call of MPI that is of this kind, as C spells it; returns `room`, or NULL: there is none, or a collective
 * operation of which nobody knows which one it is. */
enum { PS_CALL_NAME_ROOM = 64 };
const char *ps_name_of_kind(char room[PS_CALL_NAME_ROOM], ps_kind kind, int nonblocking);

/* Only those of partitioned global address spaces. `family` says whose the region is known to be, so that
 * its name needs no prefix; PS_NAMES_OTHER: nothing is known. */
ps_name_info ps_kind_of_pgas_name(const char *name, ps_names family);

#endif
