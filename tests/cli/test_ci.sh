#!/bin/sh
# test_ci.sh - what CI services are given is well-formed, is what the report says, and tells of the limits.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
command -v python3 >/dev/null || exit 77

compare() { # the words of a command
        "$PATSCAN" "$@" -q --report "codequality:$dir/q.json" --report "junit:$dir/j.xml" --report "json:$dir/r.json" >"$dir/printed" ||
                fail "no reports of $*"
        python3 tests/cli/check_ci.py "$dir/q.json" "$dir/j.xml" "$dir/r.json" || fail "not what the report says: $*"
}

compare traces/demo
compare traces/demo --focus exchange
compare bmf traces/bmf/scan.bmf
compare predict traces/demo --machine recorded
python3 -c 'import json, sys; sys.exit("traces/demo/heat.c" not in {e["location"]["path"] for e in json.load(open(sys.argv[1]))})' \
        "$dir/q.json" || fail 'no file of the repository'

"$PATSCAN" "$PATSCAN_SOURCE/traces/demo" -q --report "junit:$dir/j.xml" --fail-on 'total>0.1%,duration>1000s' 2>"$dir/errors"
[ $? -eq 1 ] || fail 'the limit was not hit'
python3 - "$dir/j.xml" <<'EOF' || fail 'the limits are not told'
import sys, xml.etree.ElementTree as xml
limits = {c.get("name"): [p.tag for p in c] for c in xml.parse(sys.argv[1]).iter("testcase") if c.get("classname") == "limit"}
sys.exit(limits != {"total>0.1%": ["failure"], "duration>1000s": []} and str(limits))
EOF
exit $bad
