#!/bin/sh
# test_analyze.sh - what the exit code says, that limits do not pass unseen, and that the number of threads does not
# show.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
demo=traces/demo/traces.otf2

echo '== threads'
for n in 1 2 7; do
        "$PATSCAN" "$demo" --report json --threads $n >"$dir/$n.json" || fail "fails with $n threads"
done
cmp "$dir/1.json" "$dir/2.json" && cmp "$dir/1.json" "$dir/7.json" || fail 'the number of threads shows'

echo '== what takes how long'
"$PATSCAN" -v "$demo" --report json >/dev/null 2>"$dir/told" || fail 'fails with -v'
for stage in 'read [0-9]* events in [0-9.]* s' 'found patterns of waiting in [0-9.]* ms' 'found who caused them in [0-9.]* ms' \
        'summed up intervals and functions in [0-9.]* ms' 'replayed the run with messages that cost nothing in [0-9.]* ms' \
        'made the report in [0-9.]* ms' 'what fixes gain: [0-9]* replays of [0-9]* operations in [0-9.]* ms' \
        'wrote the report "json" in [0-9.]* s'; do
        grep -qx "patscan: $stage" "$dir/told" || fail "-v does not tell: $stage"
done

echo '== limits'
share() { # of a pattern, as the report says
        sed -n "s/^{\"id\": \"$1\".*\"share\": \([0-9.e-]*\),.*/\1/p" "$dir/1.json"
}
late=$(share late-sender)
[ -n "$late" ] || fail 'the demo trace has no late sender'
above=$(awk "BEGIN { printf \"%.4f\", 100 * $late + 0.01 }")
below=$(awk "BEGIN { printf \"%.4f\", 100 * $late - 0.01 }")
expect 0 '' "$demo" --fail-on "late-sender>$above%"
expect 1 "limit exceeded: late-sender>$below%: " "$demo" --fail-on "late-sender>$below%"
expect 1 'limit exceeded: total>=1ns: ' "$demo" --fail-on 'late-sender>100%,total>=1ns'
expect 1 'limit exceeded: total>0: ' "$demo" --fail-on 'total>0' -q --report "json:$dir/gated.json"
grep -q patscan-report-1 "$dir/gated.json" || fail 'the report is not written before the gate'
expect 0 '' "$demo" --fail-on 'barrier-wait>0'
expect 2 'no such pattern "late-sendr": did you mean late-sender?' "$demo" --fail-on 'late-sendr>5%'
expect 2 'is not looked for' "$demo" --fail-on 'late-sender>5%' --ignore late-sender
expect 2 'needs --baseline' "$demo" --fail-on new
expect 2 '--fail-on cannot read this limit' "$demo" --fail-on 'total'
# From MPI_Init to MPI_Finalize it takes 115.07 ms, in all 116.09 ms.
expect 1 'limit exceeded: duration>115ms: 115.1 ms, limit 115 ms' "$demo" --fail-on 'duration>115ms'
expect 0 '' "$demo" --fail-on 'duration>115.1ms'
expect 1 'limit exceeded: duration>115.1ms: 116.1 ms' "$demo" --fail-on 'duration>115.1ms' --focus whole-run
expect 1 'limit exceeded: parallel<80%: ' "$demo" --fail-on 'parallel<80%,load-balance<75%,transfer<90%'
expect 4 'the limit cannot be judged: transfer<90%: not known' "$demo" --fail-on 'transfer<90%' --causes none
expect 4 'the limit cannot be judged: serialization<1%' "$demo" --fail-on 'total>0,serialization<1%' --causes none
expect 2 'forms="parallel<80%"' "$demo" --fail-on 'parallel>80%'

echo '== baselines'
expect 0 '' "$demo" --baseline "$dir/1.json" --fail-on new
"$PATSCAN" "$demo" --report "json:$dir/less.json" --ignore late-sender || fail 'cannot ignore a pattern'
expect 1 'not in the baseline' "$demo" --baseline "$dir/less.json" --fail-on new
grep -q ', new$' "$dir/out" || fail 'what is new is not marked'
expect 0 '' "$demo" --baseline "$dir/1.json" --fail-on new-cause
sed 's/^{"id": "[0-9a-f]*", "site": "[0-9a-f]*", "process"/{"id": "0000000000000000", "site": "0000000000000000", "process"/' \
        "$dir/1.json" >"$dir/others.json"
