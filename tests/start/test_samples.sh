#!/bin/sh
# test_samples.sh - the samples that README.md names can be read, are what those make who made them, and tell what is known of them.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
n=0
while read -r _ words; do
        n=$((n + 1))
        # shellcheck disable=SC2086  # one word each
        "$PATSCAN" $words >"$dir/out" 2>"$dir/err" || fail "fails: patscan $words: $(cat "$dir/err")"
done <<END
$(sed -n 's/^    \(patscan .*traces\/[^#]*\)#.*/\1/p' README.md)
END
[ "$n" -eq 6 ] || fail "the README names $n samples instead of 6"

"$PATSCAN" bmf traces/bmf/scan.bmf -o "$dir/scan.trf" >"$dir/out" && cmp "$dir/scan.trf" traces/picl/scan.trf || fail 'scan.trf is out of date'
mkdir "$dir/gasp" && sh traces/make_upc.sh "$dir/gasp" && diff -r "$dir/gasp" traces/gasp || fail 'traces/gasp is out of date'

# Three threads of UPC wait 4 ms in each of five steps; in OpenMP somebody waits for the thread that works longer.
"$PATSCAN" traces/gasp -q --report json:"$dir/r.json" && grep -q '"barrier[a-z-]*"' "$dir/r.json" || fail 'no wait at a barrier in traces/gasp'
"$PATSCAN" traces/gasp | grep -q 'waiting for others .* 60 ms ' || fail 'traces/gasp does not wait for 60 ms'
"$PATSCAN" traces/demo/openmp | tr -s ' \n' ' ' | grep -q 'Thread 1 of rank 1 computes .* times as long as the others' ||
        fail 'the cause of traces/demo/openmp is not told'
exit $bad
