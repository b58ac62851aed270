#!/bin/sh
# test_redistribute.sh - a program that has nothing but the JSON report can move the array.
set -u
command -v python3 >/dev/null || exit 77
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
n=0
plan() {
        n=$((n + 1))
        "$PATSCAN" redistribute "$@" --report "json:$dir/$n" --plan || { echo "no plan: $*"; exit 1; }
}

plan 'A(80): cyclic(10)->cyclic(2)' --procs 4
plan 'A(77): cyclic(2)->cyclic(10)' --procs 3
plan 'A(100): cyclic(6)->cyclic(4)' --procs '5->3'
plan 'A(10): dvm-block->block' --procs 4
plan 'A(0): block->cyclic' --procs 4
plan 'A(3): cyclic->block' --procs 7
plan 'A(16,16): block,* -> *,block' --procs 4
plan 'A(7,5,4): cyclic,dvm-block,* -> *,cyclic(2)@2,block' --grid '2x3->3x2'
plan 'A(12): block -> *' --procs 4
plan 'A(12): block@2 -> cyclic(5)@1' --grid 2x2
plan 'A(12): * -> *' --procs '2->5'
python3 "$PATSCAN_SOURCE/tests/cli/check_plan.py" "$dir"/* || exit 1

# The excerpt of the manual.
"$PATSCAN" redistribute 'A(60): cyclic(6)->cyclic(2)' --procs 4 >"$dir/text" || exit 1
sed -n '/^    Elements of the array /,/^$/s/^    //p' "$PATSCAN_SOURCE/docs/REDISTRIBUTION.md" | while IFS= read -r row; do
        grep -Fqx -- "$row" "$dir/text" || { echo "docs/REDISTRIBUTION.md shows something else: $row"; exit 1; }
done || exit 1

# Many processors: no matrix, but all transfers.
"$PATSCAN" redistribute 'A(1000000): cyclic(50)->cyclic(10)' --procs 10000 --report json |
        python3 -c 'import json, sys
r = json.load(sys.stdin)
assert r["matrix"] is None and r["plan"] is None
assert sum(e for s, d, e in r["transfers"]) == 1000000
assert r["messages"] == sum(s != d for s, d, e in r["transfers"])' || { echo 'many processors'; exit 1; }
