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
                COMP_WORDS=(patscan "$@")
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
expect 'repair' info --clock = re
expect 'bash zsh fish' completion ''
expect 'compare completion' help comp
expect '--tolerance' compare a b --tol
expect 'html' compare a b --report h
exit $bad
