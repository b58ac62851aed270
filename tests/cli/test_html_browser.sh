#!/bin/sh
# test_html_browser.sh - in a browser the page shows one interval at a time, sorts, and follows the arrow keys; what it
# makes of the numbers of intervals is what the page would hold of them.
set -u
command -v node >/dev/null || { echo 'no node is installed'; exit 77; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }

"$PATSCAN" traces/demo --interval main,exchange,relax --report "html:$dir/page.html" || fail 'no page'
# What readers without a script see, and what the script makes: pages of 100 intervals on 2 processors, and of 10,000 on 256.
maker=${PATSCAN%/*}/tests/test-report-formats-html_intervals
set --
if [ -x "$maker" ]; then
        PS_KEEP_PAGE_OF_DATA="$dir/data.html" PS_KEEP_BIG_PAGE="$dir/big.html" "$maker" >/dev/null 2>&1
        [ -s "$dir/data.html" ] && [ -s "$dir/big.html" ] || fail 'no pages of numbers'
        set -- "$dir/data.html" 100 "$dir/big.html" 10000
fi
timeout 100 node tests/page/check_intervals.mjs "$dir/page.html" "$@"
