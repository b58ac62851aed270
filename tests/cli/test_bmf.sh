#!/bin/sh
# test_bmf.sh - the bundled BMF programs run, and docs/BMF.md knows the whole language and tells the truth of its
# example.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"

n=0
for program in traces/bmf/*.bmf; do
        n=$((n + 1))
        case $(head -1 "$program") in '-- '*) ;; *) fail "$program does not say what it shows" ;; esac
        "$PATSCAN" bmf "$program" --library traces/bmf/increment.lib >/dev/null ||
                "$PATSCAN" bmf "$program" >/dev/null || fail "$program does not run"
done 2>/dev/null
[ "$n" -ge 5 ] || fail "only $n programs"

names=$(sed -n 's/^PS_BMF_\(FORM\|OP\)([A-Z_]*, "\([A-Za-z_]*\)".*/\2/p' simulator/bmf/bmf.def)
[ "$(echo "$names" | wc -l)" -eq 38 ] || fail 'simulator/bmf/bmf.def has another number of operators'
for name in $names; do
        case $name in B_Op) continue ;; esac # it is explained by its operators
        grep -q "^|.*\`$name[ \`]" docs/BMF.md || fail "docs/BMF.md has no row for $name"
done
sed -n 's/^PS_BMF_LIMIT([a-z_]*, \([0-9]*\), .*/\1/p' simulator/bmf/bmf.def | while read -r limit; do
        [ "$limit" = 16777216 ] && continue # 16 MiB
        shown=$(echo "$limit" | sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta')
        # The text breaks its lines.
        tr '\n' ' ' <docs/BMF.md | grep -q "[ ,]$shown " || { echo "docs/BMF.md does not tell the limit $shown"; exit 1; }
done || bad=1

shown=$("$PATSCAN" bmf traces/bmf/scan.bmf --report gcc)
echo "$shown" | sed -n 1p | grep -qFf - docs/BMF.md || fail 'the result in docs/BMF.md is another one'
echo "$shown" | sed -n '2s/ Most on.*//p' | grep -qFf - docs/BMF.md || fail 'the finding in docs/BMF.md is another one'

# The same run gives the same files, and its report is a report.
for i in 1 7; do
        "$PATSCAN" bmf traces/bmf/reverse.bmf --network tree --threads $i -o "$dir/$i.trf" --report json:"$dir/$i.json" \
                >/dev/null || fail 'the run cannot be written'
done
cmp "$dir/1.trf" "$dir/7.trf" && cmp "$dir/1.json" "$dir/7.json" || fail 'two runs differ'
grep -q '"timing": "predicted"' "$dir/1.json" || fail 'a simulated run is not measured'
"$PATSCAN" info "$dir/1.trf" | grep -qx '  None.' || fail 'the trace that was written has defects'
python3 tests/cli/check_report.py docs/report.schema.json "$dir/1.json"
case $? in 0 | 77) ;; *) fail 'the report is not as its schema says' ;; esac

# A report that is for programs has the standard output for itself.
for format in json sarif codequality; do
        "$PATSCAN" bmf traces/bmf/reverse.bmf --report $format 2>"$dir/err" | python3 -c 'import json, sys; json.load(sys.stdin)' ||
                fail "$format on the standard output is no JSON"
        grep -qx '\[\[15\], .*\[0\]\]' "$dir/err" || fail "$format: the result is not told"
done
"$PATSCAN" bmf traces/bmf/reverse.bmf --report csv 2>/dev/null | head -n 1 | grep -q '^id,' || fail 'csv begins with something else'
"$PATSCAN" bmf traces/bmf/reverse.bmf --report json:"$dir/report" 2>/dev/null | grep -q '^\[\[15' || fail 'the result is gone'
exit $bad
