#!/bin/sh
# measure-recording.sh [ROUNDS] - what `patscan record` costs, for each MPI that is here, against the bare program and EZTrace, if that is
# here: all in turn, ROUNDS times (9), the least of each. PATSCAN is the program. What it prints is the table of docs/RECORD.md.
#
# CPU time a call is that of a process that sends empty messages to itself; of programs with work between their calls it is
# all user and system time. Measure on an idle machine.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
patscan=${PATSCAN:-$here/build/release/patscan}
rounds=${1:-9}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

run() { # what measures it, kind, ranks, rounds of it
        way=$1
        kind=$2
        ranks=$3
        shift 3
        rm -rf recorded.otf2 ./*_trace
        case $way in
        bare) mpirun.$mpi -n $ranks ./costs $kind "$@" ;;
        eztrace) mpirun.$mpi -n $ranks eztrace -t $mpi ./costs $kind "$@" ;;
        clock) mpirun.$mpi -n $ranks env PATSCAN_RECORD_CLOCK=monotonic "$patscan" record -q -o recorded.otf2 -- ./costs $kind "$@" ;;
        counter) mpirun.$mpi -n $ranks "$patscan" record -q -o recorded.otf2 -- ./costs $kind "$@" ;;
        esac 2>/dev/null </dev/null | sed -n "s/^$kind /$mpi $way $kind /p" >>times
}

measure() {
        ways='bare clock counter'
        ! command -v eztrace >/dev/null || ways="$ways eztrace"
        for _ in $(seq "$rounds"); do
                for way in $ways; do
                        run $way self 1 1000000
                        run $way probe 1 1000000
                        run $way stencil 2 3000
                        run $way workers 2 8000
                done
        done
}

# What a call takes in the files of rows, and in the archive.
size_of() { # kind
        rm -rf recorded.otf2
        mpirun.$mpi -n 1 "$patscan" record -q -o recorded.otf2 -- ./costs "$1" 100000 >/dev/null 2>&1 </dev/null
        rows=$(cat recorded.otf2/recording.*/0.0.rows | wc -c)
        "$patscan" info -q recorded.otf2 >/dev/null 2>&1
        echo "$mpi $1 $((rows / 100000)) $(($(cat recorded.otf2/traces/0.evt | wc -c) / 100000))" >>sizes
}

for mpi in openmpi mpich; do
        command -v mpicc.$mpi >/dev/null || continue
        mpicc.$mpi -O2 -g -w "$here/tests/recorded/costs.c" -o costs
        measure
        size_of probe
        size_of self
done
lscpu | sed -n 's/^Model name: *//p'
awk -v rounds="$rounds" '
{ key = $1 " " $3; way = $2; if (!((key, way) in least) || $5 < least[key, way]) least[key, way] = $5
  calls[key] = $4; if (!(key in seen)) { seen[key] = 1; order[++n] = key } }
END {
        print "| least of " rounds " | bare | EZTrace | recorded | without counter |\n|---|---:|---:|---:|---:|"
        for (i = 1; i <= n; i++) {
                key = order[i]; bare = least[key, "bare"]; is_loop = key ~ /self|probe/
                printf "| %s%s | %s", key, is_loop ? "" : sprintf(", %.0f calls a second and rank", calls[key] / bare),
                        is_loop ? sprintf("%.0f ns", bare / calls[key] * 1e9) : sprintf("%.3f s", bare)
                split("eztrace counter clock", recorder, " ")
                for (w = 1; w <= 3; w++) {
                        if (!((key, recorder[w]) in least)) { printf " | "; continue }
                        more = least[key, recorder[w]] - bare
                        printf " | %s", is_loop ? sprintf("+%.0f ns", more / calls[key] * 1e9) : sprintf("%+.2f %%", more / bare * 100)
                }
                print " |"
        }
}' times
echo
awk 'BEGIN { print "| bytes a call | rows | archive |\n|---|---:|---:|" } { print "| " $1 " " $2 " | " $3 " | " $4 " |" }' sizes
