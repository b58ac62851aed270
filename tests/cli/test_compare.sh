#!/bin/sh
# test_compare.sh - what the exit codes of compare say, what may stand on either side, and that the number of threads
# does not show.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
demo=traces/demo/traces.otf2

"$PATSCAN" "$demo" --report "json:$dir/demo.json" --interval relax,exchange || fail 'no report'
for t in 16 30; do
        "$PATSCAN" bmf traces/bmf/scan.bmf --unit 1us --transport $t -o "$dir/$t.trf" >/dev/null || fail 'no run'
done
a=$dir/16.trf b=$dir/30.trf

echo '== sides'
expect 0 '' compare "$demo" "$demo" --tolerance 0
expect 0 '' compare "$demo" "$dir/demo.json" --tolerance 0%
expect 0 '' compare "$dir/demo.json" "$demo" --tolerance 0
expect 0 '' compare "$dir/demo.json" "$dir/demo.json" --tolerance 0
"$PATSCAN" "$demo" --report "json-compact:$dir/compact.json" --interval relax,exchange || fail 'no compact report'
[ "$(wc -c <"$dir/compact.json")" -lt "$(wc -c <"$dir/demo.json")" ] || fail 'the compact report is not smaller'
for side in "$dir/demo.json" "$dir/compact.json"; do
        expect 0 '' compare "$side" "$dir/demo.json" --tolerance 0 --report json
        sed "s|$dir/[a-z]*.json|SIDE|g" "$dir/out" >"$side.compared"
done
cmp -s "$dir/demo.json.compared" "$dir/compact.json.compared" || fail 'a compact report compares in another way'
sed 's/"shared":\[/"shared_":[/' "$dir/compact.json" >"$dir/unshared.json"
expect 3 'a row refers to a value that is not there' compare "$demo" "$dir/unshared.json"
expect 2 'json' compare "$demo" "$demo" --report json-compact
expect 0 '' compare traces/demo "$demo" --interval 'relax,report'
grep -q 'Aligned *3 of 3 intervals, 848 of 848 operations' "$dir/out" || fail 'other intervals than were asked for'
expect 2 'neither trace has such a region' compare "$demo" "$demo" --interval none

echo '== limits'
expect 0 '' compare "$a" "$b"
expect 1 'limit exceeded: --tolerance: the run times differ by 37.6 %, limit 30 %' compare "$a" "$b" --tolerance 30
expect 1 '2 intervals differ by more than 30 %' compare "$a" "$b" --tolerance 30 -q
expect 0 '' compare "$a" "$b" --tolerance 50
expect 1 'the run times differ by 27.3 %' compare "$b" "$a" --tolerance 25
for value in x -1 5x '5%%' nan inf '' 1e99; do
        expect 2 '--tolerance needs a percentage' compare "$a" "$b" --tolerance "$value"
done

for value in + ++5 +-5; do
        expect 2 '--tolerance needs a percentage' compare "$a" "$b" --tolerance "$value"
done
expect 1 'differ by 37.6 %, limit +30 %' compare "$a" "$b" --tolerance +30
expect 0 '' compare "$b" "$a" --tolerance +25
grep -q 'Whether a difference is noise cannot be told' "$dir/out" || fail 'noise is not told of'

# Of the same run the focus is longer by what is taken out of MPI_Init, and the whole run is as long as it was.
sed 's/"spans":\[\[[^,]*,/"spans":[[0.0005029,/' "$dir/demo.json" >"$dir/longer.json"
expect 1 'the run times differ by 0.435 %' compare "$dir/demo.json" "$dir/longer.json" --tolerance 0.4
expect 0 '' compare "$dir/demo.json" "$dir/longer.json" --tolerance 0.4 --focus whole-run
expect 0 '--from has no effect here: ' compare "$dir/demo.json" "$dir/demo.json" --from 1ms

echo '== several runs a side'
for t in 14 15 28 29; do
        "$PATSCAN" bmf traces/bmf/scan.bmf --unit 1us --transport $t -o "$dir/$t.trf" >/dev/null || fail 'no run'
        "$PATSCAN" "$dir/$t.trf" --report "json:$dir/$t.json" || fail 'no report'
