#!/bin/sh
# test_predict.sh - predictions of real and bundled traces: no drift, the same for any number of threads, reports that
# keep to the schema, traces that read back, exit codes.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
demo=$PATSCAN_SOURCE/traces/demo/traces.otf2

# Whatever is edited, threads do not matter.
for edits in '' 'rank:2*0.5 L/2' 'balance remove:late-sender' 'ideal-network' 'eager=0 overlap bw/3'; do
        for machine in recorded infiniband-hdr dimemas-default; do
                for threads in 1 2 5; do
                        # shellcheck disable=SC2086
                        "$PATSCAN" predict "$demo" --machine "$machine" $edits --threads $threads --gains all \
                                --sensitivity --report "json:$dir/$threads.json" || fail "$machine $edits: no report"
                done
                cmp -s "$dir/1.json" "$dir/2.json" && cmp -s "$dir/1.json" "$dir/5.json" ||
                        fail "$machine $edits: threads matter"
                cp "$dir/1.json" "$dir/report-$machine-$(printf %s "$edits" | tr -c 'a-z0-9\n' _).json"
        done
done
if command -v python3 >/dev/null; then
        python3 "$PATSCAN_SOURCE/tests/cli/check_report.py" "$PATSCAN_SOURCE/docs/report.schema.json" \
                "$dir"/report-*.json >"$dir/said"
        [ $? -eq 1 ] && { cat "$dir/said"; bad=1; }
fi

# What the length depends on is asked of the recorded run where no machine is named.
"$PATSCAN" predict "$demo" --sensitivity --report "json:$dir/unnamed.json" &&
        "$PATSCAN" predict "$demo" --sensitivity --machine recorded --report "json:$dir/named.json" &&
        cmp -s "$dir/unnamed.json" "$dir/named.json" || fail 'sensitivity without a machine'

# A prediction that was written is the prediction.
"$PATSCAN" predict "$demo" --machine recorded 'rank:2*0.5' --ignore region-imbalance --write "otf2:$dir/out" \
        --report "json:$dir/written.json" ||
        fail 'not written'
"$PATSCAN" "$dir/out/traces.otf2" --ignore region-imbalance --report "json:$dir/read.json" || fail 'not read'
for report in written read; do
        sed -n '/^"findings"/,/^\],/s/"file".*"line_source"[^,]*,//p' "$dir/$report.json" |
                grep -o '"type": "[^"]*"\|"count": [0-9]*\|"lost_s": [0-9.e-]*\|"begin_s": [0-9.e-]*' >"$dir/$report"
done
cmp -s "$dir/written" "$dir/read" || fail 'what was written reads back otherwise'

# The reader of the OTF2 library finds nothing to warn of.
if command -v otf2-print >/dev/null; then
        "$PATSCAN" dump "$demo" --format "otf2:$dir/copy" || fail 'not dumped'
        for folder in out copy; do
                otf2-print "$dir/$folder/traces.otf2" 2>&1 >/dev/null | grep . && fail "otf2-print warns of $folder"
        done
fi

# Each row of a sweep is what that prediction says by itself.
"$PATSCAN" predict "$demo" 'L*1,8' 'region:relax*1/2..1' --report "csv:$dir/sweep.csv" || fail 'no sweep'
[ "$(wc -l <"$dir/sweep.csv")" -eq 5 ] || fail 'not four combinations'
tail -n +2 "$dir/sweep.csv" | while IFS=, read -r latency relax run whole speedup; do
        "$PATSCAN" predict "$demo" "L*$latency" "region:relax*$relax" --report "json:$dir/one.json" || echo 'no prediction'
        grep -q "\"duration_s\":$whole," "$dir/one.json" || echo "L*$latency region:relax*$relax: not $whole"
        awk "BEGIN { exit !($speedup > 0.115 / $run && $speedup < 0.1151 / $run) }" || echo "speed-up $speedup of $run"
