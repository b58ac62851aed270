#!/bin/sh
# run.sh MPI CASE - patscan-mpi on several processes of this machine, which has fewer processors: its reports are those of
# patscan, and whatever fails ends it.
set -u
: "${PATSCAN:?}" "${PATSCAN_MPI:?}" "${LAWS:?}" "${MORTAL:?}" "${PATSCAN_SOURCE:?}" "${NUMBERS:?of processes}"
mpi=$1 case=$2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # both MPIs leak
command -v "mpirun.$mpi" >/dev/null && [ -x "$PATSCAN_MPI" ] || { echo "$mpi is not installed"; exit 77; }
. "$PATSCAN_SOURCE/tests/cli/lab.sh"

launch() { # N PROGRAM ARG...
        n=$1
        shift
        if [ "$mpi" = openmpi ]; then set -- --oversubscribe -n "$n" "$@"; else set -- -n "$n" "$@"; fi
        timeout 300 "mpirun.$mpi" "$@" </dev/null
}

# same N ARG...: what patscan writes and how it ends
same() {
        n=$1
        shift
        "$PATSCAN" "$@" >"$dir/alone" 2>"$dir/said"
        wanted=$?
        launch "$n" "$PATSCAN_MPI" "$@" >"$dir/shared" 2>"$dir/err"
        got=$?
        [ "$got" -eq "$wanted" ] || fail "$n processes: exit code $got instead of $wanted: $*"
        cmp -s "$dir/alone" "$dir/shared" || fail "$n processes: another report: $*"
        grep '^patscan:' "$dir/said" >"$dir/said-alone"
        grep '^patscan:' "$dir/err" | cmp -s - "$dir/said-alone" || fail "$n processes: other messages: $*"
}

laws() {
        for n in 1 2 3 4 7; do
                launch "$n" "$LAWS" "$n" || fail "$n processes"
        done
}

reports() {
        for n in $NUMBERS; do
                same "$n" traces/demo --report json
                same "$n" traces/picl/scan.trf --report json --causes none
        done
        same 3 traces/demo
        same 2 info traces/demo/openmp
        same 3 info traces/demo --functions --report json --report text
        same 2 info traces/demo/openmp --functions
        same 3 info traces/demo --profile --bins 7 --functions --report csv --report json
        same 4 info traces/demo --network mesh:2x2
        same 2 info traces/demo/openmp --profile --report html
        same 3 traces/demo/openmp --report json --focus whole-run --clock repair
        same 4 traces/demo --report json --causes none --clock repair
        same 2 traces/demo --report html
        same 3 traces/demo --causes none --report csv --strict
        same 2 traces/picl/scan.trf --report json
        same 3 info traces/picl/scan.trf --profile --report json
        same 3 traces/dvm/jacobi.ptr --report json
        mkdir "$dir/gasp"
        for thread in 0 1 2; do
                awk -v thread=$thread 'BEGIN {
                        for (i = 1; i < 9; i++) {
                                at = sprintf("[f.upc:%d:1] UPC_BARRIER", i)
                                printf "%d/3 %.3f> %s START { 0, 0 }\n", thread, i + thread / 4, at
                                printf "%d/3 %.3f> %s END { 0, 0 }\n", thread, i + 0.7, at
                        }
                }' >"$dir/gasp/gasp_dump.$thread"
        done
        for n in 2 3 4; do
                same "$n" "$dir/gasp" --report json
                same "$n" "$dir/gasp" --report json --causes none # rows stay where they were read
        done
        launch 3 "$PATSCAN_MPI" -v traces/demo --report json:"$dir/report" 2>"$dir/err"
        grep -v -- '^-' "$dir/err" | tail -n 1 |
                grep -Eq '^patscan: exchange: messages 252, crossing [0-9]+, collectives 6, bytes [1-9][0-9]* match, 0 causes, [1-9][0-9]* reading, [1-9][0-9]* sums$' ||
                fail "the last line of -v: $(tail -n 1 "$dir/err")"
        grep -Fq 'patscan: rows: all in process 0, because the run is replayed' "$dir/err" ||
                fail "where rows are: $(grep rows "$dir/err")"
        launch 3 "$PATSCAN_MPI" -v traces/demo --causes none --report json:"$dir/report" 2>"$dir/err"
        grep -Fq 'patscan: rows: where they were read' "$dir/err" || fail "where rows are: $(grep rows "$dir/err")"
        launch 2 "$PATSCAN_MPI" -v traces/demo --causes none --report json:"$dir/report" 2>"$dir/err"
        said=$(grep '^patscan: exchange: ' "$dir/err")
        grep -Fqx -- "    $said" docs/CLUSTER.md || fail "docs/CLUSTER.md says something else than -v: $said"
}