done
cd "$dir" || exit 2
expect 1 'the run times differ by 38.6 %, limit +5 %' compare 14.trf 15.trf 16.trf --with 28.trf 29.trf 30.trf --tolerance +5
grep -q 'All that follows compares the median runs: 15.trf and 29.trf' out || fail 'not the runs in the middle'
expect 1 'the run times differ by 38.6 %' compare --tolerance 5 14.json 15.trf 16.trf --with=28.json 30.trf 29.json
expect 0 '' compare 28.trf 29.trf 30.trf --with 14.trf 15.trf 16.trf --tolerance +5
expect 1 'the run times differ by 27.9 %' compare 28.trf 29.trf 30.trf --with 14.trf 15.trf 16.trf --tolerance 5
# One run of each side is as long as those of the other: the medians differ, but that may be chance.
expect 0 '' compare 14.trf 28.trf 16.trf --with 15.trf 29.trf 30.trf --tolerance +5
grep -q 'No difference that these runs can tell' out || fail 'what is chance is not told'
expect 1 'the run times differ by' compare 14.trf 15.trf --with 28.trf 29.trf --tolerance 5
grep -q 'Whether a difference is noise cannot be told' out || fail 'two runs a side tell noise'
for report in json html markdown; do
        "$PATSCAN" compare 14.trf 15.trf 16.trf --with 28.trf 29.trf 30.trf --report $report >out || fail "no $report"
        grep -q '14.trf\|Lengths of 3 and 3 runs' out || fail "$report does not tell of all runs"
done
expect 2 'several runs a side' compare 14.trf 15.trf 16.trf
expect 2 'before and after' compare --with 14.trf 15.trf
expect 2 'different numbers of processes' compare 14.trf "$PATSCAN_SOURCE/$demo" --with 15.trf
expect 3 'nowhere.trf' compare 14.trf 15.trf 16.trf --with 28.trf nowhere.trf 30.trf
cd "$PATSCAN_SOURCE" || exit 2

echo '== ranks'
expect 4 'only part of the runs' compare "$a" "$demo"
grep -q 'different numbers of ranks' "$dir/out" || fail 'the numbers of ranks are not told'
expect 0 '' compare "$a" "$demo" --allow-partial
# Of one program on 2 and 8 processes compare tells the factors that scale tells, of traces and of reports.
for p in 2 8; do
        printf 'B_Comp (P_Reduce (B_Op (B_Plus))) (B_Comp (P_Map (B_Reduce (B_Op (B_Plus)))) (P_Split (B_Num %s) (B_Num 0)))\n\n%s\n' \
                $p '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]' >"$dir/$p.bmf"
        "$PATSCAN" bmf "$dir/$p.bmf" --procs $p --unit 1us --op-cost 100 -o "$dir/p$p.trf" >/dev/null || fail 'no run'
        "$PATSCAN" "$dir/p$p.trf" --report "json:$dir/p$p.json" || fail 'no report'
done
for second in p8.trf p8.json; do
        for command in compare scale; do
                "$PATSCAN" $command "$dir/p2.trf" "$dir/$second" 2>/dev/null | tr -s ' ' |
                        grep '^ *\(Length\|Speed-up\|Global\|Parallel\|Load\|Serial\|Transfer\|Computation s\)' >"$dir/$command"
        done
        [ "$(wc -l <"$dir/scale")" -eq 8 ] || fail 'scale does not tell all factors'
        cmp -s "$dir/scale" "$dir/compare" || fail "compare and scale tell other factors of $second"
done
expect 4 'only part' compare "$dir/p2.trf" "$dir/p8.trf" --weak
grep -q 'Computation scalability' "$dir/out" || fail 'how the program scales is not told'
seq 0 15 | sed 's/.*/& &/' >"$dir/same.map"
expect 0 '' compare "$a" "$a" --rank-map "$dir/same.map" --tolerance 0
printf '# two\n0 1\n1 0  # swapped\n' >"$dir/two.map"
expect 4 'only part of the runs' compare "$a" "$b" --rank-map "$dir/two.map"
grep -q 'pairs 2 of 16 measured and 16 predicted ranks' "$dir/out" || fail 'unpaired ranks are not told'
printf '0 1\n1 1\n' >"$dir/twice.map"
expect 2 'paired twice' compare "$a" "$b" --rank-map "$dir/twice.map"
printf '0 99\n' >"$dir/beyond.map"
expect 2 'two ranks cannot be paired' compare "$a" "$b" --rank-map "$dir/beyond.map"
printf '0 1\nx\n' >"$dir/bad.map"
expect 3 'line=2' compare "$a" "$b" --rank-map "$dir/bad.map"
printf '0 1\n0 2\n' >"$dir/again.map"
expect 3 'mapped twice' compare "$a" "$b" --rank-map "$dir/again.map"
: >"$dir/empty.map"
expect 3 'empty' compare "$a" "$b" --rank-map "$dir/empty.map"
expect 3 'No such file' compare "$a" "$b" --rank-map "$dir/none.map"

