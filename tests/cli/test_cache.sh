#!/bin/sh
# test_cache.sh - with --cache the second command says the same as the first one, and as one without it; what cannot be
# used is dropped, with one line.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
export XDG_CACHE_HOME="$dir/xdg"
kept="$XDG_CACHE_HOME/patscan"

compare() { # the words of a command that writes to its standard output
        "$PATSCAN" "$@" >"$dir/plain" 2>"$dir/plain.err"
        for round in keeps takes; do
                "$PATSCAN" "$@" --cache >"$dir/cached" 2>"$dir/cached.err" || fail "$round: no report of $*"
                cmp -s "$dir/plain" "$dir/cached" || fail "$round: another report: $*"
                cmp -s "$dir/plain.err" "$dir/cached.err" || fail "$round: says $(cat "$dir/cached.err"): $*"
        done
        "$PATSCAN" "$@" --cache -v 2>&1 >/dev/null | grep -q 'taken from the cache' || fail "not taken: $*"
}

for trace in traces/demo traces/bmf/*.trf; do
        [ -e "$trace" ] || continue
        compare "$trace" --report json
        compare "$trace" --report html
        compare info "$trace" --profile
done
compare traces/demo --focus exchange --report json
compare predict traces/demo --machine recorded 'region:exchange*0.5' --report json
compare compare traces/demo traces/demo
[ "$(ls "$kept" | wc -l)" -ge 4 ] || fail 'not a file for each sort of load'

expect 0 'removed from the cache' info traces/demo --cache=clear -v
[ -z "$(ls "$kept")" ] || fail 'something is kept after all'
expect 0 '' info traces/demo --cache
expect 0 'removed from the cache: files=1' --cache=clear
[ -z "$(ls "$kept")" ] || fail 'something is kept although no trace was named'
mkdir "$kept/of-somebody.patscan-cache"
expect 5 'cannot remove a cache' --cache=clear
rmdir "$kept/of-somebody.patscan-cache" "$kept"
: >"$kept"
expect 5 'cannot list the caches' --cache=clear
rm "$kept"
expect 0 'removed from the cache: files=0' --cache=clear
expect 2 'give a command' --cache
expect 2 'needs a' info --cache="$dir/own"
expect 2 'not an option' dump --cache=clear
expect 0 '' info traces/demo --cache="$dir/own/place"
file=$(ls "$dir"/own/place/*.patscan-cache)
chmod 644 "$file"
expect 0 'what was kept of the trace cannot be used' info traces/demo --cache="$dir/own/place"
[ "$(grep -c . "$dir/err")" -eq 1 ] || fail 'more than one line for a cache that is dropped'
expect 0 '' info traces/demo --cache="$dir/own/place"
cp -r traces/gasp "$dir/gasp" # a cache beside the files of a trace is none of them
for said in read 'taken from the cache'; do
        expect 0 "$said" info "$dir/gasp/rod.0" --cache="$dir/gasp" -v
done
expect 0 'is not kept for the next time' info traces/demo --cache=/dev/null/place
[ "$("$PATSCAN" info traces/demo --cache=/dev/null/place 2>&1 >/dev/null | grep -c warning)" -eq 1 ] || fail "what is wrong with a folder is told twice"
(
        ulimit -f 16 # blocks of 512 bytes, or of 1,024
        expect 0 'File too large' info traces/demo --cache="$dir/limited"
        exit "$bad"
) || bad=1
[ -z "$(ls "$dir/limited")" ] || fail 'a part of a file is left'
expect 2 'not an option' dump traces/demo --cache

# Named in another way it is the same trace; a report tells the name that was given.
again() {
        "$PATSCAN" "$1" --report json >"$dir/plain" 2>"$dir/plain.err"
        "$PATSCAN" "$1" --report json --cache="$dir/named" -v >"$dir/cached" 2>"$dir/cached.err"
        cmp -s "$dir/plain" "$dir/cached" || fail "another report of $1"
        "$2" -q 'taken from the cache' "$dir/cached.err" || fail "$1: $(cat "$dir/cached.err")"
}
absent() { ! grep "$@"; }
cp -r traces/demo "$dir/run"
truncate -s 1000 "$dir/run/traces/0.evt" # so that the report names a file
ln -s run "$dir/link"
again "$dir/run/traces.otf2" absent
for name in run/../run/traces.otf2 link/traces.otf2; do
        again "$dir/$name" grep
done
(cd "$dir/run" && again traces.otf2 grep && exit "$bad") || bad=1

# A focus that is not there is told alike, kept or not.
expect 2 'nowhere' traces/demo --cache --focus nowhere
expect 2 'nowhere' traces/demo --cache --focus nowhere
exit $bad
