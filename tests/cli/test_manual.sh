#!/bin/sh
# test_manual.sh - the manual page that is kept is the one that the tables give, and man can read it.
set -u
"$PATSCAN" man | diff -u "$PATSCAN_SOURCE/docs/patscan.1" - || {
        echo 'docs/patscan.1 is out of date: patscan man -o docs/patscan.1'
        exit 1
}
command -v groff >/dev/null || exit 0
complaints=$(groff -man -ww -Tutf8 "$PATSCAN_SOURCE/docs/patscan.1" 2>&1 >/dev/null)
[ -z "$complaints" ] || { echo "$complaints"; exit 1; }
