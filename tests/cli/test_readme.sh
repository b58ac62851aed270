#!/bin/sh
# test_readme.sh - the README's picture and excerpts are what the program prints.
set -u
cd "$PATSCAN_SOURCE" || exit 2
bad=0
fail() {
        echo "$1"
        bad=1
}

"$PATSCAN" info traces/demo --color=always |
        awk -v command='patscan info traces/demo' -f tools/terminal-svg.awk | diff docs/info.svg - ||
        fail 'docs/info.svg is out of date: see tools/terminal-svg.awk'

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
"$PATSCAN" help info | sed -n 's/^  \([0-9]\)  \([^(]*[^ (]\).*/\1 | \2/p' | while IFS= read -r row; do
        grep -qF "| $row" README.md || { echo "not an exit code of the README: $row"; exit 1; }
done || bad=1

for file in $(grep -o '](\([^):]*\))' README.md | tr -d ']()'); do
        [ -e "$file" ] || fail "a link leads nowhere: $file"
done
exit $bad
