#!/bin/sh
# test_options.sh - an option that asks for what is not there is refused, one that changes nothing is warned of,
# each with its name; and what is told fits a terminal.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
demo=traces/demo dvm=$dir/jacobi.ptr bmf=traces/bmf/scan.bmf
cp tests/fuzz/corpus/dvm/jacobi "$dvm"

# refused TEXT WORD...: exit code 2, TEXT on stderr, nothing on stdout
refused() {
        text=$1
        shift
        "$PATSCAN" "$@" >"$dir/out" 2>"$dir/err"
        code=$?
        [ $code -eq 2 ] || fail "exit code $code, not 2: $*"
        [ -s "$dir/out" ] && fail "refused, but printed: $*"
        grep -qF -- "$text" "$dir/err" || { fail "not told \"$text\": $*"; cat "$dir/err"; }
}

# idle OPTION WORD...: works, and warns of the option
idle() {
        named=$1
        shift
        "$PATSCAN" "$@" >"$dir/out" 2>"$dir/err" || { fail "refused: $*"; cat "$dir/err"; }
        grep -qF -- "warning: $named has no effect here: " "$dir/err" ||
                { fail "no warning of $named: $*"; cat "$dir/err"; }
}

accepted() {
        "$PATSCAN" "$@" >"$dir/out" 2>"$dir/err" || { fail "refused: $*"; cat "$dir/err"; }
}

# Numbers of things begin at 1; none of them is a secret word for something else.
refused '--top needs a whole number: value="0", least=1' "$demo" --top 0
refused '--top needs a whole number: value="0", least=1' compare "$demo" "$demo" --top 0
refused '--threads needs a whole number: value="0", least=1' "$demo" --threads 0
refused '--bins needs a whole number: value="0", least=1' info "$demo" --profile --bins 0
accepted "$demo" --top 100000
accepted "$demo" --interval main --interval-level 0

# --bins is about the profile, and brings it.
accepted info "$demo" --bins 7
grep -q '^Utilization' "$dir/out" || fail '--bins shows no profile'

# Two forms, or nothing that goes to the file.
for command in patterns 'explain late-sender' machines; do
        # shellcheck disable=SC2086  # words
        refused 'choose one of --json and --markdown' $command --json --markdown
done
refused 'choose one of --quiet and --verbose' "$demo" -q -v
refused '--ignore leaves nothing of what --only chooses' "$demo" --only late-standard-send --ignore late-sender
accepted "$demo" --only late-sender --ignore late-standard-send
refused 'every report has a file of its own already, so nothing is left for --output: file="rest.txt"' "$demo" --report "json:$dir/a.json" -o rest.txt
accepted "$demo" --report "json:$dir/a.json" --report text -o "$dir/rest.txt"
[ -s "$dir/rest.txt" ] || fail 'the report without a file did not go to --output'

# Every format and every table at once, and no more than there is room for.
for format in text json json-compact jsonl csv html sarif gcc codequality junit markdown perfetto sqlite \
        csv.patterns csv.functions csv.causes csv.intervals; do
        printf '%s\n' "--report=$format:$dir/one.$format"
done >"$dir/reports"
# shellcheck disable=SC2046  # words
accepted "$demo" $(cat "$dir/reports")
[ "$(find "$dir" -name 'one.*' -size +0 | wc -l)" -eq "$(wc -l <"$dir/reports")" ] || fail 'not all reports were written'
# shellcheck disable=SC2016  # a quoted word of the README
most=$(sed -n 's/^`--report FORMAT\[:FILE\]`, up to \([0-9]*\) times:/\1/p' README.md)
for format in $(seq "${most:-0}") ''; do printf '%s\n' "--report=json:$dir/many.${format:-one}"; done >"$dir/reports"
# shellcheck disable=SC2046
refused "no more than ${most:-0} reports can be written at once" "$demo" $(cat "$dir/reports")

# What only an analysis has.
for option in --top=3 --epsilon=1s --only=late-sender --ignore=late-sender --eager=1 --master=0 --interval=main \
        --interval-level=1 --definitions=paper --source-root=. --path-map=a=b; do
        idle "${option%%=*}" bmf "$bmf" "$option"
        [ "${option%%=*}" = --interval ] || idle "${option%%=*}" predict "$dvm" --machine bus --grid 1x1,2x2 "$option"
done
for option in --focus=main --from=1s --to=2s --ranks=0 --causes=2; do idle "${option%%=*}" bmf "$bmf" "$option"; done
accepted bmf "$bmf" --report text --top 3
idle --transport bmf "$bmf" --network mesh:4x4 --transport 3
idle --clock predict "$dvm" --machine bus --clock repair
idle --pipelining predict "$dvm" --machine bus --pipelining code
accepted predict "$dvm" --machine transputer --pipelining code
idle --pipelining redistribute 'A(36): cyclic(10)->cyclic(2)' --procs 4 --machine bus --pipelining code
accepted redistribute 'A(36): cyclic(10)->cyclic(2)' --procs 4 --pipelining code

"$PATSCAN" "$demo" --report "json:$dir/run.json" || fail 'no report'
for option in --epsilon=1s --definitions=paper --master=0 --upc-flags=new --source-root=. --path-map=a=b --interval=main \
        --clock=repair --strict; do
        idle "${option%%=*}" compare "$dir/run.json" "$dir/run.json" "$option"
done
accepted compare "$dir/run.json" "$demo" --epsilon=1us
for option in --write=x --fail-on='total>1%' --causes=2 --focus=whole-run --from=1ms --to=1ms --ranks=0; do
        refused "${option%%=*} has no effect here" predict "$dvm" --machine bus --grid 1x1,2x2 "$option"
