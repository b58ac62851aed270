#!/bin/sh
# test_pipes.sh - what comes through pipes is read like files, however often a command looks at it.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"

"$PATSCAN" bmf traces/bmf/reverse.bmf --unit 1us --transport 16 -o "$dir/a.trf" >/dev/null
"$PATSCAN" bmf traces/bmf/reverse.bmf --unit 1us --transport 30 -o "$dir/b.trf" >/dev/null
for side in a b; do "$PATSCAN" "$dir/$side.trf" -q --report json:"$dir/$side.json" || fail "no report of $side"; done
echo '{ "model": "hockney", "latency_s": 5e-6, "bandwidth_bytes_per_s": 1e9 }' >"$dir/machine.json"

# fed EXPECTED COMMAND...: FIFO in the command is a pipe through which $1 comes, and the output the same as with the file
fed() {
        file=$1
        shift
        rm -f "$dir/fifo"
        mkfifo "$dir/fifo"
        (exec 3>"$dir/fifo" && cat "$file" >&3) &
        feeder=$!
        timeout 20 "$PATSCAN" "$@" >"$dir/piped" 2>"$dir/err" || fail "code $?: patscan $*: $(head -n 1 "$dir/err")"
        kill "$feeder" 2>/dev/null
        sed "s|/dev/fd/[0-9]*|PATH|g; s|$dir/fifo|PATH|g; /calibrated by/d" "$dir/piped" >"$dir/got"
        set -- $(echo "$*" | sed "s|$dir/fifo|$file|g")
        "$PATSCAN" "$@" 2>/dev/null | sed "s|$file|PATH|g; /calibrated by/d" >"$dir/expected"
        [ -s "$dir/expected" ] || fail "nothing: patscan $*"
        # the column of a path is as wide as the path
        for x in got expected; do tr -s ' \n' ' ' <"$dir/$x" >"$dir/$x.words"; done
        cmp -s "$dir/got.words" "$dir/expected.words" || { fail "another output: patscan $*"; diff "$dir/expected" "$dir/got" | head -n 5; }
}

fed "$dir/a.trf" "$dir/fifo" --report csv
fed "$dir/a.json" compare "$dir/fifo" "$dir/b.json"
fed "$dir/b.trf" compare "$dir/a.trf" "$dir/fifo"
fed "$dir/a.json" scale "$dir/fifo" traces/demo
fed tests/fuzz/corpus/calibrate/worked.txt calibrate "$dir/fifo" --model lmo
fed "$dir/machine.json" predict traces/demo --machine "$dir/fifo" --report csv
fed "$dir/machine.json" cost "$dir/fifo" bcast --procs 4 --bytes 8
fed "$dir/machine.json" redistribute 'A(360):cyclic(10)->cyclic(2)' --procs 4 --machine "$dir/fifo" --report csv
fed traces/bmf/reverse.bmf bmf "$dir/fifo"
fed tests/fuzz/corpus/network/tree4 info traces/demo --profile --network "$dir/fifo"

# As shells give the names of pipes.
"$PATSCAN" compare "$dir/a.json" "$dir/b.json" >"$dir/expected"
exec 5<"$dir/b.json"
cat "$dir/a.json" | (exec 4<&0; "$PATSCAN" compare /dev/fd/4 /dev/fd/5) >"$dir/got" 2>"$dir/err" ||
        fail "/dev/fd is refused: $(head -n 1 "$dir/err")"
for x in got expected; do sed "s|/dev/fd/.|PATH|g; s|$dir/..json|PATH|g" "$dir/$x" | tr -s ' \n' ' ' >"$dir/$x.words"; done
cmp "$dir/got.words" "$dir/expected.words" || fail '/dev/fd: another output'
exit $bad
