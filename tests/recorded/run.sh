#!/bin/sh
# run.sh - builds programs with an MPI, records them, and compares what was recorded with what they did:
# `run.sh NAME CASE`, NAME being openmpi or mpich. CASE is calls, families, threads, killed, hung, lines, named, status, scaling, or fortran and a kind (see calls.F90).
#
# PATSCAN is the program, RECORD_SOURCE the folder of this script. 77: the MPI or a tool is not installed. The machine may be
# busy, so that times need to be right in one run of four only.
. "${0%/*}/common.sh"

record() { # arguments of the program
        # shellcheck disable=SC2086  # several options
        timeout 100 "$PATSCAN" record -- $launch ./calls "$@" >/dev/null 2>errors </dev/null
}

# The trace itself must be without a flaw, too.
has_no_issues() {
        "$PATSCAN" info calls.otf2 --quiet --report json:info.json &&
                python3 -c 'import json, sys
issues = json.load(open("info.json"))["issues"]
print(*issues, sep="\n")
sys.exit(bool(issues))'
}

compare() { # arguments of the program; what it says stands in `said` if it cannot say it itself
        for n in 1 2 3 4; do
                echo "run $n"
                record "$@" || fail "status $? of the recorded program"
                has_no_issues || fail "the trace has issues"
                [ -n "$said" ] || cat said.[0-9] >expected
                python3 "$RECORD_SOURCE/check.py" calls.otf2/traces.otf2 "${said:-expected}" && return 0
        done
        return 1
}

# In each of the four topologies of families.c rank r gets data from ranks r - 1 and r + 1 of 4.
has_neighbours() {
        otf2-print -G calls.otf2/traces.otf2 | sed -n 's/.*MPI Rank \([0-9]*\)".*"PATSCAN::NEIGHBOURS:\([0-9]*\)".*Value: "\([0-9 ]*\)".*/\1 \2 \3/p' |
                awk '{ n[$2]++; bad += NF != 4 || $3 == $4 || ($3 + 5 - $1) % 4 % 2 || ($4 + 5 - $1) % 4 % 2 }
                        END { for (comm in n) { comms++; bad += n[comm] != 4 } exit bad || comms != 4 }'
}

build_c() { "mpicc.$mpi" -g -O2 -w "-I$RECORD_SOURCE/../.." "$RECORD_SOURCE/${1:-calls}.c" -o calls -lpthread || fail "cannot compile"; }

build_fortran() { # kind
        "mpif90.$mpi" -g -O2 -w -fallow-argument-mismatch "-DKIND=$1" "$RECORD_SOURCE/calls.F90" -o calls 2>errors ||
                fail "cannot compile"
}