expect 1 'new-cause: 2 causes are 1 % or more of all time and not in the baseline' "$demo" --baseline "$dir/others.json" --fail-on new-cause
"$PATSCAN" "$demo" --report "json:$dir/without.json" --causes none || fail 'cannot leave causes out'
expect 2 'needs a baseline with causes' "$demo" --baseline "$dir/without.json" --fail-on new-cause
expect 2 'cannot be checked with --causes none' "$demo" --baseline "$dir/1.json" --fail-on new-cause --causes none
expect 2 '"new-cause" needs --baseline' "$demo" --fail-on new-cause
"$PATSCAN" "$demo" --report json --baseline "$dir/without.json" | grep -q '"waiting_s".*"is_new": null' ||
        fail 'causes are marked without any in the baseline'
expect 2 '--causes needs a number' "$demo" --causes x
"$PATSCAN" "$demo" --report "json-compact:$dir/compact.json" --ignore late-sender || fail 'no compact report'
expect 1 'not in the baseline' "$demo" --baseline "$dir/compact.json" --fail-on new
"$PATSCAN" "$demo" --report "json-compact:$dir/compact.json" || fail 'no compact report'
expect 0 '' "$demo" --baseline "$dir/compact.json" --fail-on new,new-cause
sed 's/patscan-report-1/patscan-report-9/' "$dir/1.json" >"$dir/other.json"
expect 3 'schema="patscan-report-9"' "$demo" --baseline "$dir/other.json"
head -c 1000 "$dir/1.json" >"$dir/cut.json"
expect 3 'it is not JSON' "$demo" --baseline "$dir/cut.json" --fail-on new
expect 3 'No such file' "$demo" --baseline "$dir/none.json"
"$PATSCAN" info "$demo" --report "json:$dir/info.json"
expect 3 'it holds no findings' "$demo" --baseline "$dir/info.json"

