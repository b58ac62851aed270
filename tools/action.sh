#!/bin/sh
# action.sh - what action.yml does, in one step: analyses a trace, writes reports, adds one in Markdown to the summary of the job, makes
# findings alerts of code scanning if that is wanted, and exits as patscan does. Inputs come as PATSCAN_*, the rest from the
# runner's environment. patscan is the one of the PATH, or it is built from the tree that this script is in.
set -u
fail() {
        echo "::error::patscan: $*"
        exit 2
}

[ -n "${PATSCAN_TRACE:-}" ] || fail 'the input trace is missing'
here=$(cd "$(dirname "$0")/.." && pwd)
program=$(command -v patscan) || program=$here/build/release/patscan
[ -x "$program" ] || (cd "$here" && tools/install-packages.sh build && cmake --preset release -DBUILD_TESTING=OFF &&
        cmake --build --preset release --target product) >&2 || fail 'it cannot be built'

reports=${PATSCAN_REPORTS:-patscan-report}
mkdir -p "$reports" || fail "cannot make the folder $reports"
summary=$reports/patscan.md
# A baseline among the reports would go with those of the run before.
for old in "$reports"/patscan.*; do
        # shellcheck disable=SC3013  # dash, bash and busybox have it
        [ ! "$old" -ef "${PATSCAN_BASELINE:-}" ] || { mv "$old" "$reports/baseline.json" && PATSCAN_BASELINE=$reports/baseline.json; }
done
# shellcheck disable=SC2086  # one word an option
set -- "$PATSCAN_TRACE" --quiet --report "sarif:$reports/patscan.sarif" --report "json:$reports/patscan.json" \
        --report "html:$reports/patscan.html" --report "markdown:$summary" ${PATSCAN_OPTIONS:-}
[ -z "${PATSCAN_BASELINE:-}" ] || set -- "$@" --baseline "$PATSCAN_BASELINE"
[ -z "${PATSCAN_FAIL_ON:-}" ] || set -- "$@" --fail-on "$PATSCAN_FAIL_ON"
rm -f "$reports"/patscan.*
"$program" "$@" 2>"$reports/errors"
code=$?
# A line of the log that begins so is an annotation; what a trace says must not become one of another kind.
sed 's/%/%25/g; s/^patscan: /::error::patscan: /' "$reports/errors" >&2

[ ! -s "$summary" ] || cat "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
for kind in sarif json html; do
        [ ! -s "$reports/patscan.$kind" ] || echo "$kind=$reports/patscan.$kind"
done >>"${GITHUB_OUTPUT:-/dev/null}"
echo "exit-code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"

if [ "${PATSCAN_UPLOAD:-}" = true ] && [ -s "$reports/patscan.sarif" ]; then
        printf '{"commit_sha":"%s","ref":"%s","sarif":"%s"}' "$GITHUB_SHA" "$GITHUB_REF" \
                "$(gzip -c "$reports/patscan.sarif" | base64 | tr -d '\n')" >"$reports/upload.json"
        printf 'header = "Authorization: Bearer %s"\n' "$PATSCAN_TOKEN" |
                curl -sS --fail-with-body --config - -H 'Accept: application/vnd.github+json' \
                        -H 'X-GitHub-Api-Version: 2022-11-28' -d "@$reports/upload.json" \
                        "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/code-scanning/sarifs" ||
                fail 'the findings could not be uploaded; has the job the permission security-events: write?'
        rm -f "$reports/upload.json"
fi
exit "$code"
