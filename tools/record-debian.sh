#!/bin/sh
# record-debian.sh - records Debian's hpcc and lammps (packages hpcc, lammps, lammps-examples), which check themselves what they compute.
# PATSCAN is the program. 1: one of them failed, or what was recorded of it does not match completely.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
patscan=${PATSCAN:-$here/build/release/patscan}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch='mpirun.openmpi --oversubscribe -n 4'
failed=0

check() { # what, does it hold: a status
        [ "$2" = 0 ] && return
        echo "$1" && failed=1
}

# Everything that was sent was received, and no call is without its other half.
matches() { # the recording
        "$patscan" info "$1" --quiet --report json:info.json
        check "$1: issues" $?
        python3 -c 'import json
found = json.load(open("info.json"))
trace = found["trace"]
print(*(f"{key} {trace[key]}" for key in ("operations", "messages", "collectives", "messages_unmatched")), sep=", ")
raise SystemExit(bool(found["issues"] or trace["messages_unmatched"] or not trace["finished"]))'
        check "$1: something does not match" $?
}

cp /usr/share/doc/hpcc/examples/_hpccinf.txt hpccinf.txt || exit 2
# shellcheck disable=SC2086
"$patscan" record -q -o hpcc.otf2 -- $launch hpcc
check "hpcc: status" $?
grep -q '^Success=1' hpccoutf.txt
check "hpcc: its own checks" $?
matches hpcc.otf2

input=/usr/share/lammps/examples/melt/in.melt
# shellcheck disable=SC2086
$launch lmp -in $input >alone </dev/null && "$patscan" record -q -o lmp.otf2 -- $launch lmp -in $input >recorded </dev/null
check "lammps: status" $?
for run in alone recorded; do
        sed -n '/^ *Step/,/^Loop/p' $run | grep -v '^Loop' >$run.energies
done
[ -s alone.energies ] && cmp alone.energies recorded.energies
check "lammps: other energies than without the recorder" $?
matches lmp.otf2
exit $failed
