#!/bin/sh
# run.sh - runs a PGAS program, makes an archive of what was recorded, analyses it and compares the waits with
# those that the program was made to have: `run.sh LAUNCHER... PROGRAM...`.
#
# PATSCAN and PGAS_ARCHIVE are programs, PGAS_CHECK the script that compares, PGAS_OPTIONS are of patscan. The
# machine may be busy, so that each wait needs to come out right in one run of four only; with
# others on it that want twice as much as it has, times say nothing of the program. 77: the program cannot be started here.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export PGAS_RECORD="$dir/calls"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

attempt() {
        rm -rf "$dir/calls" "$dir/trace"
        mkdir "$dir/calls"
        timeout 100 "$@" >"$dir/expected" 2>"$dir/errors" </dev/null
        status=$?
        # What counts is what was recorded: some launchers fail when all is done.
        if ! [ -s "$dir/calls/0.calls" ]; then
                echo "cannot run, status $status: $*"
                head -n 20 "$dir/errors"
                return 77
        fi
        "$PGAS_ARCHIVE" "$dir/calls" "$dir/trace" || return 2
        # shellcheck disable=SC2086  # several options
        "$PATSCAN" analyze "$dir/trace" --quiet ${PGAS_OPTIONS:-} --report "json:$dir/report.json" || return 2
        python3 "$PGAS_CHECK" "$dir/report.json" "$dir/expected" "$dir/good"
}

command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }
for n in 1 2 3 4; do
        echo "run $n"
        attempt "$@"
        status=$?
        [ "$status" -ne 0 ] || exit 0
        [ "$status" -eq 1 ] || exit "$status"
done
load=$(cut -d . -f 1 /proc/loadavg 2>/dev/null || echo 0)
if [ "$load" -ge $((2 * $(nproc))) ]; then
        echo "no verdict: the machine is too busy, load $load on $(nproc) processors"
        exit 77
fi
exit 1
