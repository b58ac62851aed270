#!/bin/sh
# survive.sh - whatever a recorded program does, it does the same as without the recorder, and whatever happens to a recording, what
# is left of it can be read: `survive.sh NAME CASE`, NAME being openmpi or mpich. CASE is hostile, full, limits, launchers, part, killed,
# planted, plants or nodes. See run.sh.
. "${0%/*}/common.sh"

build() { # source, further arguments
        source=$1
        shift
        "mpicc.$mpi" -g -O1 -w "$RECORD_SOURCE/$source.c" -o "$source" "$@" || fail "cannot compile"
}

# The trace is there, is right in itself, and tells of so many calls at least.
is_readable() { # archive, how many
        "$PATSCAN" info "$1" --quiet --allow-partial --report json:info.json 2>errors
        status=$?
        [ $status = 0 ] || { [ "$2" = 0 ] && [ $status = 4 ]; } || fail "$1: status $status of info"
        otf2-print "$1/traces.otf2" >events 2>errors || fail "$1: otf2-print cannot read it"
        [ -s errors ] && fail "$1: otf2-print warns"
        [ "$(grep -c CONTEXT_ENTER events)" -ge "$2" ] || fail "$1: $(grep -c CONTEXT_ENTER events) calls were recorded"
}

# The program alone, then with the recorder: the same output, the same status. $told: what is said on the standard error.
same() { # how, how many calls
        how=$1
        # shellcheck disable=SC2086
        [ -e "alone.$how" ] || {
                timeout -k 1 60 $launch ./hostile "$how" >alone 2>/dev/null </dev/null
                echo $? >status && mv alone "alone.$how" && mv status "status.$how"
        }
        read -r status <"status.$how"
        # shellcheck disable=SC2086
        timeout -k 1 60 "$PATSCAN" record $options -- $launch ./hostile "$how" >recorded 2>errors </dev/null
        again=$?
        [ "$status" = "$again" ] || fail "$how: status $again, not $status"
        grep -v '^patscan: note' errors | grep '^patscan:' >said
        cmp "alone.$how" recorded || fail "$how: it printed something else"
        if [ -n "$told" ]; then
                grep -q "$told" said || fail "$how: nothing was said of it"
        else
                [ -s said ] && fail "$how: something is said to be wrong"
        fi
        [ "$2" = 0 ] || is_readable hostile.otf2 "$2"
}

hostile() {
        build hostile -lpthread
        # Two for each one of `exchange`, and Init and Finalize, on two ranks.
        same all 68406
        same addresses 20004
        same abort 4004
        same fail 4004
        same exit 4004
        told='files may not be so large (ulimit -f): 2 threads'
        same files 3000
        told=
        # The linker of programs that have more rights than who calls them preloads nothing.
        [ "$(id -u)" = 0 ] && [ "$mpi" = mpich ] || return 0 # Open MPI's launcher hangs then
        chgrp nogroup hostile && chmod g+s hostile || return 0
        told='nothing was recorded'
        rm -rf hostile.otf2
        same nothing 0
        [ -e hostile.otf2 ] && fail "a folder without a recording was left"
        told=
}

full() {
        build hostile -lpthread
        cc -shared -fPIC -w "$RECORD_SOURCE/full.c" -o full.so -ldl || fail "cannot compile"
        for FULL_AFTER in 50000 66000 80000 250000; do
                export FULL_AFTER
                rm -rf hostile.otf2
                LD_PRELOAD=$dir/full.so
                export LD_PRELOAD
                told='the disk was full'
                [ $FULL_AFTER -gt 66000 ] || told='nothing was recorded\|the disk was full'
                same nothing 0
                unset LD_PRELOAD
                [ $FULL_AFTER -le 66000 ] || is_readable hostile.otf2 0
        done
        [ "$(grep -c CONTEXT_ENTER events)" -gt 1000 ] || fail "hardly anything was recorded"
        # A disk that really is full: room for the archive is kept from the start.
        unshare -m true 2>/dev/null || return 0
        rm -rf hostile.otf2 && mkdir small
        options="-o $dir/small/hostile.otf2"
        unshare -m sh -c 'mount -t tmpfs -o size=1m none small && "$@" && cp -r small/hostile.otf2 .' sh \
                timeout -k 1 60 "$PATSCAN" record -o "$dir/small/hostile.otf2" -- $launch ./hostile nothing >recorded 2>errors </dev/null ||
                fail "status $? on a small disk"
        cmp "alone.$how" recorded || fail "it printed something else on a small disk"
        grep -q 'incomplete: the disk was full' errors || fail "nothing was said of a small disk"
        is_readable hostile.otf2 1000
        options=
}

refused() { # what is said, options
        said=$1
        shift
        "$PATSCAN" record "$@" -- $launch ./hostile fail >/dev/null 2>errors </dev/null
        status=$?
        [ $status = 2 ] || fail "$*: status $status"
        grep -q -e "$said" errors || fail "$*: another error"
}

