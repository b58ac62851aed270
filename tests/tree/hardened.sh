#!/bin/sh
# hardened.sh - what is linked takes no code from where data may be written: `hardened.sh release|debug FILE...`. In a
# release large stacks are also probed page by page, and functions that are called through pointers are marked as such.
# 77: no readelf.
set -u
build=$1
shift
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
[ "$build" = release ] && [ "$(uname -m)" = x86_64 ] && command -v objdump >/dev/null || exit $bad

# Of code, read from the standard input: does a function that other files see begin with a mark?
has_marks() {
        grep -A 1 -E '<(main|patscan_close)>:$' | grep -q endbr64
}
has_probes() {
        grep -A 1 -E 'sub +\$0x1000,%rsp' | grep -qE '\$0x0,\(%rsp\)'
}
code=$(mktemp)
trap 'rm -f "$code"' EXIT
for file in "$@"; do
        objdump -d --no-show-raw-insn "$file" >"$code"
        has_marks <"$code" || fail "$file: a jump may end anywhere"
        has_probes <"$code" || fail "$file: a large stack may reach past its guard page"
done
exit $bad
