#!/bin/sh
# test_config.sh - what a project's configuration changes, who goes before whom, and what is no configuration.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$PATSCAN_SOURCE" && source=$(pwd) || exit 2
mkdir -p "$dir/project/below" "$dir/own/patscan" && cd "$dir/project/below" || exit 2
export XDG_CONFIG_HOME="$dir/own"
bad=0

check() { # what, expected, got
        [ "$2" = "$3" ] && return
        printf '%s\nexpected: %s\ngot:      %s\n' "$1" "$2" "$3"
        bad=$((bad + 1))
}

json() { # an expression of the report, the other words of the command
        expression=$1
        shift
        "$PATSCAN" "$source/traces/demo" -q --report json:"$dir/report.json" "$@" 2>"$dir/errors"
        python3 -c "import json; r = json.load(open('$dir/report.json')); print($expression)"
}

project() { echo "$1" >"$dir/project/.patscan.json"; }

command -v python3 >/dev/null || { echo 'skipped: no Python'; exit 77; }
check 'no configuration' '[] 1e-06' "$(json "r['settings']['config'], r['settings']['epsilon_s']" | tr -d '(),')"
echo '{"epsilon": "3us"}' >"$dir/own/patscan/config.json"
check 'for all projects' 3e-06 "$(json "r['settings']['epsilon_s']")"
project '{"epsilon": "5us"}'
check 'the project goes first' 5e-06 "$(json "r['settings']['epsilon_s']")"
check 'both are named' "$dir/own/patscan/config.json $dir/project/.patscan.json" "$(json "' '.join(r['settings']['config'])")"
check 'the environment goes before' 7e-06 "$(PATSCAN_EPSILON=7us json "r['settings']['epsilon_s']")"
check 'an option goes before all' 9e-06 "$(PATSCAN_EPSILON=7us json "r['settings']['epsilon_s']" --epsilon 9us)"
check 'none is wanted' 1e-06 "$(PATSCAN_EPSILON=7us json "r['settings']['epsilon_s']" --no-config)"

# What is ignored stays in JSON with the reason, and goes from people and limits; sums stay.
rm "$dir/own/patscan/config.json"
project '{}'
site=$(json "[f['site'] for f in r['findings'] if f['type'] == 'late-nonblocking-send'][0]")
total=$(json "[sum(t['time_s'] for t in r['time']), [p['total_s'] for p in r['patterns']]]")
project "{\"ignore\": [{\"site\": \"$site\", \"reason\": \"known\"}]}"
check 'the reason' '{None, '"'known'}" "$(json "'{None, ' + repr({f['ignored'] for f in r['findings'] if f['ignored']})[1:]")"
check 'the sums' "$total" "$(json "[sum(t['time_s'] for t in r['time']), [p['total_s'] for p in r['patterns']]]")"
check 'other findings' "{None}" "$(json "{f['ignored'] for f in r['findings'] if f['site'] != '$site'}")"
for format in text gcc markdown; do
        "$PATSCAN" "$source/traces/demo" --report $format:"$dir/ignored" -q
        "$PATSCAN" "$source/traces/demo" --report $format:"$dir/told" -q --no-config
        check "$format leaves it out" 0 "$(grep -c -i 'late.nonblocking.send: ' "$dir/ignored")"
        check "$format has it otherwise" 1 "$(grep -c -i 'late.nonblocking.send.*: ' "$dir/told" | sed 's/[2-9]/1/')"
done
check 'the text says so' 1 "$("$PATSCAN" "$source/traces/demo" | grep -c 'findings are ignored, 83.82 ms in all')"
"$PATSCAN" "$source/traces/demo" --report sarif:"$dir/sarif" -q
check 'SARIF suppresses it' "[('late-nonblocking-send', 'known')]" "$(python3 -c "import json
print([(r['ruleId'], r['suppressions'][0]['justification']) for r in json.load(open('$dir/sarif'))['runs'][0]['results'] if 'suppressions' in r])")"
"$PATSCAN" "$source/traces/demo" -q --report json:/dev/null --fail-on 'late-sender>1%' 2>/dev/null
check 'no limit on it' 0 $?
"$PATSCAN" "$source/traces/demo" -q --report json:/dev/null --fail-on 'late-sender>1%' --no-config 2>/dev/null
check 'a limit otherwise' 1 $?
# 101.8 ms of 460 are lost, 83.8 of them are ignored: 3.9 %.
"$PATSCAN" "$source/traces/demo" -q --report json:/dev/null --fail-on 'total>4%' 2>/dev/null
check 'the rest keeps the limit' 0 $?
"$PATSCAN" "$source/traces/demo" -q --report json:/dev/null --fail-on 'total>3.8%' 2>/dev/null
check 'and breaks a lower one' 1 $?
project '{"fail_on": ["total>1%"]}'
"$PATSCAN" "$source/traces/demo" -q --report json:/dev/null 2>/dev/null
check 'a limit of the project' 1 $?

for text in '{"epsilonn": "1us"}' '[]' '{"epsilon": 5}' '{"epsilon": "1us"} x' '{"ignore": [{"site": "xyz"}]}' \
        '{"ignore": [{"site": "0000000000000001", "why": "no"}]}' ''; do
        project "$text"
        "$PATSCAN" "$source/traces/demo" -q >/dev/null 2>"$dir/errors"
        check "a mistake: $text" 2 $?
        check "it is named: $text" 1 "$(grep -c 'patscan.json' "$dir/errors")"
        "$PATSCAN" help >/dev/null 2>&1
        check "help works: $text" 0 $?
done
project '{"epsilon": "five"}'
"$PATSCAN" "$source/traces/demo" -q >/dev/null 2>&1
check 'a value that is none' 2 $?
project '{"epsilon": "5us"}'
check 'print-config' "epsilon   5us  from $dir/project/.patscan.json" "$("$PATSCAN" --print-config | grep epsilon)"
[ "$bad" -eq 0 ]