n_calls() { # of a rank
        otf2-print -L "$1" hostile.otf2/traces.otf2 2>/dev/null | grep -c CONTEXT_ENTER
}

limits() {
        build hostile -lpthread
        told='incomplete: --max-size was reached: 2 threads, rank 0 first'
        for size in 1 100k; do
                options="--max-size $size"
                same nothing 0
                [ "$(du -s --apparent-size -k hostile.otf2/traces | cut -f1)" -le 300 ] || fail "--max-size $size: too much"
                is_readable hostile.otf2 0
        done
        told=
        options='--max-size 9999999T'
        refused '--max-size needs a size' --max-size 9999999T
        refused '--max-size needs a size' --max-size -1
        refused '--max-size needs a size' --max-size 0
        refused '--max-size needs a size' --max-size 5X
        refused '--max-size needs a size' --max-size ''
        refused '--buffer needs a size' --buffer 18446744073709551616
        refused '--for' --for yesterday
        refused '--ranks' --ranks 3-1
        refused '--ranks' --ranks x
        options='--buffer 1'
        same nothing 20004
        # More than there can be on any disk ends the recording, not the program.
        options='--buffer 1000000T'
        told=incomplete
        same nothing 0
        told=
        options='--ranks 1'
        same nothing 10002
        [ "$(n_calls 0)" = 0 ] || fail "rank 0 was recorded"
        options='--ranks 0,1-4000000000'
        same nothing 20004
        options='--from 1000s'
        same nothing 0
        options='--for 0s'
        same nothing 0
        [ "$(n_calls 0)" -lt 10 ] || fail "it was recorded for more than no time"
        options=
        # An older recording stays until the new one is whole; what is none stays anyway.
        same fail 4004
        n=$(grep -c CONTEXT_ENTER events)
        "$PATSCAN" record -o hostile.otf2 -- false 2>errors
        is_readable hostile.otf2 "$n"
        mkdir other && touch other/letter
        refused 'only a recording may be replaced' -o other
        refused 'only a recording may be replaced' -o other/letter
        [ -e other/letter ] || fail "a file of somebody is gone"
}

# A stand-in for Slurm's launcher: all that is not for it goes to the program.
stand_in() {
        cat >srun <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do
        case $1 in
        -n) n=$2 && shift 2 ;;
        -p | --mpi | --cpu-bind | --mem-per-cpu | -J) shift 2 ;;
        *) shift ;;
        esac
done
export SLURM_PROCID=0
exec LAUNCH -n "$n" "$@"
END
        sed -i "s|LAUNCH|${launch% -n *}|" srun && chmod +x srun
}

launchers() {
        build hostile -lpthread
        stand_in
        run=$launch
        for launch in "./srun -p short --mpi pmi2 --cpu-bind cores --mem-per-cpu 2G -J name --exclusive -n 2" "timeout 50 $run" \
                "env SOME=1 $run" "$run env SOME=1"; do
                rm -rf hostile.otf2 env.otf2
                options="-o hostile.otf2"
                same nothing 20004
        done
        launch=$run
        # Some rank is not recorded: who is said.
        cat >part <<'END'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK}}" = 1 ] || exec ./hostile "$1"
exec ./hostile "$1"
END
        chmod +x part
        # shellcheck disable=SC2086
        for first in "$PATSCAN record -o hostile.otf2 -- $run ./part nothing" "$run $PATSCAN record -o hostile.otf2 -- ./part nothing"; do
                rm -rf hostile.otf2
                timeout -k 1 60 $first >recorded 2>errors </dev/null || fail "status $? of a script"
                is_readable hostile.otf2 20004
        done
}

# It says so instead of waiting for the others.
only_a_part() { # what is said, a program
        said=$1
        shift
        # shellcheck disable=SC2086
        timeout -k 1 60 ${launch% *} 1 "$@" ./hostile nothing : -n 1 ./hostile nothing >out 2>errors </dev/null
        status=$?
        grep -q "$said" errors out || fail "status $status, but of '$said' nothing is said, only: $(cat errors)"
}

part() {
        build hostile -lpthread
        only_a_part 'nothing is recorded, because only some programs' "$PATSCAN" record --
        [ $status = 0 ] || fail "status $status of a program that is not recorded"
        printf '#!/bin/sh\nexec "%s" record -- "$@"\n' "$PATSCAN" >wrapped && chmod +x wrapped
        PATSCAN_RECORD_PATIENCE=1
        export PATSCAN_RECORD_PATIENCE
        only_a_part 'has waited 1 s for all others' ./wrapped
        unset PATSCAN_RECORD_PATIENCE
        [ $status != 0 ] && [ $status != 124 ] || fail "status $status of a recording that cannot begin"
}

killed() {
        "mpicc.$mpi" -g -O1 -w "$RECORD_SOURCE/endless.c" -o "endless-$mpi" || fail "cannot compile"
        n=12
        [ "$mpi" = mpich ] || n=6 # it starts slowly
        python3 "$RECORD_SOURCE/../../tools/kill-recordings.py" $n 20 "$mpi" || exit 1
}

