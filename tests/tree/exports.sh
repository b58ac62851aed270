#!/bin/sh
# exports.sh - libpatscan exports what patscan.h marks PATSCAN_API, all of it and nothing else, under its soname, and
# does not need the OTF2 library: `exports.sh LIBPATSCAN_SO`.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

cat include/patscan/*.h | tr '\n' ' ' | grep -oE 'PATSCAN_API [^;(]*\(' | grep -oE 'patscan_[a-z0-9_]+\($' | tr -d '(' | sort >"$work/promised"
nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v -e '^_' -e '^PATSCAN_' | sed 's/@@PATSCAN_0$//' | sort >"$work/exported"
[ -s "$work/promised" ] || { echo 'patscan.h promises nothing'; exit 1; }
diff "$work/promised" "$work/exported" || { echo 'promised (<) and exported (>) differ'; exit 1; }

readelf -d "$1" >"$work/dynamic" || exit 1
grep -q 'SONAME.*\[libpatscan\.so\.0\]' "$work/dynamic" || { echo 'wrong soname'; cat "$work/dynamic"; exit 1; }
# All that it needs is cJSON and what each system has. What one report needs is looked for when it is written.
! grep NEEDED "$work/dynamic" | grep -vE '\[(libcjson|libz|libm|libc|libpthread|libdl|ld-linux[^]]*|lib[alut]*san)\.so[^]]*\]'
