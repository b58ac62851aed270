#!/bin/sh
# test_predict.sh - a sweep is what its grids are one by one, and does not depend on threads.
set -u
command -v python3 >/dev/null || exit 77
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trace=$PATSCAN_SOURCE/tests/fuzz/corpus/dvm/jacobi
for format in text json csv; do
        for threads in 1 2 7; do
                "$PATSCAN" predict "$trace" --machine bus --grid 1x1..5x5 --threads $threads \
                        --report "$format:$dir/$threads" || exit 1
                cmp "$dir/1" "$dir/$threads" || { echo "threads: $format $threads"; exit 1; }
        done
        mv "$dir/1" "$dir/all.$format"
done
for grid in 1x1 2x3 5x5; do
        "$PATSCAN" predict "$trace" --machine bus --grid $grid --report "json:$dir/$grid" -q || exit 1
done
python3 - "$dir" <<'END' || exit 1
import csv, json, sys
dir = sys.argv[1]
sweep = json.load(open(dir + "/all.json"))
grids = {row["grid"]: row for row in sweep["grids"]}
assert len(grids) == 25 and sum(row["best"] for row in sweep["grids"]) == 1
best = min(sweep["grids"], key=lambda row: (row["execution_s"], row["processors"]))
assert best["best"]
for row in sweep["grids"]:
    assert abs(row["productive_s"] + row["lost_s"] - row["total_s"]) < 1e-8
    assert abs(row["execution_s"] * row["processors"] - row["total_s"]) < 1e-8
for grid in ("1x1", "2x3", "5x5"):
    report = json.load(open(dir + "/" + grid))
    assert report["timing"] == "predicted" and report["prediction"]["grid"] == grid
    assert abs(report["trace"]["duration_s"] - grids[grid]["duration_s"]) < 2e-9, grid
rows = list(csv.DictReader(open(dir + "/all.csv", newline="")))
for row in rows:
    assert None not in row and len(row) == 18
    assert abs(float(row["execution_s"]) - grids[row["grid"]]["execution_s"]) < 2e-9
END
# A grid that is too large is a row, too.
"$PATSCAN" predict "$trace" --machine cluster --grid 2x2,64x64 --report csv |
        python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert rows[0]["best"] == "1" and not rows[0]["reason"]
assert "too few processors" in rows[1]["reason"] and not rows[1]["execution_s"] and None not in rows[1]' || exit 1
