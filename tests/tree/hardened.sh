#!/bin/sh
# hardened.sh - what is linked takes no code from where data may be written: `hardened.sh FILE...`. 77: no readelf.
set -u
command -v readelf >/dev/null || exit 77
bad=0
fail() {
        echo "$1"
        bad=1
}
for file in "$@"; do
        readelf -dW "$file" | grep -qE 'BIND_NOW|Flags:.* NOW' || fail "$file: names are looked up while it runs"
        readelf -lW "$file" | grep -q GNU_RELRO || fail "$file: its tables of names stay writable"
        readelf -lW "$file" | grep GNU_STACK | grep -q ' RW ' || fail "$file: its stack is executable"
        readelf -hW "$file" | grep -q 'Type: *DYN' || fail "$file: it lies where everybody expects it"
done
exit $bad
