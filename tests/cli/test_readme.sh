#!/bin/sh
# test_readme.sh - the README's picture and excerpts are what the program prints.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
scratch=$dir/printed

"$PATSCAN" traces/demo --top 2 --color=always |
        awk -v command='patscan traces/demo --top 2' -f tools/terminal-svg.awk | diff docs/report.svg - ||
        fail 'docs/report.svg is out of date: see tools/terminal-svg.awk'

# Warnings, up to where they are cut.
"$PATSCAN" traces/demo --report gcc >"$scratch"
grep '^    traces/demo/heat.c:' README.md | sed 's/^    //; s/ \.\.\. .*//' | while IFS= read -r line; do
        grep -qF -- "$line" "$scratch" || { echo "not a warning: $line"; exit 1; }
done || bad=1

# The formats, in their order, and the options.
"$PATSCAN" help analyze >"$scratch"
formats=$(tr -d '\n' <"$scratch" | sed -n 's/.*may be repeated *(\(text[-a-z|, ]*\)).*/\1/p' | tr -d ' ' | tr , '|')
told=$(sed -n 's/^| `\([-a-z]*\)` |.*/\1/p' README.md | paste -sd '|')
[ "$told" = "$formats" ] || fail "formats: the README has $told, the program $formats"
"$PATSCAN" man | sed 's/\\f[A-Z]//g; s/\\//g' >"$scratch"
for option in $(grep -v cmake README.md | grep -o '[ `]--[a-z-]*' | tr -d ' `' | sort -u); do
        case $option in --help | --cflags | --libs) continue ;; esac
        grep -q -- "$option" "$scratch" || fail "no such option: $option"
done

events=$("$PATSCAN" dump traces/demo)
n=0
while IFS= read -r line; do
        n=$((n + 1))
        case $events in *"$line"*) ;; *) fail "not in the dump: $line" ;; esac
done <<END
$(sed -n 's/^    \([0-9][0-9]*\.[0-9]\{9\} .*\)/\1/p' README.md)
END
[ "$n" -eq 2 ] || fail 'the README shows no events'

# Every code, with its meaning, in the words of the manual.
"$PATSCAN" help analyze | sed -n 's/^  \([0-9]\)  \([^(]*[^ (]\).*/\1 | \2/p' | while IFS= read -r row; do
        grep -qF "| $row" README.md || { echo "not an exit code of the README: $row"; exit 1; }
done || bad=1

for file in $(grep -o '](\([^):]*\))' README.md | tr -d ']()'); do
        [ -e "$file" ] || fail "a link leads nowhere: $file"
done
exit $bad