# So long that nothing is replayed: then rows stay where they were read.
causes() {
        "$BENCH" trace "$dir" ring 4200000 >"$dir/where"
        for n in 2 3; do
                same "$n" "$dir/$(cd "$dir" && ls -d ring*/traces.otf2)" --causes 0 --report json
        done
        same 3 "$dir"/ring*/traces.otf2 --causes 0 --report sarif
        "$BENCH" trace "$dir" rare 4200000 >"$dir/where"
        for n in $NUMBERS; do
                same "$n" "$dir/$(cd "$dir" && ls -d rare*/traces.otf2)" --causes 0 --report json
        done
        for kind in ring rare; do
                launch 3 "$PATSCAN_MPI" -v "$dir/$kind"*/traces.otf2 --causes 0 --report json:"$dir/report" 2>"$dir/err"
                grep -Eq ' [1-9][0-9]* causes, ' "$dir/err" ||
                        fail "causes of $kind were found by one process: $(tail -n 1 "$dir/err")"
        done
}

# spent N: millions of instructions of the program, without those of libraries, in all of N processes
spent() {
        rm -f "$dir"/count.*
        launch "$1" valgrind --tool=callgrind --callgrind-out-file="$dir/count.%p" "$PATSCAN_MPI" "$dir"/ring*/traces.otf2 \
                --causes 0 --threads 1 --report json:"$dir/report" 2>"$dir/err" || fail "$1 processes: exit code $?"
        awk 'FNR == 1 { split("", name) }
                /^c?ob=/ {
                        id = substr($0, index($0, "("))
                        number = substr(id, 1, index(id, ")"))
                        if (id != number) name[number] = substr(id, length(number) + 2)
                        if (/^ob=/) object = name[number]
                }
                /^[-+*0-9]/ { if (!is_call && object ~ /patscan-mpi/) sum += $2; is_call = 0 }
                /^calls=/ { is_call = 1 }
                END { printf "%.0f\n", sum / 1000000 }' "$dir"/count.*
}

# What several processes take more than one, of the run in which most messages cross from one to another.
instructions() {
        command -v valgrind >/dev/null || { echo 'there is no valgrind'; exit 77; }
        "$BENCH" trace "$dir" ring 4200000 >"$dir/where"
        one=$(spent 1)
        for limit in 2:122 4:134; do
                n=${limit%:*} all=$(spent "${limit%:*}")
                percent=$((100 * all / one))
                echo "$n processes: $all M instructions, one: $one M, $percent %"
                [ "$percent" -le "${limit#*:}" ] || fail "$n processes: $percent % of the instructions of one"
        done
}

# What goes through all rows borrows those of others; of runs of any length where nothing is replayed.
exports() {
        "$BENCH" trace "$dir" ring 200000 >"$dir/where"
        "$BENCH" trace "$dir" rare 200000 >"$dir/where"
        for format in jsonl perfetto sqlite html csv.queues; do
                same 3 traces/demo --report "$format" --causes none
                same 2 "$dir"/ring*/traces.otf2 --causes none --report "$format"
                same 4 "$dir"/rare*/traces.otf2 --causes none --report "$format"
        done
        same 3 "$dir"/ring*/traces.otf2 --causes none --master 1 --report jsonl
        # Many locations, most of which have a finding whose partner is elsewhere.
        "$BENCH" trace "$dir" crowd 200000 >"$dir/where"
        for format in json perfetto sarif; do
                same 4 "$dir"/crowd*/traces.otf2 --causes none --report "$format"
        done
        ends 5 'No space left' 3 "$PATSCAN_MPI" "$dir"/ring*/traces.otf2 --causes none --report jsonl:/dev/full
        "$BENCH" trace "$dir" ring 3400000 >"$dir/where"
        same 2 "$dir"/ring-3400000*/traces.otf2 --causes 0 --report perfetto
}

