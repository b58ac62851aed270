#!/bin/sh
# test_completion.sh - the shells accept their scripts, and bash completes with its own.
set -u
bad=0
for shell in bash zsh fish; do
        "$PATSCAN" completion $shell >/dev/null || { echo "no script for $shell"; bad=1; }
        command -v $shell >/dev/null || continue
        "$PATSCAN" completion $shell | $shell -n || { echo "$shell does not take its script"; bad=1; }
done
command -v bash >/dev/null || exit $bad

# offered WORD...: what bash offers for the last one
offered() {
        bash -c 'eval "$("$0" completion bash)"
                COMP_WORDS=("$0" "$@")
                COMP_CWORD=$#
                _patscan
                echo "${COMPREPLY[*]}"' "$PATSCAN" "$@"
}

expect() {
        wanted=$1
        shift
        got=$(offered "$@")
        [ "$got" = "$wanted" ] || { echo "completing \"$*\": \"$got\" and not \"$wanted\""; bad=1; }
}

expect 'info' in
expect 'dump' du
expect '--threads' info --th
expect '--threads' app.otf2 --th
expect '' dump --th
expect 'text json csv html markdown' info app.otf2 --report ''
expect 'text json csv html markdown' redistribute x --report ''
expect 'sarif' app.otf2 --report sa
expect 'sarif' analyze app.otf2 --report sa
pattern=$("$PATSCAN" patterns | sed -n 's/^ *\(late-nonblocking[a-z-]*\).*/\1/p' | head -n 1)
expect "${pattern:-no such pattern}" app.otf2 --only late-nonb
expect "wrong-order,late-nonblocking-send" app.otf2 --ignore wrong-order,late-nonb
expect 'late-nonblocking-send' app.otf2 --fail-on = late-nonb
expect 'recorded' predict app.otf2 --machine rec
expect 'bus' predict app.otf2 --machine = bu
expect 'overlap' predict app.otf2 over
expect 'region:' predict app.otf2 reg
expect 'bw*' predict app.otf2 bw
# After a colon or an equals sign bash wants what is behind it.
demo=$PATSCAN_SOURCE/traces/demo
expect 'relax report' predict "$demo" region : re
expect 'relax report' predict "$demo" --machine recorded balance : re
expect 'late-nonblocking-send' predict "$demo" remove : late-nonb
expect 'exchange' info "$demo" --focus = exch
expect 'exchange,relax' "$demo" --interval exchange,rel
expect '' predict /nonexistent region : re

# What stands in a trace is never executed.
dir=$(mktemp -d)
"$PATSCAN" dump "$demo" --format picl -o "$dir/trace" 2>/dev/null && sed -i "s|relax|\$(touch $dir/executed)|" "$dir/trace"
offered info "$dir/trace" --focus '' | grep -qF "\$(touch $dir/executed)" || { echo 'no name to be executed is offered'; bad=1; }
[ ! -e "$dir/executed" ] || { echo 'a name of a trace was executed'; bad=1; }
rm -rf "$dir"
expect 'repair' info --clock = re
expect 'bash zsh fish' completion ''
expect 'compare completion' help comp
expect '--tolerance' compare a b --tol
expect 'html' compare a b --report h
exit $bad
