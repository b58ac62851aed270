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
assert m["source"].endswith("from trips"), m
END
fi
# A report, and whatever the number of threads the same one.
for threads in 1 4; do
        "$PATSCAN" calibrate "$PATSCAN_SOURCE/traces/demo" --threads $threads -o "$dir/m.json" \
                --report "json:$dir/report$threads" 2>/dev/null
done
cmp "$dir/report1" "$dir/report4" || bad=1
exit $bad