echo '== what is not analysed passes no limit'
cp -R traces/demo "$dir/damaged"
head -c 5000 traces/demo/traces/1.evt >"$dir/damaged/traces/1.evt"
expect 4 'could not be read' "$dir/damaged/traces.otf2" --fail-on 'late-receiver>99%'
expect 4 'limit exceeded' "$dir/damaged/traces.otf2" --fail-on 'total>0'
expect 0 'the trace is damaged: issue=truncated-file, count=1' "$dir/damaged/traces.otf2" --allow-partial
expect 1 'limit exceeded' "$dir/damaged/traces.otf2" --allow-partial --fail-on 'total>0'
expect 3 'error:' "$dir/damaged/traces.otf2" --strict
rm -f "$dir"/damaged/traces/*.evt
expect 4 'holds no events' "$dir/damaged/traces.otf2" --fail-on 'total>99%'
"$PATSCAN" "$dir/damaged/traces.otf2" 2>/dev/null | grep -q 'Nothing was analysed' || fail 'an empty trace is praised'
expect 4 'holds no events' "$dir/damaged/traces.otf2" --allow-partial --fail-on 'total>99%'
expect 3 'error:' "$dir/none.otf2" --fail-on 'total>99%'

echo '== what is damaged passes no limit, unless it is accepted'
cp -R traces/demo "$dir/cut"
head -c 5000 traces/demo/traces/1.evt >"$dir/cut/traces/1.evt"
expect 0 'the trace is damaged: issue=truncated-file, count=1' info "$dir/cut/traces.otf2" --allow-partial
for format in text markdown html csv gcc jsonl json; do
        "$PATSCAN" "$dir/cut/traces.otf2" -q --report $format >"$dir/out"
        grep -q 'truncated-file\|The trace is damaged' "$dir/out" || fail "$format does not tell of damage"
done
cp -R "$dir/cut" "$dir/cut short"
for command in analyze info dump; do
        expect 0 "see \"patscan info '$dir/cut short'\"" $command "$dir/cut short" --allow-partial
done
cp -R traces/demo "$dir/swapped"
cp traces/demo/traces/0.evt "$dir/swapped/traces/1.evt"
cp traces/demo/traces/1.evt "$dir/swapped/traces/0.evt"
expect 0 'the trace is damaged: issue=swapped-files, count=1' "$dir/swapped/traces.otf2"
expect 4 'seem to be swapped' "$dir/swapped/traces.otf2" --fail-on 'total>99%'
expect 4 'limit exceeded' "$dir/swapped/traces.otf2" --fail-on 'total>0'
expect 1 'limit exceeded' "$dir/swapped/traces.otf2" --fail-on 'total>0' --allow-partial
expect 4 'cannot be trusted' compare "$demo" "$dir/swapped/traces.otf2" --tolerance 99
cp traces/demo/traces/0.evt "$dir/swapped/traces/0.evt"
cp traces/demo/traces/0.evt "$dir/swapped/traces/2.evt"
expect 4 'copy of another' "$dir/swapped/traces.otf2" --fail-on 'total>99%'
cp -R traces/demo "$dir/defs"
rm "$dir/defs/traces/2.def"
expect 4 'local definitions are missing' "$dir/defs/traces.otf2" --fail-on 'total>99%'
cp -R traces/demo "$dir/tails"
for file in traces.otf2 traces.def traces/1.evt; do echo more >>"$dir/tails/$file"; done
expect 0 'the trace is damaged: issue=trailing-data, count=3' "$dir/tails/traces.otf2" --fail-on 'total>99%'
head -c -4 traces/demo/traces.otf2 >"$dir/tails/traces.otf2"
expect 0 'the trace is damaged: issue=truncated-anchor, count=1, kinds=2' "$dir/tails/traces.otf2"

echo '== one line of every command says so'
one_line() {
        "$PATSCAN" "$@" >"$dir/out" 2>"$dir/err"
        [ "$(grep -c 'the trace is damaged: issue=' "$dir/err")" = 1 ] && [ "$(wc -l <"$dir/err")" = 1 ] ||
                fail "$* warns of damage with $(cat "$dir/err")"
}
for damaged in cut swapped defs tails; do
        trace=$dir/$damaged/traces.otf2
        one_line "$trace"
        one_line info "$trace"
        one_line dump "$trace"
        one_line dump "$trace" --clock as-is
        one_line predict "$trace" ideal-network
        [ $damaged = cut ] || one_line compare "$trace" "$demo"
done

echo '== a run that did not finish'
# Each sends to the other one, and neither is received.
for rank in 0 1; do printf -- '-3 -21 0.1 %s 0 3 2 8 1 %s\n' $rank $((1 - rank)); done >"$dir/hung.trf"
"$PATSCAN" "$dir/hung.trf" -q --report json | grep -q '"finished": *false' || fail 'a hung run is said to have finished'
expect 4 'cannot be trusted: more than 1 % of the messages have no partner' "$dir/hung.trf" --fail-on 'total>99%'
"$PATSCAN" dump "$dir/hung.trf" 2>&1 >/dev/null | grep -q 'some messages have no partner: count=2, of=2' ||
        fail 'dump does not warn of messages without a partner'
for format in text markdown html csv gcc jsonl; do
        "$PATSCAN" "$dir/hung.trf" -q --report $format | tr '\n' ' ' | grep -q 'The run did not finish: rank 0 waits in send' ||
                fail "$format does not tell that the run did not finish"
done
"$PATSCAN" "$dir/hung.trf" -q | tr '\n' ' ' | grep -q 'time spent in calls that never ended is in none of them' ||
        fail 'the numbers do not say where they end'
"$PATSCAN" "$dir/hung.trf" -q | grep -q '^0.0 % of all time was lost' && fail 'nothing was lost, says the report of a run that hangs'
"$PATSCAN" "$demo" --report json | grep -q '"finished": *true' || fail 'a run that finished is said to have hung'

echo '== options'
expect 2 '--epsilon needs a time or a share' "$demo" --epsilon 10
expect 2 '--eager needs a whole number' "$demo" --eager 64k
expect 2 'path-map' "$demo" --path-map nonsense
expect 2 'did you mean barrier-wait?' "$demo" --only bariier-wait
"$PATSCAN" "$demo" --epsilon 100% | grep -q 'Waits of 116' || fail 'a share of the run is no epsilon'
"$PATSCAN" "$demo" --definitions scalasca | grep -q 'Every wait counts' || fail 'Scalasca has no epsilon'
"$PATSCAN" "$demo" --epsilon 0 --report json | grep -q '"epsilon_s": 0,' || fail 'an epsilon of 0 is not taken'
"$PATSCAN" "$demo" --only late-receiver --report json >"$dir/only.json"
grep -q '"type": "late-sender\|"id": "late-sender' "$dir/only.json" && fail 'more than --only asks for'
grep -q '"parent": "late-receiver"' "$dir/only.json" || fail '--only drops the rows below'

echo '== clocks'
# The message arrives at 0.3 s and is sent at 0.5 s, as it stands. The receive begins at 0.2 s and ends at 0.3 s.
printf -- '-3 -21 0.5 0 0 3 2 8 1 1\n-4 -21 0.6 0 0 0\n-3 -52 0.2 1 0 2 2 1 0\n-4 -52 0.3 1 0 3 2 8 1 0\n' >"$dir/skew.trf"
expect 0 'some messages end before they begin, or collectives too early: messages=1, collectives=0, most="200 ms"; --definitions scalasca leaves clocks' \
        "$dir/skew.trf" --definitions scalasca
grep -q 'Late sender .* 100 ms ' "$dir/out" || fail 'Scalasca corrects no times'
expect 0 '' "$dir/skew.trf" --definitions scalasca --clock as-is
expect 0 '' "$dir/skew.trf" --definitions scalasca --clock auto
grep -q 'had to be' "$dir/out" || fail '--clock auto repairs no times'
expect 0 '' "$dir/skew.trf"
# Once repaired, the clocks are known within bounds; as they stand, they contradict each other.
expect 0 'limits are checked on the likely values' "$dir/skew.trf" --fail-on 'total>99%'
expect 4 'nobody knows how far the clocks of the processes disagree' "$dir/skew.trf" --fail-on 'total>99%' --definitions scalasca
expect 0 '' "$dir/skew.trf" --fail-on 'total>99%' --clock as-is

echo '== tables'
"$PATSCAN" "$demo" --report "csv.patterns:$dir/patterns.csv" --report "csv:$dir/1.csv" --report "csv.findings:$dir/2.csv" \
        --report "json:$dir/tables.json" || fail 'no tables'
cmp "$dir/1.csv" "$dir/2.csv" || fail 'the table of findings is not the one that csv is'
sed -n '/^"patterns"/,/^\]/s/^{"id": "\([^"]*\)".*"lost_s": \([^,]*\), "total_s": \([^,]*\),.*/\1 \2 \3/p' "$dir/tables.json" >"$dir/in-json"
sed -n '2,$s/^\([^,]*\),[^,]*,"[^"]*",[0-9]*,[0-9]*,\([^,]*\),\([^,]*\),.*/\1 \2 \3/p' "$dir/patterns.csv" >"$dir/in-csv"
[ -s "$dir/in-csv" ] && cmp "$dir/in-json" "$dir/in-csv" || fail 'the patterns of csv are not those of json'
# Of the run over time: the numbers of its profile.
"$PATSCAN" info "$demo" --profile --bins 1000 --report "csv:$dir/profile.csv" -q || fail 'no profile'
for table in over_time queues concurrency matrix; do
        "$PATSCAN" "$demo" --report "csv.$table:$dir/$table.csv" -q || fail "no $table"
        tr -d '\r' <"$dir/$table.csv" | sed 1d >"$dir/told"
        case $table in
        over_time) section=bin names=busy,overhead,idle,messages,bytes,most_messages,most_bytes keep=3- ;;
        queues) section=location names=queue_messages,queue_bytes keep=4,6 ;;
        concurrency) section=concurrency names=busy_s,overhead_s,idle_s keep=2- ;;
        matrix) section=matrix names=messages,bytes keep=3- ;;
        esac
        tr -d '\r' <"$dir/profile.csv" | awk -F, -v section="$section" -v names="$names" '
                BEGIN { n = split(names, name, ","); for (i in name) at[name[i]] = i }
                $1 == section && $5 in at { out = out (out == "" ? "" : ",") $6; if (at[$5] == n) { print out; out = "" } }' >"$dir/expected"
        cut -d, -f"$keep" "$dir/told" >"$dir/got"
        [ -s "$dir/got" ] && cmp "$dir/expected" "$dir/got" || fail "csv.$table is not what the profile says"
