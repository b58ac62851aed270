#!/bin/sh
# test_page_firefox.sh - the page in Firefox.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
command -v node >/dev/null || { echo 'no node is installed'; exit 77; }
"$PATSCAN" traces/demo --report "html:$dir/page.html" || { echo 'no page'; exit 1; }
timeout 110 node tests/page/check_firefox.mjs "$dir/page.html"
