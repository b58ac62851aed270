#!/bin/sh
# test_exports.sh - the run for other tools is what the report says, and the same each time.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }
python=$(command -v python3) || exit 77

"$PATSCAN" traces/demo --report "perfetto:$dir/1.pftrace" --report "json:$dir/1.json" --threads 1 || fail 'no trace for Perfetto'
"$PATSCAN" traces/demo --report "perfetto:$dir/2.pftrace" --threads 2 || fail 'no trace for Perfetto'
cmp "$dir/1.pftrace" "$dir/2.pftrace" || fail 'it depends on the number of threads'
"$python" tests/cli/check_perfetto.py "$dir/1.pftrace" "$dir/1.json" || fail 'what Perfetto would show is not what the report says'
"$PATSCAN" traces/demo --focus exchange --report "perfetto:$dir/3.pftrace" --report "json:$dir/3.json" || fail 'no trace of a region'
"$python" tests/cli/check_perfetto.py "$dir/3.pftrace" "$dir/3.json" || fail 'what Perfetto would show of a region is not what the report says'

"$PATSCAN" traces/demo --report "sqlite:$dir/1.db" || fail 'no database'
"$PATSCAN" traces/demo --report sqlite --threads 2 >"$dir/2.db" || fail 'no database on stdout'
cmp "$dir/1.db" "$dir/2.db" || fail 'the database is not the same each time'
# Without the library of SQLite there is all but a database, which says what is missing.
mkdir "$dir/lib" && : >"$dir/lib/libsqlite3.so.0"
LD_LIBRARY_PATH=$dir/lib "$PATSCAN" traces/demo --report "sqlite:$dir/none.db" 2>"$dir/err" && fail 'a database without SQLite'
grep -q 'library of SQLite.*cannot be loaded.*libsqlite3' "$dir/err" || fail "does not say what is missing: $(cat "$dir/err")"
[ ! -e "$dir/none.db" ] || fail 'a database was left without SQLite'

"$python" -c 'import sqlite3' 2>/dev/null || exit 0
"$python" tests/cli/check_sqlite.py "$dir/1.db" "$dir/1.json" || fail 'the database is not what the report says'
"$PATSCAN" traces/demo --focus exchange --report "sqlite:$dir/3.db" || fail 'no database of a region'
"$python" tests/cli/check_sqlite.py "$dir/3.db" "$dir/3.json" || fail 'the database of a region is not what the report says'
