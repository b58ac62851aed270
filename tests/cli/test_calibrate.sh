#!/bin/sh
# test_calibrate.sh - what calibrate writes is a machine that patscan reads and predicts with.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cat >"$dir/trips" <<'END'
patscan-rtt 1
processes 3
pair 0 1 0 260e-6
pair 0 2 0 230e-6
pair 1 2 0 244e-6
triple 0 1 2 0 360e-6
triple 1 0 2 0 380e-6
triple 2 0 1 0 324e-6
pair 0 1 100000 3660e-6
pair 0 2 100000 3430e-6
pair 1 2 100000 3544e-6
triple 0 1 2 100000 2460e-6
triple 1 0 2 100000 2580e-6
triple 2 0 1 100000 2274e-6
END
bad=0
for model in hockney lmo hlmo; do
        "$PATSCAN" calibrate "$dir/trips" --model $model >"$dir/$model.json" || { echo "no machine: $model"; bad=1; }
        "$PATSCAN" machines "$dir/$model.json" | cmp -s - "$dir/$model.json" || { echo "it changes: $model"; bad=1; }
        "$PATSCAN" redistribute 'A(300): block->cyclic' --procs 3 --machine "$dir/$model.json" >/dev/null ||
                { echo "nothing can be predicted: $model"; bad=1; }
done
if command -v python3 >/dev/null; then
        python3 - "$dir" <<'END' || bad=1
import json, sys
m = json.load(open(sys.argv[1] + "/lmo.json"))
for found, real in zip(m["processing_s"], (50e-6, 60e-6, 40e-6)):
    assert abs(found / real - 1) < 1e-9, m
assert "/trips; not identified: " not in m["source"] and m["source"].endswith("/trips"), m
END
fi
# With data each way takes what its ends do, so that nothing is left for the bytes on the way.
sed 's/100000 3660e/100000 2060e/; s/100000 3430e/100000 1630e/; s/100000 3544e/100000 1844e/
     s/100000 2460e/100000 1660e/; s/100000 2580e/100000 1780e/; s/100000 2274e/100000 1424e/' "$dir/trips" >"$dir/ends"
"$PATSCAN" calibrate "$dir/ends" --model lmo >"$dir/none" 2>"$dir/err"
[ $? -eq 4 ] || { echo "a machine whose bytes take no time on the way"; bad=1; }
grep -q 'beyond what a machine may have: .*bandwidth_bytes_per_s' "$dir/err" || { echo "it is not said which parameter: $(cat "$dir/err")"; bad=1; }
# What was not measured is said: on the screen, in the report and in the file.
"$PATSCAN" calibrate "$PATSCAN_SOURCE/traces/demo" -o "$dir/part.json" --report "json:$dir/part" --report "text:$dir/part.txt" \
        2>"$dir/err" || { echo "a part of the parameters is no machine"; bad=1; }
grep -q 'do not determine.*assumed.*bandwidth_bytes_per_s' "$dir/err" || { echo "no warning"; bad=1; }
grep -q '"source":.*from traces/demo; not identified: bandwidth_bytes_per_s' "$dir/part.json" || { echo "not in the file"; bad=1; }
grep -q 'bandwidth_bytes_per_s  *unlimited  not identified' "$dir/part.txt" || { echo "not in the text"; bad=1; }
grep -q '^Replayed *on the calibrated machine: .*, measured .*, drift' "$dir/part.txt" || { echo "no replay"; bad=1; }
if command -v python3 >/dev/null; then
        python3 - "$dir" <<'END' || bad=1
import json, sys
r = json.load(open(sys.argv[1] + "/part"))
rows = {p["name"]: p for p in r["machine"]["parameters"]}
assert rows["latency_s"]["identified"] and not rows["bandwidth_bytes_per_s"]["identified"], rows
replay = r["machine"]["replay"]
assert abs(replay["replayed_s"] / replay["measured_s"] - 1 - replay["drift"]) < 1e-9 and abs(replay["drift"]) < 0.01, replay
END
        # The replay is what predict says of the machine.
        "$PATSCAN" predict "$PATSCAN_SOURCE/traces/demo" --machine "$dir/part.json" -q --report "json:$dir/predicted" || bad=1
        python3 - "$dir" <<'END' || bad=1
import json, sys
a, b = (json.load(open(sys.argv[1] + name)) for name in ("/part", "/predicted"))
assert abs(a["machine"]["replay"]["replayed_s"] - b["trace"]["focus"]["end_s"] + b["trace"]["focus"]["begin_s"]) < 1e-9
assert b["prediction"]["source"] == json.load(open(sys.argv[1] + "/part.json"))["source"]
END
fi
# Nothing learnt: no machine, exit code 4, and why.
printf 'B_Op (B_Plus)\n\n{1, 2}\n' >"$dir/alone.bmf"
"$PATSCAN" bmf "$dir/alone.bmf" --procs 1 -o "$dir/alone.trf" >/dev/null
"$PATSCAN" calibrate "$dir/alone.trf" -o "$dir/none.json" >/dev/null 2>"$dir/err"
[ $? -eq 4 ] && [ ! -e "$dir/none.json" ] && grep -q 'no machine of model hockney can be fitted: there is no message' "$dir/err" ||
        { echo "a machine of nothing"; cat "$dir/err"; bad=1; }
# A report, and whatever the number of threads the same one.
for threads in 1 4; do
        "$PATSCAN" calibrate "$PATSCAN_SOURCE/traces/demo" --threads $threads -o "$dir/m.json" \
                --report "json:$dir/report$threads" 2>/dev/null
done
cmp "$dir/report1" "$dir/report4" || bad=1
exit $bad
