#!/bin/sh
# test_view.sh - patscan view: what it refuses, and its page in a browser.
set -u
fail() { echo "$*"; exit 1; }
"$PATSCAN" view traces/demo --port 70000 >/dev/null 2>&1 && fail 'a port that is none is taken'
"$PATSCAN" view traces/nothing >/dev/null 2>&1
[ $? -eq 3 ] || fail 'a trace that is not there is none of the errors that it should be'
"$PATSCAN" view traces/demo --port 70000 2>&1 | grep -q libmicrohttpd && { echo 'built without libmicrohttpd'; exit 77; }

command -v node >/dev/null || { echo 'no node is installed'; exit 77; }
little=${PATSCAN%/*}/tests/test-serve-request
[ -x "$little" ] || little=
timeout 100 node tests/page/check_view.mjs "$PATSCAN" traces/demo $little
