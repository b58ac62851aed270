# lab.sh - what tests of the command line begin with: the root of the tree as working directory, a scratch folder
# $dir, and fail(), which says what is wrong and lets `exit $bad` fail in the end. To be sourced.
cd "$PATSCAN_SOURCE" || exit 2
dir=$(mktemp -d) || exit 2
trap 'chmod 700 "$dir"; rm -rf "$dir"' EXIT
bad=0
fail() {
        echo "$1"
        bad=1
}

# expect CODE SAID WORD...: the exit code of patscan, and a part of what it says on stderr; '' for nothing at all
expect() {
        code=$1 said=$2
        shift 2
        "$PATSCAN" "$@" >"$dir/out" 2>"$dir/err"
        got=$?
        [ "$got" -eq "$code" ] || fail "exit code $got instead of $code: patscan $*"
        if [ -z "$said" ]; then
                [ ! -s "$dir/err" ] || fail "said something: $(head -n 1 "$dir/err"): patscan $*"
        else
                grep -qF -- "$said" "$dir/err" || fail "did not say: $said: patscan $*"
        fi
}
