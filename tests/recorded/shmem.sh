#!/bin/sh
# shmem.sh - records a program of OpenSHMEM and compares the waits that are found with those that it was made to have.
#
# PATSCAN is the program, RECORD_SOURCE the folder of this script. 77: there is no OpenSHMEM. The machine may be
# busy, so that each wait needs to come out right in one run of four only.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cd "$dir" || exit 2
for tool in python3 otf2-print oshcc oshrun; do
        command -v "$tool" >/dev/null 2>&1 || { echo "$tool is not installed"; exit 77; }
done
fail() { echo "$*"; sed 's/^/    /' errors 2>/dev/null | head -n 20; exit 1; }
oshcc -g -O2 -w "$RECORD_SOURCE/../pgas/shmem_demo.c" -o app 2>errors || { echo "cannot compile here"; exit 77; }
for n in 1 2 3 4; do
        echo "run $n"
        # Without the last option Open MPI's own hook into malloc crashes at the end.
        timeout 100 "$PATSCAN" record -- oshrun --oversubscribe -n 4 --mca memory ^patcher ./app >expected 2>errors </dev/null
        [ -s expected ] || { echo "cannot run, status $?"; exit 77; }
        otf2-print app.otf2/traces.otf2 >/dev/null 2>errors || fail "otf2-print cannot read it"
        [ -s errors ] && fail "otf2-print warns"
        "$PATSCAN" app.otf2 --quiet --report json:report.json 2>errors || fail "cannot be analysed"
        python3 "$RECORD_SOURCE/../pgas/check.py" report.json expected good && exit 0
done
load=$(cut -d . -f 1 /proc/loadavg 2>/dev/null || echo 0)
if [ "$load" -ge $((2 * $(nproc))) ]; then
        echo "no verdict: the machine is too busy, load $load on $(nproc) processors"
        exit 77
fi
exit 1