done >"$dir/said"
[ -s "$dir/said" ] && { cat "$dir/said"; fail 'a sweep tells something else'; }
for format in text json html markdown; do
        "$PATSCAN" predict "$demo" 'L*1,8' 'bw*1,4' --report "$format:$dir/sweep" || fail "no $format of a sweep"
        grep -q '0.1150685\|115.1' "$dir/sweep" || fail "$format: no lengths"
done
"$PATSCAN" predict "$demo" 'L*1,8' --report "html:$dir/sweep" && grep -q '<svg' "$dir/sweep" || fail 'no picture'

# How sure a slope is has a column where one is not.
"$PATSCAN" predict "$demo" --sensitivity >"$dir/slopes" && grep -q 'how sure' "$dir/slopes" || fail 'how sure it is is not told'
"$PATSCAN" predict traces/picl/scan.trf --sensitivity >"$dir/slopes" && grep -q 'length of the run depends on' "$dir/slopes" ||
        fail 'no slopes'
! grep -q 'how sure' "$dir/slopes" || fail 'a column of nothing'

# Where nothing was found that could be removed the report says so.
"$PATSCAN" predict "$demo" remove:barrier-wait --report "json:$dir/nothing.json" 2>/dev/null || fail 'removes nothing'
grep -q '"notes": \[{"text": "nothing is removed: edit=' "$dir/nothing.json" || fail 'no note that nothing is removed'

# Every report for people says what it rests on.
for format in html markdown; do
        "$PATSCAN" predict "$demo" --machine recorded balance --report "$format" >"$dir/page" || fail "no $format"
        for part in Machine Cost Edits Predicted Drift 'shorter than the replay without edits'; do
                grep -q "$part" "$dir/page" || fail "$format: no $part"
        done
done

# Exit codes.
expect() {
        code=$1
        shift
        "$PATSCAN" "$@" -q >"$dir/out.txt" 2>&1
        got=$?
        [ "$got" -eq "$code" ] || fail "$*: exit code $got, not $code"
}
expect 0 predict "$demo" --machine recorded
expect 1 predict "$demo" --machine recorded --fail-on 'total>1%'
expect 2 predict "$demo"
expect 2 predict "$demo" --machine recorded 'L'
expect 2 predict "$demo" 'bw*4..1'
expect 2 predict "$demo" 'L*1,2' remove:late-sender
expect 2 predict "$demo" 'L*1,2' --write "otf2:$dir/swept"
expect 2 predict "$demo" 'L*1,2' --fail-on 'total>1%'
expect 2 predict "$demo" 'L*1,2' --report sarif
expect 3 predict "$demo" --machine nowhere
expect 3 predict "$dir/nothing" --machine recorded
expect 2 predict "$demo" --machine recorded --write "otf2:$dir/out"

# A DVM program: 8.6464 of 4 x 7.6216 ms are lost, 28.36 %, all of it in transfers and in what is not shared out.
# On one processor nothing is communicated, and that is no reason to complain.
dvm="$PATSCAN_SOURCE/tests/fuzz/corpus/dvm/jacobi"
expect 1 predict "$dvm" --machine bus --grid 2x2 --fail-on 'total>28%'
expect 0 predict "$dvm" --machine bus --grid 2x2 --fail-on 'total>29%'
expect 1 predict "$dvm" --machine bus --grid 2x2 --fail-on 'total>8.6ms'
expect 0 predict "$dvm" --machine bus --grid 2x2 --fail-on 'total>8.7ms'
expect 1 predict "$dvm" --machine bus --grid 2x2 --fail-on 'dvm-shadow>=5.2096ms'
expect 0 predict "$dvm" --machine bus --grid 2x2 --fail-on 'dvm-shadow>5.2096ms'
expect 0 predict "$PATSCAN_SOURCE/tests/fuzz/corpus/dvm/realign" --machine bus --grid 1

