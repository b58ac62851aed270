#!/bin/sh
# test_fixes.sh - the command that tries a fix runs as it stands there, and says what the report said: with the bundled
# trace, and with all that real recorders wrote, where there are such traces (see tests/support/corpus.h).
set -u
cd "$PATSCAN_SOURCE" || exit 2
corpus=${PATSCAN_CORPUS:-$(echo "$PATSCAN_SOURCE"/../*/corpus)}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tried=0

# As a shell reads them: names in quotes, with spaces and $ in them.
patscan() {
        "$PATSCAN" "$@"
}

# try COMMAND SENTENCE: the run is as long as in "(77.89 ms instead of 128.1 ms)"
try() {
        expected=${2##*\(}
        expected=${expected%% instead of*}
        eval "$1 --causes none --allow-partial" >"$dir/out" 2>"$dir/err" || {
                echo "fails: $1: $(cat "$dir/err")"
                bad=1
        }
        got=$(sed -n 's/^Predicted    \([^,]*\),.*/\1/p' "$dir/out")
        [ "$got" = "$expected" ] || {
                echo "$got, not $expected: $1"
                bad=1
        }
        tried=$((tried + 1))
}

# The causes of a trace as markdown, where lines are not broken. Of the whole run: what a fix saves outside of a focus
# is in its gain, too.
check() {
        "$PATSCAN" "$@" --focus whole-run -v --report markdown 2>/dev/null >"$dir/report.md"
        said=
        while read -r line; do
                case $line in
                *' instead of '*) said=$line ;;
                'Try it: `patscan predict '*)
                        line=${line#*\`}
                        try "${line%\`*}" "$said"
                        ;;
                esac
        done <"$dir/report.md"
}

# Where nothing is worth mending the page has no cards that say what to mend, and where something is, it has.
cards() {
        "$PATSCAN" "$@" --quiet --report html:"$dir/page.html" --report text:"$dir/report.txt" 2>/dev/null
        grep -q 'Nothing here is worth mending' "$dir/report.txt" || return 0
        grep -q '"cards":\[\]' "$dir/page.html" && return
        echo "cards: $*: a card stands above that nothing is worth mending"
        bad=1
}

check traces/demo/traces.otf2
[ "$tried" -ge 3 ] || bad=1
"$PATSCAN" traces/demo --quiet --report html:- | grep -q '"cards":\[{' || bad=1
for archive in "$corpus"/*.tar.xz; do
        [ -e "$archive" ] || continue
        mkdir "$dir/trace 1" # a name that has to be quoted
        tar -xf "$archive" -C "$dir/trace 1" || exit 2
        find "$dir/trace 1" -name '*.otf2' >"$dir/anchors"
        while read -r anchor; do
                check "$anchor" --allow-partial
                cards "$anchor" --allow-partial
        done <"$dir/anchors"
        rm -rf "$dir/trace 1"
done
echo "$tried fixes were tried"
exit "$bad"
