/* tracegen_calls.c - writes records and whole calls, and knows what regions of which name are. */
#include "tests/support/damage.h"
#include "tests/support/tracegen_internal.h"
#include <ctype.h>
#include <string.h>

/* -- names -- */

static const struct {
        const char *name; /* of the blocking form */
        OTF2_CollectiveOp op;
        OTF2_RegionRole role;
} collectives[] = {
        {"MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
        {"MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
        {"MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER, OTF2_REGION_ROLE_COLL_ONE2ALL},
        {"MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV, OTF2_REGION_ROLE_COLL_ONE2ALL},
        {"MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, OTF2_REGION_ROLE_COLL_ALL2ONE},
        {"MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV, OTF2_REGION_ROLE_COLL_ALL2ONE},
        {"MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE},
        {"MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"MPI_Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"MPI_Scan", OTF2_COLLECTIVE_OP_SCAN, OTF2_REGION_ROLE_COLL_OTHER},
        {"MPI_Exscan", OTF2_COLLECTIVE_OP_EXSCAN, OTF2_REGION_ROLE_COLL_OTHER},
        {"MPI_Neighbor_allgather", OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_OTHER},
        {"MPI_Neighbor_allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_OTHER},
        {"MPI_Neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_OTHER},
        {"MPI_Neighbor_alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_OTHER},
        {"MPI_Neighbor_alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_OTHER},
        {"MPI_Init", OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_REGION_ROLE_FUNCTION},
        {"MPI_Finalize", OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_REGION_ROLE_FUNCTION},
        {"MPI_Comm_dup", OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_REGION_ROLE_FUNCTION},
        {"MPI_Comm_split", OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_REGION_ROLE_FUNCTION},
        {"MPI_Comm_create", OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_REGION_ROLE_FUNCTION},
        {"MPI_Comm_free", OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_REGION_ROLE_FUNCTION},
        {"MPI_Win_fence", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_RMA},
        {"MPI_Win_create", OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_REGION_ROLE_RMA},
        {"MPI_Win_free", OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_REGION_ROLE_RMA},
        {"upc_all_broadcast", OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
        {"upc_all_scatter", OTF2_COLLECTIVE_OP_SCATTER, OTF2_REGION_ROLE_COLL_ONE2ALL},
        {"upc_all_gather", OTF2_COLLECTIVE_OP_GATHER, OTF2_REGION_ROLE_COLL_ALL2ONE},
        {"upc_all_reduce", OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE},
        {"upc_all_gather_all", OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"upc_all_exchange", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"upc_all_permute", OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_OTHER},
        {"upc_all_prefix_reduce", OTF2_COLLECTIVE_OP_SCAN, OTF2_REGION_ROLE_COLL_OTHER},
        {"upc_barrier", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
        {"upc_all_alloc", OTF2_COLLECTIVE_OP_ALLOCATE, OTF2_REGION_ROLE_ALLOCATE},
        {"shmem_barrier_all", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
        {"shmem_broadcast32", OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
};

/* By the beginning of the name, the first that fits; what follows them is a function of the program. */
static const struct {
        const char *prefix;
        OTF2_Paradigm paradigm;
        OTF2_RegionRole role;
} roles[] = {
        {"MPI_Win_", OTF2_PARADIGM_MPI, OTF2_REGION_ROLE_RMA},
        {"MPI_Put", OTF2_PARADIGM_MPI, OTF2_REGION_ROLE_RMA},
        {"MPI_Get", OTF2_PARADIGM_MPI, OTF2_REGION_ROLE_RMA},
        {"MPI_Accumulate", OTF2_PARADIGM_MPI, OTF2_REGION_ROLE_RMA},
        {"MPI_Comm_", OTF2_PARADIGM_MPI, OTF2_REGION_ROLE_FUNCTION},
        {"MPI_", OTF2_PARADIGM_MPI, OTF2_REGION_ROLE_POINT2POINT},
        {"!$omp parallel", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_PARALLEL},
        {"!$omp for", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_LOOP},
        {"!$omp barrier", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_BARRIER},
        {"!$omp implicit barrier", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_IMPLICIT_BARRIER},
        {"!$omp critical sblock", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_CRITICAL_SBLOCK},
        {"!$omp critical", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_CRITICAL},
        {"!$omp create task", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_TASK_CREATE},
        {"!$omp taskwait", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_TASK_WAIT},
        {"!$omp task", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_TASK},
        {"!$omp", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_WORKSHARE},
        {"cuda", OTF2_PARADIGM_CUDA, OTF2_REGION_ROLE_FUNCTION},
        {"omp_", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_FUNCTION},
        {"pthread_create", OTF2_PARADIGM_PTHREAD, OTF2_REGION_ROLE_THREAD_CREATE},
        {"pthread_join", OTF2_PARADIGM_PTHREAD, OTF2_REGION_ROLE_THREAD_WAIT},
        {"pthread_", OTF2_PARADIGM_PTHREAD, OTF2_REGION_ROLE_FUNCTION},
        {"upc_", OTF2_PARADIGM_UPC, OTF2_REGION_ROLE_FUNCTION},
        {"bupc_", OTF2_PARADIGM_UPC, OTF2_REGION_ROLE_FUNCTION},
        {"shmem_", OTF2_PARADIGM_SHMEM, OTF2_REGION_ROLE_FUNCTION},
        {"pwrite", OTF2_PARADIGM_NONE, OTF2_REGION_ROLE_FILE_IO},
        {"lseek", OTF2_PARADIGM_NONE, OTF2_REGION_ROLE_FILE_IO_METADATA},
        {"", OTF2_PARADIGM_COMPILER, OTF2_REGION_ROLE_FUNCTION},
};

static int is_mpi(const char *name)
{
        return !strncmp(name, "MPI_", 4);
}

/* MPI_Iallreduce is MPI_Allreduce: the same but for an I and the case of the letter after it. */
static int same_operation(const char *name, const char *blocking)
{
        if (!strcmp(name, blocking))
                return 1;
        return is_mpi(name) && name[4] == 'I' && tolower(blocking[4]) == name[5] &&
               !strcmp(name + 6, blocking + 5);
}

static size_t find_collective(const char *name)
{
        size_t i = 0, n = sizeof collectives / sizeof *collectives;
        while (i < n && !same_operation(name, collectives[i].name))
                i++;
        return i;
}

uint8_t ps_gen_op(const char *name)
{
        size_t i = find_collective(name);
        if (i == sizeof collectives / sizeof *collectives)
                ps_test_die("no collective operation: name=\"%s\"", name);
        return collectives[i].op;
}

static void classify(const char *name, gen_region *out)
{
        size_t i = 0, collective = find_collective(name);
        while (strncmp(name, roles[i].prefix, strlen(roles[i].prefix)))
                i++;
        out->paradigm = roles[i].paradigm;
        out->role = collective < sizeof collectives / sizeof *collectives ? collectives[collective].role
                                                                          : roles[i].role;
}

/* -- regions -- */

/* The name under which the recorder notes a call: mpi_send_ for MPI_Send in Fortran programs. */
static uint32_t recorded_name(ps_gen *g, const char *name)
{
        char fortran[128];
        if (!g->o.fortran || !is_mpi(name))
                return ps_gen_string(g, name);
        size_t n = 0;
        while (name[n] && n < sizeof fortran - 2) {
                fortran[n] = (char)tolower(name[n]);
                n++;
        }
        fortran[n] = '_';
        fortran[n + 1] = 0;
        return ps_gen_string(g, fortran);
}

static const char *default_file(const ps_gen *g, const char *name)
{
        if (g->o.style == PS_GEN_EZTRACE)
                return "a.out";
        return is_mpi(name) ? "MPI" : !strncmp(name, "!$omp", 5) ? "OMP" : "";
}

uint32_t ps_gen_region(ps_gen *g, const char *name, const char *file, uint32_t line)
{
        gen_region region = {.name = recorded_name(g, name), .file = ps_gen_string(g, file), .line = line};
        for (uint32_t i = 0; i < g->regions.n; i++) {
                const gen_region *r = &g->regions.row[i];
                if (r->name == region.name && r->file == region.file && r->line == line)
                        return i;
        }
        classify(name, &region);
        if (g->o.style == PS_GEN_EZTRACE) {
                region.paradigm = OTF2_PARADIGM_USER;
                region.role = OTF2_REGION_ROLE_FUNCTION;
        }
        *PS_GEN_ADD(g->regions) = region;
        return g->regions.n - 1;
}

void ps_gen_describe(ps_gen *g, uint32_t region, const char *description)
{
        g->regions.row[region].description = ps_gen_string(g, description);
}

uint32_t ps_gen_region_named(ps_gen *g, const char *name)
{
        uint32_t recorded = recorded_name(g, name);
        for (uint32_t i = g->regions.n; i-- > 0;)
                if (g->regions.row[i].name == recorded)
                        return i;
        return ps_gen_region(g, name, default_file(g, name), 0);
}

/* -- records -- */

uint64_t ps_gen_local_time(const ps_gen *g, uint32_t loc, uint64_t time)
{
        int64_t skew = g->o.skew ? g->o.skew[g->locs[loc].rank] : 0;
        return g->o.start + time + (uint64_t)skew;
}

/* Local ids are dense in the order of first use, after as many unused ones as tell the locations apart. */
static uint32_t mapped_id(gen_location *l, uint32_t loc, uint8_t type, uint32_t id)
{
        while (l->map[type].n <= loc)
                *PS_GEN_ADD(l->map[type]) = 0;
        uint32_t i = loc + 1;
        while (i < l->map[type].n && l->map[type].row[i] != id)
                i++;
        if (i == l->map[type].n)
                *PS_GEN_ADD(l->map[type]) = id;
        return i;
}

static uint32_t file_id(ps_gen *g, uint32_t loc, uint8_t type, uint32_t id)
{
        gen_location *l = &g->locs[loc];
        if (id == UINT32_MAX)
                return id;
        if (g->o.style == PS_GEN_EZTRACE)
                return type == OTF2_MAPPING_REGION ? l->rank * g->region_stride + id : id;
        return g->o.mapped ? mapped_id(l, loc, type, id) : id;
}

#define REGION  file_id(g, loc, OTF2_MAPPING_REGION, r->ref)
#define COMM    file_id(g, loc, OTF2_MAPPING_COMM, r->comm)
#define WIN     file_id(g, loc, OTF2_MAPPING_RMA_WIN, r->ref)
#define PARAM   file_id(g, loc, OTF2_MAPPING_PARAMETER, r->ref)
#define CONTEXT file_id(g, loc, OTF2_MAPPING_CALLING_CONTEXT, r->ref)

static OTF2_ErrorCode write_record(ps_gen *g, uint32_t loc, uint64_t time, const ps_gen_rec *r)
{
        OTF2_EvtWriter *w = g->locs[loc].writer;
        OTF2_AttributeList *a = g->locs[loc].attributes;
        switch (r->kind) {
#define PS_GEN_REC(id, function, ...)                                                                        \
        case PS_GEN_R_##id:                                                                                  \
                return OTF2_EvtWriter_##function(w, a, time, __VA_ARGS__);
#define PS_GEN_REC0(id, function)                                                                            \
        case PS_GEN_R_##id:                                                                                  \
                return OTF2_EvtWriter_##function(w, a, time);
#include "tests/support/tracegen.def"
#undef PS_GEN_REC
#undef PS_GEN_REC0
        }
        return OTF2_ERROR_INVALID_ARGUMENT;
}

void ps_gen_put(ps_gen *g, uint32_t loc, uint64_t time, ps_gen_rec rec)
{
        if (!g->archive || loc >= g->n_locs)
                ps_test_die("closed, or no such location: %u", loc);
        if (time > g->last)
                g->last = time;
        CHECK(write_record(g, loc, ps_gen_local_time(g, loc, time), &rec));
}

void ps_gen_site(ps_gen *g, uint32_t loc, const char *file, uint32_t line)
{
        CHECK(OTF2_AttributeList_AddSourceCodeLocationRef(g->locs[loc].attributes, 0,
                                                          ps_gen_source_line(g, file, line)));
}

static uint32_t hint_of(ps_gen *g, const char *name, OTF2_Type type)
{
        for (uint32_t i = 0; i < g->hints.n; i++)
                if (g->hints.row[i].name == ps_gen_string(g, name))
                        return i + 1; /* the first attribute is the place of a call */
        *PS_GEN_ADD(g->hints) = (gen_pair){ps_gen_string(g, name), type};
        return g->hints.n;
}

void ps_gen_hint_text(ps_gen *g, uint32_t loc, const char *name, const char *text)
{
        CHECK(OTF2_AttributeList_AddStringRef(g->locs[loc].attributes, hint_of(g, name, OTF2_TYPE_STRING),
                                              ps_gen_string(g, text)));
}

void ps_gen_hint(ps_gen *g, uint32_t loc, const char *name, uint64_t value)
{
        CHECK(OTF2_AttributeList_AddUint64(g->locs[loc].attributes, hint_of(g, name, OTF2_TYPE_UINT64),
                                           value));
}

OTF2_EvtWriter *ps_gen_writer(ps_gen *g, uint32_t loc)
{
        return g->locs[loc].writer;
}

void ps_gen_enter(ps_gen *g, uint32_t loc, uint64_t time, const char *region)
{
        ps_gen_put(g, loc, time, PS_GEN_REC_OF(ENTER, .ref = ps_gen_region_named(g, region)));
}

void ps_gen_leave(ps_gen *g, uint32_t loc, uint64_t time, const char *region)
{
        ps_gen_put(g, loc, time, PS_GEN_REC_OF(LEAVE, .ref = ps_gen_region_named(g, region)));
}

/* Gives the records of `loc` at `time` another one: their time stamp is a byte of 5 and eight of the time. */
void ps_gen_retime(ps_gen *g, uint32_t loc, uint64_t time, uint64_t new_time)
{
        unsigned char stamp[2][9] = {{5}, {5}};
        uint64_t local[2] = {ps_gen_local_time(g, loc, time), ps_gen_local_time(g, loc, new_time)};
        for (int i = 0; i < 2; i++)
                memcpy(stamp[i] + 1, &local[i], sizeof local[i]);
        ps_gen_close(g);
        ps_file_replace(ps_gen_events_file(g, loc), stamp[0], stamp[1], sizeof stamp[0]);
}

/* -- calls -- */

static int begins_something(ps_gen_kind kind)
{
        static const ps_gen_kind beginnings[] = {
                PS_GEN_R_SEND,          PS_GEN_R_ISEND,
                PS_GEN_R_IRECV_REQUEST, PS_GEN_R_COLL_BEGIN,
                PS_GEN_R_NBC_REQUEST,   PS_GEN_R_RMA_COLL_BEGIN,
                PS_GEN_R_PUT,           PS_GEN_R_GET,
                PS_GEN_R_ATOMIC,        PS_GEN_R_RMA_LOCK_REQUEST,
                PS_GEN_R_FORK,          PS_GEN_R_TASK_CREATE,
                PS_GEN_R_THREAD_CREATE,
        };
        for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
                if (beginnings[i] == kind)
                        return 1;
        return 0;
}

static void put_between(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint32_t n,
                        const ps_gen_rec *records)
{
        uint64_t early = begin + (end - begin) / 4, late = end - (end - begin) / 4;
        int ending = 0;
        for (uint32_t i = 0; i < n; i++) {
                ending |= !begins_something(records[i].kind);
                ps_gen_put(g, loc, ending ? late : early, records[i]);
        }
}

void ps_gen_call(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint32_t n,
                 const ps_gen_rec *records)
{
        ps_gen_enter(g, loc, begin, name);
        put_between(g, loc, begin, end, n, records);
        ps_gen_leave(g, loc, end, name);
}

void ps_gen_context_call(ps_gen *g, uint32_t context, uint32_t loc, uint64_t begin, uint64_t end, uint32_t n,
                         const ps_gen_rec *records)
{
        ps_gen_put(g, loc, begin, PS_GEN_REC_OF(CONTEXT_ENTER, .ref = context, .tag = 1));
        put_between(g, loc, begin, end, n, records);
        ps_gen_put(g, loc, end, PS_GEN_REC_OF(CONTEXT_LEAVE, .ref = context));
}

void ps_gen_visit(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, const char *region)
{
        ps_gen_call(g, region, loc, begin, end, 0, NULL);
}

static void call_one(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, ps_gen_rec rec)
{
        ps_gen_call(g, name, loc, begin, end, 1, &rec);
}

void ps_gen_send_by(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint32_t to,
                    uint32_t comm, uint32_t tag, uint64_t bytes)
{
        call_one(g, name, loc, begin, end,
                 PS_GEN_REC_OF(SEND, .peer = to, .comm = comm, .tag = tag, .bytes = bytes));
}

void ps_gen_recv(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint32_t from, uint32_t comm,
                 uint32_t tag, uint64_t bytes)
{
        call_one(g, "MPI_Recv", loc, begin, end,
                 PS_GEN_REC_OF(RECV, .peer = from, .comm = comm, .tag = tag, .bytes = bytes));
}

void ps_gen_isend_by(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint32_t to,
                     uint32_t comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
        call_one(g, name, loc, begin, end,
                 PS_GEN_REC_OF(ISEND, .peer = to, .comm = comm, .tag = tag, .bytes = bytes,
                               .request = request));
}

void ps_gen_irecv(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint64_t request)
{
        call_one(g, "MPI_Irecv", loc, begin, end, PS_GEN_REC_OF(IRECV_REQUEST, .request = request));
}

void ps_gen_sendrecv(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint32_t to, uint32_t from,
                     uint32_t comm, uint32_t tag, uint64_t bytes)
{
        ps_gen_rec records[] = {PS_GEN_REC_OF(SEND, .peer = to, .comm = comm, .tag = tag, .bytes = bytes),
                                PS_GEN_REC_OF(RECV, .peer = from, .comm = comm, .tag = tag, .bytes = bytes)};
        ps_gen_call(g, "MPI_Sendrecv", loc, begin, end, 2, records);
}

void ps_gen_wait(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, ps_gen_rec done)
{
        call_one(g, "MPI_Wait", loc, begin, end, done);
}

void ps_gen_waitall(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint32_t n, const ps_gen_rec *done)
{
        ps_gen_call(g, "MPI_Waitall", loc, begin, end, n, done);
}

void ps_gen_collective(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint32_t comm,
                       uint32_t root, uint64_t sent, uint64_t received)
{
        ps_gen_rec records[] = {{.kind = PS_GEN_R_COLL_BEGIN},
                                PS_GEN_REC_OF(COLL_END, .op = ps_gen_op(name), .comm = comm, .peer = root,
                                              .bytes = sent, .received = received)};
        ps_gen_call(g, name, loc, begin, end, 2, records);
}

void ps_gen_barrier(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint32_t comm)
{
        ps_gen_collective(g, "MPI_Barrier", loc, begin, end, comm, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

void ps_gen_nbc(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint64_t request)
{
        call_one(g, name, loc, begin, end, PS_GEN_REC_OF(NBC_REQUEST, .request = request));
}

void ps_gen_win_collective(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end,
                           uint32_t win)
{
        ps_gen_rec records[] = {{.kind = PS_GEN_R_RMA_COLL_BEGIN},
                                PS_GEN_REC_OF(RMA_COLL_END, .op = ps_gen_op(name), .ref = win,
                                              .tag = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                                              .peer = OTF2_COLLECTIVE_ROOT_NONE)};
        ps_gen_call(g, name, loc, begin, end, 2, records);
}
