/* mortal.c - patscan-mpi whose process 1 is killed while it reads, as a node that fails or a job that takes
 * too much memory would be; or sleeps for the seconds of $SLEEPS, and goes on. */
#include "app/cli/program.h"
#include "app/mpi/wire.h"
#include "core/load/share.h"
#include "patterns/engine/works.h"
#include "reader/reader.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static ps_reader_class mortal;
static atomic_uint slept;

static ps_status die(ps_stream **out, ps_reader *reader, ps_loc location, ps_error *err)
{
        const char *seconds = getenv("SLEEPS");
        if (!seconds)
                raise(SIGKILL);
        sleep(slept++ ? 0 : (unsigned)strtoul(seconds, NULL, 10));
        return ps_reader_named("otf2")->stream_open(out, reader, location, err);
}

static const ps_reader_class *find_mortal(const char *name)
{
        mortal = *ps_reader_named(name);
        mortal.stream_open = die;
        return &mortal;
}

int main(int argc, char **argv)
{
        ps_exchange x;
        int code = 0;
        ps_mpi_begin(&x, &argc, &argv, 5);
        x.n_threads = 1;
        if (x.rank) {
                ps_share_serve(&x, x.rank == 1 ? find_mortal : ps_reader_named, ps_engine_works);
        } else {
                code = ps_program(argc, argv, "", &x);
                ps_share_dismiss(&x);
        }
        ps_mpi_end();
        return code;
}
