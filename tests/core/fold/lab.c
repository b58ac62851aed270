/* lab.c - see lab.h. */
#include "tests/core/fold/lab.h"

#include <stdlib.h>
#include <string.h>

static const struct {
        const char *name;
        ps_paradigm paradigm;
} region_names[N_REGIONS] = {
        [MAIN] = {"main", PS_PARADIGM_USER},
        [SOLVE] = {"solve", PS_PARADIGM_USER},
        [SEND] = {"MPI_Ssend", PS_PARADIGM_MPI},
        [RECV] = {"mpi_recv_", PS_PARADIGM_USER},
        [IRECV] = {"MPI_Irecv", PS_PARADIGM_MPI},
        [ISEND] = {"MPI_Isend", PS_PARADIGM_MPI},
        [WAITALL] = {"MPI_Waitall", PS_PARADIGM_MPI},
        [SENDRECV] = {"MPI_Sendrecv", PS_PARADIGM_MPI},
        [STARTALL] = {"MPI_Startall", PS_PARADIGM_MPI},
        [BCAST] = {"MPI_Bcast", PS_PARADIGM_MPI},
        [IBARRIER] = {"MPI_Ibarrier", PS_PARADIGM_MPI},
        [WAIT] = {"MPI_Wait", PS_PARADIGM_MPI},
        [CRITICAL] = {"!$omp critical", PS_PARADIGM_OPENMP},
        [WTIME] = {"MPI_Wtime", PS_PARADIGM_MPI},
};

static const uint32_t world[] = {0, 1};

static void make_defs(ps_defs *defs)
{
        assert_int_equal(ps_defs_init(defs, NULL), PS_OK);
        for (int r = 0; r < N_REGIONS; r++) {
                ps_region_def def = {.name = ps_strings_addz(defs->strings, region_names[r].name),
                                     .paradigm = (uint8_t)region_names[r].paradigm};
                ps_defs_add_region(defs, &def, NULL, NULL);
        }
        for (int p = 0; p < 2; p++)
                ps_defs_add_process(defs, &(ps_process_def){0}, NULL, NULL);
        for (uint32_t l = 0; l < N_LOCS; l++)
                ps_defs_add_location(defs, &(ps_location_def){.process = l == LOC_B}, NULL, NULL);
        ps_defs_add_comm(defs, &(ps_comm_def){.n_members = 2, .members = world}, NULL, NULL);
        ps_defs_add_code(defs, "ANY", NULL, NULL);
        ps_str file = ps_strings_addz(defs->strings, "solve.c");
        ps_defs_add_context(defs, &(ps_context_def){PS_NONE, MAIN, 0, 0}, NULL, NULL);
        ps_defs_add_context(defs, &(ps_context_def){0, SOLVE, file, 42}, NULL, NULL);
        ps_defs_add_context(defs, &(ps_context_def){1, SEND, 0, 0}, NULL, NULL);
        ps_defs_add_context(defs, &(ps_context_def){0, SEND, file, 7}, NULL, NULL);
        assert_int_equal(ps_defs_freeze(defs, NULL), PS_OK);
}

int fold_setup(void **state)
{
        fold_fixture *f = calloc(1, sizeof(*f));
        make_defs(&f->trace.defs);
        f->trace.arena = f->trace.defs.arena;
        f->trace.n_locs = N_LOCS;
        f->pool = ps_row_pool_new();
        for (ps_loc l = 0; l < N_LOCS; l++)
                ps_builder_new(&f->builder[l], &f->trace.defs, l, f->pool, NULL);
        *state = f;
        return 0;
}

int fold_teardown(void **state)
{
        fold_fixture *f = *state;
        for (ps_loc l = 0; l <= APART; l++)
                ps_builder_free(f->builder[l]);
        ps_row_pool_free(f->pool);
        ps_defs_free(&f->trace.defs);
        free(f);
        return 0;
}

void fold_feed(fold_fixture *f, ps_loc l, const ps_event *events, uint32_t n)
{
        static ps_batch batch;
        batch.location = l;
        batch.n = n;
        memcpy(batch.event, events, n * sizeof(*events));
        assert_int_equal(ps_builder_add(f->builder[l], &batch, &f->err), PS_OK);
}

static void settle(fold_fixture *f)
{
        ps_forest *forest;
        ps_path *map;
        assert_int_equal(ps_build_tie(&f->trace.defs, f->builder, &f->err), PS_OK);
        assert_int_equal(ps_forest_new(&forest, &f->err), PS_OK);
        for (ps_loc l = 0; l < N_LOCS; l++) {
                assert_int_equal(ps_forest_add(forest, f->builder[l], &map, &f->err), PS_OK);
                for (uint32_t i = 0; i < 3; i++)
                        ps_builder_settle_part(f->builder[l], 0, i, 3);
                ps_builder_settle(f->builder[l], map);
        }
        assert_int_equal(ps_forest_keep(forest, &f->trace, &f->err), PS_OK);
        ps_forest_free(forest);
}

void fold_finish(fold_fixture *f)
{
        for (ps_loc l = 0; l < N_LOCS; l++)
                assert_int_equal(ps_builder_end(f->builder[l], &f->err), PS_OK);
        settle(f);
        assert_int_equal(ps_build_finish(&f->trace, f->builder, 1, &f->err), PS_OK);
}

uint64_t fold_issues(const fold_fixture *f, ps_issue_kind kind)
{
        return f->trace.issues.row[kind].count;
}

const ps_path_use *fold_use_of(const fold_fixture *f, ps_loc l, ps_region region)
{
        const ps_location_info *info = &f->trace.info[l];
        for (uint32_t i = 0; i < info->n_uses; i++)
                if (f->trace.paths[info->uses[i].path].region == region)
                        return &info->uses[i];
        return NULL;
}
