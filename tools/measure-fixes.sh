#!/bin/sh
# measure-fixes.sh - is what a fix gains what it was told to gain? Each program of planted.c is recorded with its
# problem, the fix that will be made is read from the report of its first cause, and the program is timed before and
# after it was really mended: the table in docs/CAUSES.md.
#
#   PATSCAN=build/release/patscan tools/measure-fixes.sh [RUNS]
#
# Needs an MPI with mpicc and mpirun, python3, and a quiet machine. Of RUNS runs (7) the shortest counts, of the
# recordings, too. MPIRUN says how to start 4 processes.
set -eu
runs=${1:-7}
patscan=$(realpath "${PATSCAN:-build/release/patscan}")
source=$(realpath "$(dirname "$0")")/planted.c
mpirun=${MPIRUN:-mpirun --oversubscribe --mca mpi_yield_when_idle 1 -n 4}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
${MPICC:-mpicc} -g -O1 -o planted "$source"

# shortest COMMAND...: milliseconds
shortest() {
        for i in $(seq "$runs"); do $mpirun "$@"; done | sort -n | head -1
}

# record PROGRAM: the shortest recording is PROGRAM.otf2
record() {
        best=
        for i in $(seq "$runs"); do
                rm -rf new.otf2
                time=$("$patscan" record -q -o new.otf2 -- $mpirun ./planted "$1")
                [ -z "$best" ] || [ "$(printf '%s\n' "$time" "$best" | sort -n | head -1)" = "$time" ] || continue
                best=$time
                rm -rf "$1.otf2"
                mv new.otf2 "$1.otf2"
        done
}

echo '| program | before, after (ms) | saved | told | fix |'
echo '|---|---|---|---|---|'
for pair in ${PROGRAMS:-stencil:balanced prepare:balanced pipeline:evened detour:evened order:reordered \
        requests:reordered master:sped-up:0.5 input:sped-up:0.5 turns:balanced fence:evened nonblocking:evened output:balanced handout:sped-up:0.5 \
        triangle:balanced border:sped-up:0.5 token:sped-up:0.5}; do
        program=${pair%%:*}
        record "$program"
        before=$(shortest ./planted "$program")
        after=$(shortest ./planted "$program" mended)
        "$patscan" "$program.otf2/traces.otf2" -q --report json:report.json --causes 1
        python3 - "$program" "$before" "$after" "${pair#*:}" <<'END'
import json, sys
program, before, after = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
kind, _, factor = sys.argv[4].partition(":")
fixes = json.load(open("report.json"))["causes"][0]["fixes"]
fix = next(f for f in fixes if f["kind"] == kind and (not factor or f["factor"] == float(factor)))
saved, told = before - after, 1e3 * fix["gain_s"]
off = "" if abs(told - saved) <= max(5, 0.15 * saved) else " (!)"
print(f"| {program} | {before:.0f}, {after:.0f} | {saved:.0f} | {told:.0f}{off} | {fix['kind']}: `{fix['edit']}` |")
END
done