echo '== what cannot be compared'
"$PATSCAN" info "$demo" --report "json:$dir/info.json" || fail 'no info'
expect 4 'only part of the runs' compare "$demo" "$dir/info.json" --report json
grep -q 'contains no intervals or findings' "$dir/out" || fail 'what is missing is not told'
sed 's/"duration_s":[^,]*/"duration_s": 0/' "$dir/demo.json" >"$dir/zero.json"
expect 4 'one of the runs took no time' compare "$dir/zero.json" "$dir/demo.json" --report json
grep -q '"result": "unusable"' "$dir/out" || fail 'the report is not written before the verdict'
head -c 1000 "$dir/demo.json" >"$dir/cut.json"
expect 3 'it is not JSON' compare "$demo" "$dir/cut.json"
echo '{}' >"$dir/other.json"
expect 3 'it is not a report of patscan' compare "$demo" "$dir/other.json"
expect 3 'cannot open the trace' compare "$demo" "$dir/none"
expect 2 'patscan compare needs MEASURED PREDICTED' compare "$demo"
expect 2 'patscan compare takes fewer arguments' compare "$demo" "$demo" "$demo"

echo '== a machine that was fitted to the run'
sed 's|^"timing": "measured"|"timing": "predicted",\n"prediction": {"machine": "m", "formula": "L", "source": "fitted to demo/traces.otf2"}|' \
        "$dir/demo.json" >"$dir/predicted.json"
expect 0 'the machine of the prediction was calibrated with this very run, so their agreement proves little' compare traces/demo "$dir/predicted.json"
sed 's/fitted to demo/fitted to heat/' "$dir/predicted.json" >"$dir/heat.json"
expect 0 '' compare traces/demo "$dir/heat.json"
grep -q '^Predicted ' "$dir/out" || fail 'a prediction is not called one'
"$PATSCAN" calibrate traces/demo -q -o "$dir/fitted.json" >/dev/null 2>&1 || fail 'no machine'
"$PATSCAN" predict "$demo" --machine "$dir/fitted.json" -q --report "json:$dir/fitted" || fail 'no prediction'
expect 0 'the machine of the prediction was calibrated with this very run, so their agreement proves little' compare "$demo" "$dir/fitted"
grep -q 'proves' "$dir/out" || fail 'the note is not in the report'
expect 0 'the machine of the prediction was calibrated with this very run, so their agreement proves little' compare "$dir/demo.json" "$dir/fitted" --allow-partial
sed 's/calibrated by.*from traces.demo/measured with lmo-bench/' "$dir/fitted.json" >"$dir/bench.json"
"$PATSCAN" predict "$demo" --machine "$dir/bench.json" -q --report "json:$dir/benched" || fail 'no prediction'
expect 0 '' compare "$demo" "$dir/benched"

echo '== threads and formats'
for n in 1 2 7; do
        for format in text json html markdown; do
                "$PATSCAN" compare "$a" "$b" --report $format --threads $n >"$dir/$format.$n" || fail "fails: $format"
                cmp "$dir/$format.1" "$dir/$format.$n" || fail "the number of threads shows: $format"
        done
done
"$PATSCAN" compare "$demo" "$dir/demo.json" --top 1 --report "html:$dir/short" -q || fail 'no page'
grep -q '<p class="rest">and [0-9]* more [a-z]*; -v shows all</p>' "$dir/short" || fail 'a page leaves out rows and does not say so'
grep -q '<title>[^<]* and [^<]* - patscan' "$dir/short" || fail 'the title of a page does not tell what it compares'
if command -v python3 >/dev/null; then
        sed '/<script>/,/<.script>/d' "$dir/html.1" >"$dir/page.xml"
        python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$dir/page.xml" || fail 'no XML'
        "$PATSCAN" compare "$demo" "$dir/demo.json" --report "json:$dir/own"
        "$PATSCAN" compare "$a" "$demo" --report "json:$dir/ranks" --allow-partial --tolerance 5 -q 2>/dev/null
        "$PATSCAN" compare "$demo" "$dir/info.json" --report "json:$dir/less" -q 2>/dev/null
        python=python3
        python3 -c 'import jsonschema' 2>/dev/null || [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
        "$python" tests/cli/check_compare.py docs/compare.schema.json "$dir/json.1" "$dir/own" "$dir/ranks" "$dir/less"
        case $? in 0) ;; 77) echo 'skipped: the schema' ;; *) bad=1 ;; esac
fi
exit $bad
