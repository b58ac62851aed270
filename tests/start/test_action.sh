#!/bin/sh
# test_action.sh - the action for GitHub does in one step what action.yml says, in a stand-in of the runner's environment: a file for
# the summary, one for outputs, and a server that takes the upload.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
command -v python3 >/dev/null || exit 77
mkdir "$dir/bin"
ln -s "$PATSCAN" "$dir/bin/patscan"
PATH=$dir/bin:$PATH
export PATH GITHUB_STEP_SUMMARY="$dir/summary.md" GITHUB_OUTPUT="$dir/outputs" GITHUB_SHA=0123abcd GITHUB_REF=refs/heads/main \
        GITHUB_REPOSITORY=us/ours PATSCAN_REPORTS="$dir/reports"

# act CODE [NAME=VALUE...]: a run with these inputs
act() {
        code=$1
        shift
        : >"$dir/outputs"
        env "$@" tools/action.sh >"$dir/log" 2>&1
        got=$?
        [ "$got" -eq "$code" ] || fail "exit code $got instead of $code: $*: $(cat "$dir/log")"
}
output() { sed -n "s/^$1=//p" "$dir/outputs"; }

echo 'of another step' >"$dir/summary.md"
act 0 PATSCAN_TRACE=traces/demo
[ "$(head -n 1 "$dir/summary.md")" = 'of another step' ] || fail 'the summary of another step is gone'
grep -q 'Rank 2 computes 40 % longer' "$dir/summary.md" || fail 'the summary does not tell the first cause'
for kind in sarif json html; do [ -s "$(output $kind)" ] || fail "no output $kind"; done
[ "$(output exit-code)" = 0 ] || fail 'no exit code'

cp "$(output json)" "$dir/perf.json"
act 1 PATSCAN_TRACE=traces/demo PATSCAN_FAIL_ON='total>1%,new' PATSCAN_BASELINE="$dir/perf.json" PATSCAN_OPTIONS='--top 3 --epsilon 1us'
[ "$(output exit-code)" = 1 ] && [ -s "$(output sarif)" ] || fail 'a limit that is exceeded leaves no report'
grep -q '^::error::patscan: limit exceeded: total>1%25' "$dir/log" || fail "the limit is no annotation: $(cat "$dir/log")"
! grep -q 'limit exceeded: new' "$dir/log" || fail 'what the baseline has is new'
# It may be that of the run before, in the same folder.
act 0 PATSCAN_TRACE=traces/demo PATSCAN_FAIL_ON=new PATSCAN_BASELINE="$(output json)"
[ -s "$(output json)" ] || fail 'a baseline among the reports leaves no report'
act 3 PATSCAN_TRACE=README.md PATSCAN_FAIL_ON=new PATSCAN_BASELINE="$dir/reports/patscan.json"
[ -z "$(output json)" ] || fail 'the report of the run before is told to be the new one'
act 3 PATSCAN_TRACE=README.md
grep -q '^::error::patscan: error: this is not a trace' "$dir/log" || fail 'a wrong trace is no annotation'
act 2 PATSCAN_TRACE=

# The inputs of action.yml are the script's, all of them.
for input in $(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z-]*\):$/\1/p' action.yml); do
        name=PATSCAN_$(echo "$input" | tr 'a-z-' 'A-Z_')
        grep -q "^        $name: \${{ inputs.$input }}$" action.yml && grep -q "\$$name\|{$name" tools/action.sh ||
                fail "the input $input does not reach the script"
done
for name in $(sed -n '/^outputs:/,/^runs:/s/^  \([a-z-]*\):$/\1/p' action.yml); do
        grep -q "steps.analyse.outputs.$name }}" action.yml || fail "the output $name has no value"
done

command -v curl >/dev/null || exit $bad
cat >"$dir/server.py" <<'END'
import base64, gzip, http.server, json, sys
class Taker(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        sarif = json.loads(gzip.decompress(base64.b64decode(sent["sarif"])))
        good = (self.path == "/repos/us/ours/code-scanning/sarifs" and sent["commit_sha"] == "0123abcd" and sent["ref"] == "refs/heads/main"
                and sarif["version"] == "2.1.0" and self.headers["Authorization"] == "Bearer secret")
        self.send_response(202 if good else 403)
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Taker)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 "$dir/server.py" >"$dir/port" &
server=$!
trap 'kill $server; rm -rf "$dir"' EXIT
for _ in $(seq 100); do [ -s "$dir/port" ] && break; sleep 0.3; done
GITHUB_API_URL=http://127.0.0.1:$(cat "$dir/port")
export GITHUB_API_URL
act 0 PATSCAN_TRACE=traces/demo PATSCAN_UPLOAD=true PATSCAN_TOKEN=secret
act 1 PATSCAN_TRACE=traces/demo PATSCAN_UPLOAD=true PATSCAN_TOKEN=secret PATSCAN_FAIL_ON='total>1%'
act 2 PATSCAN_TRACE=traces/demo PATSCAN_UPLOAD=true PATSCAN_TOKEN=wrong
! grep -q wrong "$dir/log" || fail 'the token is in the log'
[ ! -e "$dir/reports/upload.json" ] || rm "$dir/reports/upload.json"
exit $bad