damage() {
        for file in 0.evt 3.evt; do
                cp -r traces/demo "$dir/bad"
                truncate -s 1000 "$dir/bad/traces/$file"
                same 3 "$dir/bad" --report json
                same 3 info "$dir/bad"
                rm "$dir/bad/traces/$file"
                same 3 "$dir/bad" --report json --allow-partial
                same 2 "$dir/bad" --strict
                rm -r "$dir/bad"
        done
        for bytes in 0 100 700 1500; do
                head -c "$bytes" traces/picl/scan.trf >"$dir/bad.trf"
                same 3 "$dir/bad.trf" --report json
                sed "s/ [0-9]/ $((bytes % 9))/2" traces/picl/scan.trf >"$dir/bad.trf"
                same 3 "$dir/bad.trf" --report json --causes none
                same 2 "$dir/bad.trf" --strict
        done
}

# ends CODE SAID N ARG...
ends() {
        code=$1 said=$2
        shift 2
        launch "$@" >"$dir/out" 2>"$dir/err"
        got=$?
        [ "$got" -eq "$code" ] || fail "exit code $got instead of $code: $*"
        grep -qF -- "$said" "$dir/err" || fail "did not say: $said: $*"
        [ "$(grep -c '^patscan: error' "$dir/err")" -le 1 ] || fail "said it more than once: $*"
        [ ! -s "$dir/out" ] || fail "printed something: $*"
}

exits() {
        other=$(dirname "$PATSCAN_MPI")/patscan-mpi-$([ "$mpi" = openmpi ] && echo mpich || echo openmpi)
        [ ! -x "$other" ] || ends 2 'started by another MPI than it was built with' 3 "$other" traces/demo
        ends 2 'patscan-mpi only analyses a trace or shows what it holds: command="dump"' 3 "$PATSCAN_MPI" dump traces/demo
        ends 2 'unknown option' 2 "$PATSCAN_MPI" traces/demo --nonsense
        ends 3 'No such file' 2 "$PATSCAN_MPI" "$dir/none"
        ends 1 'limit exceeded' 3 "$PATSCAN_MPI" traces/demo --fail-on 'total>0%' --report json:"$dir/report"
        ends 5 'No space left' 2 "$PATSCAN_MPI" traces/demo --report json:/dev/full
        launch 2 "$PATSCAN_MPI" --version 2>"$dir/err" | grep -q '^patscan ' || fail 'no version'
        launch 2 "$PATSCAN_MPI" --help >"$dir/out"
        commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$dir/out" | xargs)
        [ "$commands" = 'analyze info help version' ] || fail "--help tells of commands: $commands"
        launch 2 "$PATSCAN_MPI" info --help | grep -q '^Usage: patscan-mpi info TRACE' || fail 'no help for a command'
}

# Who is killed while he reads takes all others with him, at once, and no report is left.
killed() {
        for n in 2 3 7; do
                began=$(date +%s)
                launch "$n" "$MORTAL" traces/demo --report json:"$dir/report" --report text >"$dir/out" 2>"$dir/err"
                got=$?
                took=$(($(date +%s) - began))
                [ "$got" -ne 0 ] || fail "$n processes: one was killed, and the exit code is 0"
                [ "$took" -le 30 ] || fail "$n processes: they ended $took s after one was killed"
                [ -z "$(ls "$dir" | grep -v -e '^out$' -e '^err$')" ] || fail "$n processes: left behind: $(ls "$dir")"
                grep -q '[{]\|lost' "$dir/out" && fail "$n processes: there is a report"
        done
}

# Who waits for long says so, although no launcher leaves programs a terminal, and not each second.
slow() {
        "$PATSCAN" traces/demo --report json >"$dir/alone"
        SLEEPS=12 launch 3 "$MORTAL" traces/demo --report json >"$dir/shared" 2>"$dir/err" || fail "exit code $?"
        cmp -s "$dir/alone" "$dir/shared" || fail 'another report'
        [ "$(grep -c '^patscan: waiting for process 1 for 10 s$' "$dir/err")" -eq 1 ] || fail "said: $(cat "$dir/err")"
        [ "$(grep -c '^patscan: waiting' "$dir/err")" -eq 1 ] || fail "said more than once: $(cat "$dir/err")"
}

$case
exit $bad
