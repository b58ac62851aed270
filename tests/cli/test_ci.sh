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

# The last of what led to a wait is told with the reason that its cause has.
"$PATSCAN" traces/demo -q --report "sarif:$dir/r.sarif" --report "json:$dir/r.json" || fail 'no SARIF'
python3 - "$dir/r.sarif" "$dir/r.json" <<'EOF' || fail 'a cause is told with another reason than its own'
import json, sys
log, report = (json.load(open(name)) for name in sys.argv[1:])
words = {"longer": "takes longer than the others in", "alone": "alone is in", "transfer": "is in"}
told = {"rank %d" % c["process"] + " " + words[c["why"]] + " " + c["function"] for c in report["causes"] if c["function"] and c["why"] in words}
steps = [step["location"]["message"]["text"] for result in log["runs"][0]["results"]
         for flow in result.get("codeFlows", []) for step in flow["threadFlows"][0]["locations"]]
said = {text[:text.index(" at ")] + text[text.index(": ") + 1:] for text in steps}
causes = {text for text in said if not any(" %s MPI_" % word in text for word in ("begins to wait in", "ends its wait in", "enters"))}
sys.exit(str(causes - told) if causes - told else "rank 2 takes longer than the others in relax" not in causes)
EOF
exit $bad
