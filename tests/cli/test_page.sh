#!/bin/sh
# test_page.sh - the picture of a run: its data is what the report says, whatever must be left out of the file, and in a
# browser it can be looked at and worked with.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }
python=$(command -v python3) || exit 77

"$PATSCAN" traces/demo --report "html:$dir/page.html" --report "json:$dir/page.json" || fail 'no page'
"$python" tests/cli/check_page.py "$dir/page.html" "$dir/page.json" || fail 'the picture is not what the report says'
"$PATSCAN" predict traces/demo --machine recorded ideal-network --report "html:$dir/ideal.html" --report "json:$dir/ideal.json" ||
        fail 'no page of a prediction'
"$python" tests/cli/check_page.py "$dir/ideal.html" "$dir/ideal.json" || fail 'the picture of a prediction is not what the report says'

command -v node >/dev/null || { echo 'no node is installed'; exit 77; }
node --test tests/page/test_*.mjs >"$dir/log" || { cat "$dir/log"; fail 'a module of the page computes something wrong'; }
"$PATSCAN" compare traces/demo traces/demo/traces.otf2 --report "html:$dir/compare.html" || fail 'no page of a comparison'
timeout 100 node tests/page/check.mjs "$dir/page.html" "$dir/page.json" || exit
timeout 100 node tests/page/check_pair.mjs "$dir/ideal.html" "$dir/compare.html"