# Launchers do not wait for those that they kill.
kill_ranks() { # the recording
        # shellcheck disable=SC2046
        kill -KILL $(sed -n 's/^process [0-9]* [0-9]* \([0-9]*\) .*/\1/p' "$1"/recording.*/*.defs) 2>/dev/null
        sleep 0.5
}

# Everything is killed, the launcher too; what is left is finished by whoever looks at it first.
kill_all() {
        # shellcheck disable=SC2086
        setsid $launch "$PATSCAN" record -- ./calls forever >expected 2>errors </dev/null &
        launcher=$!
        for _ in $(seq 100); do
                sleep 0.1
                ls calls.otf2/recording.*/3.0.rows >/dev/null 2>&1 && break
        done
        sleep 1
        "$PATSCAN" info calls.otf2 >/dev/null 2>errors && fail "a run that goes on was finished"
        kill -KILL $launcher
        kill_ranks calls.otf2
        "$PATSCAN" info calls.otf2 --report json:info.json 2>errors || fail "cannot be finished"
        grep -q 'had been left unfinished' errors || fail "nothing was said of it"
        otf2-print calls.otf2/traces.otf2 >events 2>errors || fail "otf2-print cannot read it"
        [ -s errors ] && fail "otf2-print warns"
        [ "$(grep -c MPI_SEND events)" -gt 100 ] || fail "hardly anything was recorded"
}

# A program that hangs or dies, and what the report says of it first. It hangs soon after all ranks have written rows.
never_ends() { # how, a regular expression
        rm -rf hung.otf2
        # shellcheck disable=SC2086
        timeout -k 5 20 $launch "$PATSCAN" record -- ./hung "$1" >/dev/null 2>errors </dev/null &
        launcher=$!
        for _ in $(seq 100); do
                sleep 0.1
                [ "$(find hung.otf2 -name '*.rows' 2>/dev/null | wc -l)" != 4 ] || break
        done
        sleep 1
        kill $launcher 2>/dev/null
        wait $launcher
        kill_ranks hung.otf2
        "$PATSCAN" hung.otf2 --quiet --report markdown 2>errors | tr '\n' ' ' >told
        grep -q "The run did not finish: .*$2" told || fail "$1: $(cut -c1-600 told)"
        "$PATSCAN" info hung.otf2 --quiet --report json | grep -q '"finished":[[:space:]]*false' || fail "$1 is said to have finished"
}

# Runs of scaling.c on 2, 4 and 8 processes, for a reason that it is given, and what `scale` says of them.
record_sizes() { # why, "weak" or nothing
        for n in 2 4 8; do
                # shellcheck disable=SC2086
                timeout 100 "$PATSCAN" record -o "$n.otf2" -- ${launch% *} $n ./scaling "$1" $2 >/dev/null 2>errors </dev/null ||
                        fail "status $? of the recorded program"
                "$PATSCAN" "$n.otf2" --quiet --report "json:$n.json" 2>errors || fail "cannot be analysed"
        done
}

does_not_scale() { # why, "weak" or nothing, what limits it and the function
        option=${2:+--weak}
        for run in 1 2 3 4; do
                echo "$*: run $run"
                record_sizes "$1" "$2"
                # shellcheck disable=SC2086
                "$PATSCAN" scale $option 8.otf2 2.otf2 4.otf2 --quiet --report json:scale.json --report html:scale.html 2>errors &&
                        "$PATSCAN" scale $option 2.json 4.json 8.json --quiet --report json:saved.json 2>errors &&
                        "$PATSCAN" scale $option 2.otf2 8.otf2 --quiet --report json:two.json 2>errors &&
                        "$PATSCAN" compare $option 2.otf2 8.otf2 --quiet --allow-partial --report json:compared.json 2>errors ||
                        fail "status $?"
                python3 "$RECORD_SOURCE/check_scaling.py" "$3" "$4" && return 0
        done
        fail "another culprit"
}

# Programs that are built in several ways, and whether their calls are recorded from the lines that they stand in.
build_lines() { # options of the compiler
        for part in plugin1 plugin2 shared; do
                "mpicc.$mpi" "$@" -w -shared -fPIC "$lines/$part.c" -o "lib$part.so" || fail "cannot compile"
        done
        "mpicxx.$mpi" "$@" -w -c "$lines/cxx.cpp" && "mpicc.$mpi" "$@" -w -c "$lines/program.c" &&
                "mpicxx.$mpi" "$@" program.o cxx.o -L. -lshared "-Wl,-rpath,$dir" -ldl -o program || fail "cannot link"
}

split_off() { # debug information goes into files of its own
        for part in program libshared.so libplugin1.so libplugin2.so; do
                objcopy --only-keep-debug "$part" "$part.debug" && strip "$part" &&
                        objcopy --add-gnu-debuglink="$part.debug" "$part" || fail "cannot split"
        done
}

check_lines() { # name, options of patscan; of what was built last
        name=$1
        shift
        "$PATSCAN" record "$@" -o "$name.otf2" -- ${launch% *} 1 ./program ./libplugin1.so ./libplugin2.so >/dev/null 2>errors </dev/null ||
                fail "status $?"
        python3 "$RECORD_SOURCE/check_lines.py" --paths "$name.otf2" "$lines"/*.c "$lines"/*.cpp | tee -a shares
}

build_named() { "mpicc.$mpi" -g -O2 -w "$@" "-I$RECORD_SOURCE/../../include" "$RECORD_SOURCE/named.c" -o named -lpthread || fail "cannot compile"; }

record_named() { # what, options of patscan
        what=$1
        shift
        # shellcheck disable=SC2086
        "$PATSCAN" record "$@" -o named.otf2 -- ${launch% *} 2 ./named "$what" >/dev/null 2>errors </dev/null || fail "$what: status $?"
}

# What nobody instrumented has a name, by looking where it is: in the second of two runs at the latest, as machines are busy.
samples_name_causes() { # options of patscan, what is told
        told=$1
        shift
        for _ in 1 2 3 4; do
                record_named samples --sample 250 "$@"
                "$PATSCAN" named.otf2 --quiet --report markdown 2>errors | tr '\n' ' ' >report
                grep -q 'Rank 1 [^.]* in relax' report && grep -q "$told" report && grep -q 'relax, sampled every' report && return 0
        done
        fail "nothing is told of relax: $(cut -c1-400 report)"
}

has_status() { # expected, a command
        expected=$1
        shift
        timeout 60 "$@" >out 2>errors </dev/null
        status=$?
        [ $status = "$expected" ] || fail "status $status, not $expected, of $*"
}

said=
lines=$RECORD_SOURCE/lines
case $case in
calls)
        build_c
        compare
        ;;
families)
        build_c families
        compare
        has_neighbours || fail "who is whose neighbour is not told as it was"
        ;;
threads)
        build_c
        compare threads
        ;;
fortran*)
        need "mpif90.$mpi"
        kind=${case#fortran}
        build_fortran "$kind"
        awk -v "not=not$kind" '{ if (match($0, /!@ /)) { split(substr($0, RSTART + 3), w, " ")
                for (r = 0; r < 4 && !index(w[3], not); r++) print "call", r, w[1], NR, w[2], "-1" } }' "$RECORD_SOURCE/calls.F90" >said
        said=said
        compare
        ;;
killed)
        build_c
        kill_all
        ;;
hung)
        "mpicc.$mpi" -g -O0 -w "$RECORD_SOURCE/hung.c" -o hung || fail "cannot compile"
        never_ends circle 'rank 0 waits in MPI_Recv ([^;]*hung.c:[0-9]*) for rank 1; rank 1 [^;]* for rank 2; rank 2 [^;]* for rank 3; rank 3 [^;]* for rank 0, a circle'
        never_ends request 'rank 1 waits in MPI_Waitall ([^;]*hung.c:[0-9]*) for rank 3'
        never_ends barrier 'ranks 0, 2 and 3 wait in MPI_Barrier ([^;]*hung.c:[0-9]*) for rank 1; rank 1 was in no call: [^;]* after MPI_Bcast ([^;]*hung.c:[0-9]*)'
        never_ends abort 'rank 1 called MPI_Abort ([^;]*hung.c:[0-9]*)'
        never_ends part 'rank 1 waits in MPI_Allreduce ([^;]*hung.c:[0-9]*) for rank 3; rank 2 waits in MPI_Probe ([^;]*hung.c:[0-9]*) for rank 0'
        ;;
lines)
        build_lines -g -O2
        check_lines plain --unwind 20
        [ "$mpi" = mpich ] || split_off
        check_lines split --unwind 20
        if [ "$mpi" = openmpi ]; then
                build_lines -g -O2 -no-pie -gdwarf-4
                check_lines no-pie --unwind 20
                build_lines -g -O3 -gsplit-dwarf
                check_lines dwo --unwind 20
                if command -v clang >/dev/null && command -v clang++ >/dev/null; then
                        OMPI_CC=clang OMPI_CXX=clang++ build_lines -g -O2
                        check_lines clang --unwind 20
                fi
        fi
        for kind in 1 2 3; do
                command -v "mpif90.$mpi" >/dev/null || continue
                build_fortran $kind
                # shellcheck disable=SC2086
                "$PATSCAN" record -o "fortran$kind.otf2" -- $launch ./calls >/dev/null 2>errors </dev/null || fail "status $?"
                python3 "$RECORD_SOURCE/check_lines.py" "fortran$kind.otf2" "$RECORD_SOURCE/calls.F90" | tee -a shares
        done
        awk '/ sites, / { all += $1; bad += $3 } END { print all " call sites, " bad " not right"; exit !(all > 100 && bad <= all / 100) }' shares ||
                fail "fewer than 99 % of all call sites are right"
        ;;
named)
        build_named
        record_named regions
        python3 "$RECORD_SOURCE/check_regions.py" named.otf2 || fail "regions differ"
        build_named -no-pie -fno-pie
        record_named regions
        python3 "$RECORD_SOURCE/check_regions.py" named.otf2 || fail "regions of a program at a fixed address differ"
        record_named control
        [ "$(otf2-print -L 0 named.otf2/traces.otf2 | grep -c MEASUREMENT_ON_OFF)" = 4 ] || fail "not switched off and on"
        [ "$(otf2-print -L 0 named.otf2/traces.otf2 | grep -c 'CALLING_CONTEXT_ENTER.*MPI_Barrier')" = 4 ] || fail "other calls are recorded"
        samples_name_causes relax
        samples_name_causes '.main. > .samples. > .relax.' --unwind 9
        # shellcheck disable=SC2086
        "$PATSCAN" run -o run.otf2 --report csv:run.csv -- ${launch% *} 2 ./named samples >/dev/null 2>errors </dev/null || fail "run: status $?"
        grep -q 'main > samples > meet > MPI_Barrier' run.csv || fail "run tells nothing of the functions around calls: $(head -2 run.csv)"
        ;;
status)
        "mpicc.$mpi" -g -O0 -w "$RECORD_SOURCE/hung.c" -o hung || fail "cannot compile"
        touch hung.c
        run="${launch% *} 2"
        # shellcheck disable=SC2086
        {
                has_status 127 "$PATSCAN" record -- ./nothing
                has_status 126 "$PATSCAN" record -- ./hung.c
                has_status 126 "$PATSCAN" record -- "$PWD"
                has_status 127 "$PATSCAN" record -- hung.c
                has_status 127 "$PATSCAN" run -- ./nothing
                [ ! -e nothing.otf2 ] || fail "a folder is left of a program that is not there"
                has_status 125 "$PATSCAN" record -o no/such -- $run ./hung
                has_status 125 "$PATSCAN" run -o no/such -- $run ./hung
                mkdir full && touch full/thing
                has_status 2 "$PATSCAN" record -o full -- $run ./hung
                [ -e full/thing ] || fail "what was there is gone"
                has_status 0 "$PATSCAN" record -- $run ./hung
                has_status 0 "$PATSCAN" run -o 'a run' -- $run ./hung
                tail -n 1 out | grep -qx "In a browser: file://$dir/a%20run/report.html" || fail "the page is not told"
                grep -q '</html>' 'a run/report.html' || fail "there is no page"
                has_status 0 "$PATSCAN" run --report json:ended.json -o 'a run' -- $run ./hung
                [ ! -e 'a run/report.html' ] || fail "the page of another recording is left"
                has_status 0 "$PATSCAN" run --report json:ended.json -- $run ./hung
                [ ! -e hung.otf2/report.html ] || fail "a page that nobody wants"
                has_status 1 "$PATSCAN" run --fail-on 'total>=0us' --report json:ended.json -- $run ./hung
                [ -s out ] && fail "the report came twice"
                has_status 7 "$PATSCAN" record -- $run sh -c './hung; exit 7'
                has_status 4 "$PATSCAN" run --max-size 1 -- $run ./hung
                grep -q 'incomplete.*--max-size.*rank' errors || fail "nothing is said of ranks without rows"
        }
        ;;
scaling)
        "mpicc.$mpi" -g -O2 -w "$RECORD_SOURCE/scaling.c" -o scaling || fail "cannot compile"
        for weak in "" weak; do
                does_not_scale repeated "$weak" computation assemble
                does_not_scale alone "$weak" alone report
                does_not_scale uneven "$weak" imbalance refine
                does_not_scale transfer "$weak" transfer MPI_Alltoall
        done
        "$PATSCAN" 8.otf2 --quiet --report markdown >told 2>errors
        grep -q '[a-z], between calls' told || fail "no function is told for what lies between calls"
        ! grep -q 'outside of all' told || fail "functions are told twice"
        ;;
esac
