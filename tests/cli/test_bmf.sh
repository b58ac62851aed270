#!/bin/sh
# test_bmf.sh - the bundled BMF programs run, and docs/BMF.md knows the whole language and tells the truth of its
# example.
set -u
cd "$PATSCAN_SOURCE" || exit 2
bad=0
fail() {
        echo "$1"
        bad=1
}

n=0
for program in traces/bmf/*.bmf; do
        n=$((n + 1))
        case $(head -1 "$program") in '-- '*) ;; *) fail "$program does not say what it shows" ;; esac
        "$PATSCAN" bmf "$program" --library traces/bmf/increment.lib >/dev/null ||
                "$PATSCAN" bmf "$program" >/dev/null || fail "$program does not run"
done 2>/dev/null
[ "$n" -ge 5 ] || fail "only $n programs"

names=$(sed -n 's/^PS_BMF_\(FORM\|OP\)([A-Z_]*, "\([A-Za-z_]*\)".*/\2/p' simulator/bmf.def)
[ "$(echo "$names" | wc -l)" -eq 38 ] || fail 'simulator/bmf.def has another number of operators'
for name in $names; do
        case $name in B_Op) continue ;; esac # it is explained by its operators
        grep -q "^|.*\`$name[ \`]" docs/BMF.md || fail "docs/BMF.md has no row for $name"
done
sed -n 's/^PS_BMF_LIMIT([a-z_]*, \([0-9]*\), .*/\1/p' simulator/bmf.def | while read -r limit; do
        [ "$limit" = 16777216 ] && continue # 16 MiB
        shown=$(echo "$limit" | sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta')
        # The text breaks its lines.
        tr '\n' ' ' <docs/BMF.md | grep -q "[ ,]$shown " || { echo "docs/BMF.md does not tell the limit $shown"; exit 1; }
done || bad=1

"$PATSCAN" bmf traces/bmf/scan.bmf --report gcc >"${TMPDIR:-/tmp}/bmf.$$"
sed -n 1p "${TMPDIR:-/tmp}/bmf.$$" | grep -qFf - docs/BMF.md || fail 'the result in docs/BMF.md is another one'
sed -n '2s/ Most on.*//p' "${TMPDIR:-/tmp}/bmf.$$" | grep -qFf - docs/BMF.md || fail 'the finding in docs/BMF.md is another one'
rm -f "${TMPDIR:-/tmp}/bmf.$$"
exit $bad