done
expect 2 'this report has no such table' "$demo" --report csv.nothing
expect 2 'concurrency|matrix"' "$demo" --report csv.nothing
expect 2 'choices="time|patterns|findings' "$demo" --report csv.nothing
expect 2 '--report does not take' "$demo" --report json.patterns
expect 2 '--report does not take' info "$demo" --report csv.patterns

echo '== schema'
for definitions in patscan scalasca paper; do
        "$PATSCAN" "$demo" --definitions $definitions --report "json:$dir/$definitions.json" || fail "no $definitions"
done
"$PATSCAN" "$demo" --ranks 1,3 --report "json:$dir/ranks.json" || fail 'no report on some ranks'
grep -q '"ranks": \[1, 3\]' "$dir/ranks.json" || fail 'the report does not say which ranks it is on'
grep -q '"ranks": null' "$dir/patscan.json" || fail 'the report on all ranks says that it is on some'
"$PATSCAN" info "$demo" --report "json:$dir/info.json" || fail 'nothing is told of the trace'
"$PATSCAN" info "$demo" --profile --report "json:$dir/profile.json" || fail 'no profile'
"$PATSCAN" "$dir/damaged/traces.otf2" --report "json:$dir/empty.json" --report "json-compact:$dir/empty.compact.json" -q
# Debian's own module belongs to Debian's own interpreter.
python=python3
python3 -c 'import jsonschema' 2>/dev/null || [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
"$python" tests/cli/check_report.py docs/report.schema.json "$dir/patscan.json" "$dir/scalasca.json" "$dir/paper.json" \
        "$dir/ranks.json" "$dir/only.json" "$dir/gated.json" "$dir/empty.json" "$dir/less.json" &&
        "$python" tests/cli/check_report.py docs/report-compact.schema.json "$dir/compact.json" "$dir/empty.compact.json" &&
        "$python" tests/cli/check_report.py docs/info.schema.json "$dir/info.json" "$dir/profile.json"
case $? in
0) ;;
77 | 127) echo 'skipped: the schema' ;;
*) bad=1 ;;
esac