# Two nodes on one machine: the second has another name, and a clock that is 1,000 s ahead.
nodes() {
        [ "$mpi" = mpich ] || { echo "its launcher wants hosts that have names"; exit 77; }
        unshare --uts --time --monotonic 1000 --fork true 2>/dev/null || { echo "there may be no second clock here"; exit 77; }
        build planted
        cat >agent <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
[ "$host" = 127.0.0.3 ] || exec sh -c "$*"
exec unshare --uts --time --monotonic 1000 --fork sh -c "hostname second; $*"
END
        chmod +x agent
        launch="mpirun.$mpi -launcher ssh -launcher-exec $dir/agent -hosts 127.0.0.2,127.0.0.3 -n 4"
        for PATSCAN_RECORD_CLOCK in tsc monotonic; do
                export PATSCAN_RECORD_CLOCK
                finds_what_was_planted is_second_far
                grep -q '"nodes":[[:space:]]*2' info.json || fail "there are not two nodes"
        done
}

is_second_far() {
        otf2-print -C planted.otf2/traces.otf2 | sed -n 's/.*Offset: \([-+0-9]*\),.*/\1/p' | tee offsets |
                awk '$1 != 0 { d = $1 + 1000000000000; if (d > 50000 || d < -50000) bad = 1; n++ } END { exit bad || n != 4 }' ||
                { echo "offsets: $(tr '\n' ' ' <offsets)"; return 1; }
}

# The machine may be busy: what was planted is right in one run of four.
finds_what_was_planted() { # what else must hold
        for n in 1 2 3 4; do
                # shellcheck disable=SC2086
                timeout -k 1 60 "$PATSCAN" record -- $launch ./planted >/dev/null 2>errors </dev/null || fail "status $?"
                "$PATSCAN" info planted.otf2 --quiet --report json:info.json || fail "the trace has issues"
                "$PATSCAN" planted.otf2 --quiet --report json:report.json || fail "status $? of the analysis"
                python3 "$RECORD_SOURCE/check_planted.py" report.json planted.[0-9] && ${1:-true} && return 0
        done
        fail "other waits than those that were planted"
}

planted() {
        build planted
        finds_what_was_planted
}

# Runs with so many ranks, rounds and microseconds of delay until every number has been right in one of them; "-": what waits they
# have is not looked at. By hand: testloop frees a request of Isend in each round of each rank but one, and unrecv
# one a rank of a receive that it has cancelled; that sends one message a rank which nobody receives.
plants_are_right() { # ranks, rounds, delay, report or "-"
        : >right
        for n in 1 2 3 4 5 6; do
                rm -f said.?
                # shellcheck disable=SC2086
                timeout -k 1 100 "$PATSCAN" record -- ${launch% *} "$1" ./plants "$2" "$3" >/dev/null 2>errors </dev/null || fail "status $?"
                "$PATSCAN" plants.otf2 --quiet --allow-partial --report json:report.json
                python3 -c 'import json, sys
n, rounds = int(sys.argv[1]), int(sys.argv[2])
found = json.load(open("report.json"))
issues = {issue["kind"]: issue["count"] for issue in found["issues"]}
trace = found["trace"]
sys.exit(issues != {"open-request": (n - 1) * rounds + n, "unmatched-send": n} or trace["receives_unmatched"] or not trace["finished"])' "$1" "$2" ||
                        fail "other issues than the program has"
                python3 "$RECORD_SOURCE/check_plants.py" plants.otf2/traces.otf2 "$4" lines.c "$2" "$3" right said.? && return 0
                status=$?
        done
        [ $status = 3 ] || exit 1
        echo "what was waited is not judged: in no run all ranks were woken in time"
}

# Ranks of MPICH keep a processor while they wait, so that of four on two processors nobody can tell what they wait.
# PLANTS, such as "10 20000": the rounds and the delay.
plants() {
        for source in "${PATSCAN_CORPUS:-.}/plant.c" "$RECORD_SOURCE"/../../../*/corpus/plant.c; do
                [ ! -e "$source" ] || break
        done
        [ -e "$source" ] || { echo "there is no corpus"; exit 77; }
        sed '/^#/!s/;/;\n/g' "$source" >lines.c
        "mpicc.$mpi" -g -O1 -w -fopenmp -DPLANT="\"$dir/lines.c\"" "$RECORD_SOURCE/plants.c" -o plants -lpthread || fail "cannot compile"
        # shellcheck disable=SC2086
        if [ "$mpi" = openmpi ]; then
                plants_are_right 4 ${PLANTS:-3 5000} report.json
        else
                plants_are_right 4 ${PLANTS:-3 3000} -
                plants_are_right 2 ${PLANTS:-3 20000} report.json
        fi
}

case $case in
nodes | planted | plants) "$case" ;;
hostile | full | limits | launchers | part | killed)
        options=
        told=
        launch=$(echo "$launch" | sed 's/-n 4/-n 2/')
        "$case"
        ;;
*) fail "no such case" ;;
esac
