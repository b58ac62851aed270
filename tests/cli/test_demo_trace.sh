#!/bin/sh
# test_demo_trace.sh - the bundled trace is what make_demo writes, and its lines are those of the program that it
# is said to come from.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"

"$PATSCAN" dump traces/demo --format jsonl >"$dir/kept" || fail 'the bundled trace cannot be read'
"$MAKE_DEMO" "$dir/made" && "$PATSCAN" dump "$dir/made" --format jsonl >"$dir/new" || fail 'cannot make the trace'
cmp "$dir/kept" "$dir/new" || fail 'traces/demo is out of date: see traces/README.md'

"$PATSCAN" info traces/demo --report json --threads 1 >"$dir/one"
for threads in 2 7; do
        "$PATSCAN" info traces/demo --report json --threads $threads | cmp - "$dir/one" ||
                fail "$threads threads change the result"
done

# holds NAME LINE: that line of heat.c calls or defines it
holds() {
        sed -n "$2p" traces/demo/heat.c | grep -q "\\<$1(" || fail "heat.c:$2 does not hold $1()"
}

"$PATSCAN" dump traces/demo | sed -n 's/.* ENTER  *\([A-Za-z_]*\) .*at=traces\/demo\/heat\.c:\([0-9]*\)$/\1 \2/p' |
        sort -u >"$dir/calls"
grep -o '{"[a-z]*", [0-9]*}' traces/make_demo.c | tr -d '{",}' >"$dir/functions"
[ "$(wc -l <"$dir/calls")" -eq 13 ] || fail 'not all calls of heat.c have their lines'
[ "$(wc -l <"$dir/functions")" -eq 4 ] || fail 'not all functions of heat.c have their lines'
while read -r name line; do
        holds "$name" "$line"
done <<END
$(cat "$dir/calls" "$dir/functions")
END

if command -v mpicc >/dev/null; then
        mpicc -fsyntax-only -std=c99 -Wall -Wextra traces/demo/heat.c || fail 'heat.c does not compile'
fi
exit $bad