# runs SECONDS ARG...: how long the predicted run takes, to a nanosecond.
runs() {
        seconds=$1
        shift
        "$PATSCAN" predict "$@" -q --report json | sed -n 's/.*"duration_s": *\([0-9.]*\),.*"focus".*/\1/p' >"$dir/s"
        awk -v s="$seconds" '{ exit !(($1 - s) ^ 2 < 1e-18) }' "$dir/s" || fail "$* takes $(cat "$dir/s") s, not $seconds"
}
# Jacobi on 2 x 2, twice: 0.9 ms in a loop; a reduction of 4 * (75 us + 4 * 0.2 us * 2) = 306.4 us + ... : in all
# 7.6216 ms, of which 2 * (0.9 + 0.12 + 1.8) = 5.64 ms are not spent waiting for messages: 0.12 ms of each reduction
# (459.6 us) are hidden behind sequential code, and an exchange takes 8 * (75 + 32 * 0.2) = 651.2 us.
at="$dvm --machine bus --grid 2x2"
# shellcheck disable=SC2086
{
        runs 0.0076216 $at
        runs 0.00564 $at ideal-network
        # 2 * (2.82 + 6 * (150 + 1.6) us - 120 us + 8 * (150 + 6.4) us)
        runs 0.0097216 $at 'L*2'
        # Half of the bandwidth: 2 * (2.82 ms + 6 * 78.2 us - 120 us + 8 * 87.8 us)
        runs 0.0077432 $at bw/2
        # The loops of line 29 take 0.9 instead of 1.8 ms, twice.
        runs 0.0058216 $at 'region:loop t.cdv:29*0.5'
        # All compute equally long already.
        runs 0.0076216 $at balance
}
# Realign on four in a row: the second loop is on two of them, 2 ms each; shared out evenly it takes 1 ms on each.
realign="$PATSCAN_SOURCE/tests/fuzz/corpus/dvm/realign"
# shellcheck disable=SC2086
{
        runs 0.0042072 $realign --machine bus --grid 4
        runs 0.0032072 $realign --machine bus --grid 4 'balance:loop t.cdv:28'
}

# Its own export is the same run.
rm -rf "$dir/dvm"
expect 0 predict "$dvm" --machine bus --grid 2x2 --report "json:$dir/dvm.json" --write "otf2:$dir/dvm"
expect 0 compare "$dir/dvm/traces.otf2" "$dir/dvm.json" --tolerance 0.001
"$PATSCAN" "$dir/dvm/traces.otf2" -q --report "json:$dir/export.json" || fail 'no report of an export'
for report in dvm export; do
        sed -n 's/"operations".*//;/^"intervals"/p' "$dir/$report.json" | sed -n "s/.*\"io_s\": \([^,]*\),.*\"time_variation_s\": \([^,]*\), \"overlap_s\": \([^,]*\),.*/\1 \2 \3/p" >"$dir/$report.told"
done
[ -s "$dir/dvm.told" ] && cmp -s "$dir/dvm.told" "$dir/export.told" || fail 'an export has other times of input, variation and overlap'

# Real traces, where they are: what the replay makes of the recording is the recording.
corpus=${PATSCAN_CORPUS:-$(echo "$PATSCAN_SOURCE"/../*/corpus)}
for archive in "$corpus"/*.tar.xz; do
        [ -f "$archive" ] || continue
        rm -rf "$dir/corpus"
        mkdir "$dir/corpus"
        tar -xJf "$archive" -C "$dir/corpus" || fail "$archive: no archive"
        trace=$(find "$dir/corpus" -name '*.otf2' | head -n 1)
        "$PATSCAN" predict "$trace" --machine recorded -q --max-drift 1% --report json >"$dir/report.json"
        code=$?
        [ "$code" -eq 0 ] || fail "$archive: exit code $code"
done

# What would take hours and all memory is refused at once.
timeout 10 "$PATSCAN" predict tests/fuzz/corpus/dvm/jacobi --machine bus --grid 1000x1000 >/dev/null 2>"$dir/err"
[ $? -eq 2 ] && grep -q 'too many calls.*processors=1000000' "$dir/err" || fail 'a grid that is too large is not refused at once'
exit $bad
