#!/bin/sh
# openmp.sh - builds a program with OpenMP, records it, and compares the waits that are found with those that it was made to
# have: `openmp.sh COMPILER MPI`, COMPILER being gcc or clang, MPI openmpi, mpich or none.
#
# PATSCAN is the program, RECORD_SOURCE the folder of this script. 77: something is not installed. The machine may be
# busy, so that each wait needs to come out right in one run of four only.
set -u
compiler=$1
mpi=$2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_WAIT_POLICY=passive
cd "$dir" || exit 2

need() { command -v "$1" >/dev/null 2>&1 || { echo "$1 is not installed"; exit 77; }; }
fail() { echo "$*"; sed 's/^/    /' errors 2>/dev/null | head -n 20; exit 1; }
need python3
need otf2-print
need "$compiler"
echo 'int main(void) { return 0; }' >empty.c
"$compiler" -fopenmp empty.c -o empty 2>/dev/null || { echo "no OpenMP for $compiler"; exit 77; }

if [ "$mpi" = none ]; then
        recorder=openmp
        launch=
        set -- "$compiler"
else
        need "mpicc.$mpi"
        need "mpirun.$mpi"
        recorder=$mpi
        launch="mpirun.$mpi -n 2"
        [ "$mpi" = mpich ] || launch="mpirun.$mpi --oversubscribe -n 2"
        export MPICH_CC="$compiler" OMPI_CC="$compiler"
        set -- "mpicc.$mpi" -DWITH_MPI
fi
test -e "$(dirname "$PATSCAN")/record/record-$recorder.so" || { echo "no recorder for $recorder"; exit 77; }
"$@" -fopenmp -g -O2 -w "$RECORD_SOURCE/openmp.c" -o app 2>errors || fail "cannot compile"

# Who computes in a parallel region is named, though the compiler took the region out of a block of another function.
if [ "$mpi" = none ]; then
        "$compiler" -fopenmp -g -O2 -w "$RECORD_SOURCE/inside.c" -o inside 2>errors || fail "cannot compile"
        for n in 1 2 3 4; do
                "$PATSCAN" record --sample 250 -- ./inside 2>errors </dev/null || fail "status $? of the sampled program"
                "$PATSCAN" inside.otf2 --quiet --report markdown 2>errors | tr '\n' ' ' >report
                grep -q 'computes [^:]* in relax' report && break
                [ $n -lt 4 ] || fail "nothing is told of relax: $(cut -c1-600 report)"
        done
fi

# What runs the threads of a team is none of the functions around a call in it, also where the compiler's have no names.
cp app stripped && strip stripped || fail "cannot strip"
# shellcheck disable=SC2086  # several words, or none
"$PATSCAN" record --unwind 20 -- $launch ./stripped >/dev/null 2>errors </dev/null || fail "status $? of the stripped program"
otf2-print -G stripped.otf2/traces.otf2 >definitions 2>errors
grep -q 'CALLING_CONTEXT .*"omp_set_lock".*Parent: "!.omp parallel' definitions || fail "a lock is not in its team: $(grep 'CALLING_CONTEXT ' definitions | head -n 20)"
grep -E 'CALLING_CONTEXT .*"(GOMP_parallel|run_part|__kmp[a-z_]*)"' definitions && fail "what runs teams is told"

for n in 1 2 3 4; do
        echo "run $n"
        # shellcheck disable=SC2086  # several words, or none
        timeout 100 "$PATSCAN" record -- $launch ./app >expected 2>errors </dev/null || fail "status $? of the recorded program"
        [ -s errors ] && fail "it says something"
        otf2-print app.otf2/traces.otf2 >/dev/null 2>errors || fail "otf2-print cannot read it"
        [ -s errors ] && fail "otf2-print warns"
        "$PATSCAN" app.otf2 --quiet --report json:report.json 2>errors || fail "cannot be analysed"
        python3 "$RECORD_SOURCE/../pgas/check.py" report.json expected good 0.05 && exit 0
done
load=$(cut -d . -f 1 /proc/loadavg 2>/dev/null || echo 0)
if [ "$load" -ge $((2 * $(nproc))) ]; then
        echo "no verdict: the machine is too busy, load $load on $(nproc) processors"
        exit 77
fi
exit 1