# Tables of what made others wait: as the JSON report has it.
"$PATSCAN" traces/demo --report "json:$dir/whole.json" --report "csv.delays:$dir/delays.csv" --report "csv.critical_path:$dir/path.csv" ||
        fail 'no tables of delays and of the critical path'
python3 - "$dir" <<'END' || fail 'the tables are not what the JSON report says'
import csv, json, sys
whole = json.load(open(sys.argv[1] + "/whole.json"))
delays = list(csv.DictReader(open(sys.argv[1] + "/delays.csv")))
assert [d["family"] for d in delays] == list(whole["delays"])
for d in delays:
    for key, value in whole["delays"][d["family"]].items():
        assert key == "by_location" or float(d[key]) == value, (d["family"], key)
path = list(csv.DictReader(open(sys.argv[1] + "/path.csv")))
rows = whole["critical_path"]["rows"]
assert [float(p["time_s"]) for p in path] == [r["time_s"] for r in rows]
assert [p["callpath"].split(" > ") for p in path] == [r["callpath"] for r in rows]
END

# Nine processes of a million seconds and more: what all of them did has no room in a number, a part of it has.
# Whose causes are asked for waits for all others.
{
        for rank in 0 1 2 3 4 5 6 7 8; do echo "-3 -901 0.000000 $rank 0 0"; done
        echo '-3 -21 5.000000 0 0 3 2 8 1 1'
        echo '-4 -21 5.000002 0 0 0'
        echo '-3 -52 6.000000 1 0 2 2 1 0'
        echo '-4 -52 7.000000 1 0 3 2 8 1 0'
        for rank in 0 1 2 3 4 5 6 7 8; do echo "-4 -901 1100000.000000 $rank 0 0"; done
} >"$dir/long.trf"
expect 2 'too long to add up' "$dir/long.trf"
expect 2 'too long to add up' predict "$dir/long.trf" --machine recorded
expect 2 'too long to add up' compare "$dir/long.trf" "$dir/long.trf"
expect 2 'too long to add up' "$dir/long.trf" --ranks 0-7
for part in '--ranks 0-7 --causes none' '--to 1000000s'; do
        # shellcheck disable=SC2086  # words
        "$PATSCAN" "$dir/long.trf" $part >"$dir/part" || fail "$part: nothing is told"
        grep -q ' computation ' "$dir/part" || fail "$part: no table of time"
done
expect 0 '' info "$dir/long.trf" --profile
exit $bad
