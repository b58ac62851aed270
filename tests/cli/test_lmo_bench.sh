#!/bin/sh
# test_lmo_bench.sh - lmo-bench measures this machine; that its numbers are of the right order is all one can ask.
set -u
[ -n "${LMO_BENCH:-}" ] && [ -x "$LMO_BENCH" ] || exit 77
command -v mpirun >/dev/null || exit 77
command -v python3 >/dev/null || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
timeout 30 mpirun -n 3 true >/dev/null 2>&1 || exit 77
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

timeout 60 mpirun -n 3 "$LMO_BENCH" --most=50 --sizes=1024,65536 >"$dir/trips" || { echo 'lmo-bench failed'; exit 1; }
# 3 pairs of 0, 1024, 4096 and 65536 bytes; one triple with 3 roots of 0 and 4096 bytes.
[ "$(grep -c '^pair' "$dir/trips")" -eq 12 ] || { echo 'pairs are missing'; exit 1; }
[ "$(grep -c '^triple' "$dir/trips")" -eq 6 ] || { echo 'triples are missing'; exit 1; }
for model in hockney lmo hlmo; do
        "$PATSCAN" calibrate "$dir/trips" --model $model -o "$dir/$model.json" --report "json:$dir/$model" ||
                { echo "no machine of model $model"; exit 1; }
        "$PATSCAN" machines "$dir/$model.json" >/dev/null || { echo "$model: patscan does not read it"; exit 1; }
done
python3 - "$dir/hockney" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
way = r["classes"][2]["one_way"]
assert way["samples"] == 12 and way["sizes"] == 4, way
assert 1e-8 < way["fast"]["fixed_s"] < 0.1, way
assert 0 < way["fast"]["per_byte_s"] < 1e-4, way
END