done
for option in --grid=2 --procs=2 --distribute=a:1=block --pipelining=exact; do
        refused "${option%%=*} has no effect here: it is for traces of DVM programs" predict "$demo" --machine bus "$option"
done
refused 'no such region' predict "$dvm" --machine bus --interval=a
accepted predict "$dvm" --machine bus --interval=loops
for option in --sensitivity --gains=3 --rank-by=gain --max-drift=2%; do
        accepted predict "$dvm" --machine bus --grid 2x2 "$option"
        refused "${option%%=*} has no effect here" predict "$dvm" --machine bus --grid 1x1,2x2 "$option"
done
refused 'only the network can be edited' predict "$dvm" --machine bus --grid 1x1,2x2 balance
refused 'this edit cannot be made to a DVM program' predict "$dvm" --machine bus --grid 2x2 eager=1k
accepted predict "$dvm" --machine bus --grid 1x1,2x2 L*2
refused 'no such command "inof": did you mean info?' inof "$demo"

# A folder that is not there holds no sources.
refused 'option="--source-root"' "$demo" --source-root "$dir/nowhere"
refused 'option="--source-root"' compare "$demo" "$demo" --source-root "$dir/nowhere"

# The commands of a report are for a shell: each runs as it is printed.
mkdir "$dir/it's a folder"
cp -r traces/demo/traces.otf2 traces/demo/traces.def traces/demo/traces "$dir/it's a folder"
accepted "$dir/it's a folder/traces.otf2"
ln -s "$PATSCAN" "$dir/patscan"
sed -n 's/.*  \(patscan .*it.*\)/\1/p' "$dir/out" >"$dir/commands"
[ "$(wc -l <"$dir/commands")" -eq 10 ] || fail 'not ten commands on the trace'
while IFS= read -r command; do
        case $command in 'patscan view '*) command="timeout -s INT 5 $command"; want=124 ;; *) want=0 ;; esac
        (cd "$dir" && PATH=$dir:$PATH && eval "$command") >/dev/null 2>&1 </dev/null
        [ $? -eq $want ] || fail "does not run: $command"
done <"$dir/commands"

# 80 columns, as far as what is named lets it be: what the tables, sentences and manuals show. Commands are not broken.
narrow() {
        "$PATSCAN" "$@" 2>/dev/null | awk -v what="$*" 'length > 80 && !/^ *patscan / {print what ": " $0; n++} / $/ {print what ": ends with a blank: " $0; n++} END {exit n > 0}' ||
                fail "wider than 80 columns: $*"
}
LC_ALL=C.UTF-8
export LC_ALL
narrow patterns
narrow formats
narrow machines
narrow explain --all
narrow help
for command in analyze info dump compare calibrate bmf predict redistribute patterns explain machines formats completion man; do
        narrow help "$command"
done
narrow "$demo" -v
narrow "$demo" --interval main,exchange,report
narrow info "$demo"
narrow compare "$demo" "$demo"
narrow predict "$demo" --machine recorded balance --sensitivity
narrow calibrate "$demo" -o "$dir/m.json"
narrow predict tests/fuzz/corpus/dvm/gauss --machine cluster --grid 2x2
narrow predict tests/fuzz/corpus/dvm/all --machine bus --grid 2x2
narrow predict tests/fuzz/corpus/dvm/jacobi --machine bus --grid 1x1..4x4
narrow bmf "$bmf" --report text
narrow cost ethernet-10g bcast --procs 8,64 --bytes 8..1M
narrow redistribute 'A(60): cyclic(6)->cyclic(2)' --procs 4

# --memory takes sizes, says what the least is, and changes no report.
"$PATSCAN" traces/demo --report json >"$dir/plain"
for size in 80M 96Mi 1G 1GiB 98304K 83886080; do
        "$PATSCAN" traces/demo --report json --memory $size >"$dir/limited" || fail "--memory $size is refused"
        cmp -s "$dir/plain" "$dir/limited" || fail "--memory $size: another report"
done
for size in '' 0 -1 M 5X 1GG 99999999999G 1.5G 8B; do
        "$PATSCAN" traces/demo --memory "$size" >"$dir/out" 2>"$dir/err"
        [ $? -eq 2 ] || fail "--memory \"$size\" is taken"
        grep -q -e '--memory' "$dir/err" || fail "--memory \"$size\": $(cat "$dir/err")"
done
for size in 8388608T 99999999999999T 99999999999999999999; do
        "$PATSCAN" traces/demo --memory $size 2>&1 >/dev/null | grep -q "below 8388608T" || fail "--memory $size: not told to be too large"
done
# What an analysis would refuse is refused before a program has run for it.
for wrong in '--memory abc' '--epsilon abc' '--baseline no-such-report.json'; do
        # shellcheck disable=SC2086  # words
        "$PATSCAN" run $wrong -- /bin/echo 2>&1 | grep -q -e "${wrong#* }" || fail "run $wrong: the program would run"
done
for command in analyze 'analyze --causes none' info 'info --profile' 'predict --machine ideal' calibrate; do
        # shellcheck disable=SC2086  # words
        "$PATSCAN" $command traces/demo --memory 1M >/dev/null 2>"$dir/err"
        [ $? -eq 2 ] || fail "$command: 1 MiB is enough"
        least=$(sed -n 's/.*least=\([0-9]*\).*/\1/p' "$dir/err")
        # shellcheck disable=SC2086  # words
        "$PATSCAN" $command traces/demo --memory "$least" >/dev/null ||
                fail "$command: what is told to be the least, $least, is not enough"
done
exit $bad
