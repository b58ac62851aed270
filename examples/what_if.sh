#!/bin/sh
# what_if.sh TRACE FUNCTION - how long the run would take if FUNCTION took all, three quarters, half, a quarter of its time.
# PATSCAN names the program, where it is not in the path.
set -eu
[ $# -eq 2 ] || { echo 'usage: what_if.sh TRACE FUNCTION' >&2; exit 2; }

for factor in 1 0.75 0.5 0.25; do
        seconds=$("${PATSCAN:-patscan}" predict "$1" --machine recorded "region:$2*$factor" --report json --quiet |
                python3 -c 'import json, sys; print(json.load(sys.stdin)["trace"]["duration_s"])')
        printf '%s * %s: %s s\n' "$2" "$factor" "$seconds"
done
