#!/bin/sh
# test_machines.sh - every preset is a file that reads back as itself and fits the schema, the manual has the table
# of presets and every key, and what the schema refuses patscan refuses, too.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"

names=$("$PATSCAN" machines | sed -n 's/^\([a-z][a-z0-9-]*\): .*/\1/p')
[ -n "$names" ] || fail 'there are no machines'
for name in $names; do
        "$PATSCAN" machines "$name" -o "$dir/$name.json" || fail "$name is not printed"
        "$PATSCAN" machines "$dir/$name.json" | cmp - "$dir/$name.json" || fail "$name does not read back as itself"
        "$PATSCAN" machines --json | grep -q "\"name\":[[:space:]]*\"$name\"" || fail "$name is not in the JSON list"
done
"$PATSCAN" machines - <"$dir/bus.json" | cmp - "$dir/bus.json" || fail 'a machine cannot come from stdin'
for file in tests/fuzz/corpus/machine/*.par tests/fuzz/corpus/machine/*.txt; do
        "$PATSCAN" machines "$file" -o "$dir/$(basename "$file").json" || fail "$file cannot be read"
done

"$PATSCAN" machines --markdown >"$dir/table"
while IFS= read -r line; do
        grep -qFx -- "$line" docs/MACHINES.md || fail "docs/MACHINES.md lacks: $line"
done <"$dir/table"
[ -z "$(grep '^| `' docs/MACHINES.md | sort | uniq -d)" ] || fail 'docs/MACHINES.md has a row twice'
for key in $(sed -n 's/^PS_MACHINE_\(KEY\|PART\)("\([a-z_]*\)".*/\2/p' simulator/cost/machine_keys.def simulator/machine/parts.def); do
        grep -q "\`$key\`" docs/MACHINES.md || fail "docs/MACHINES.md does not explain $key"
        grep -q "\"$key\": {" docs/machine.schema.json || fail "docs/machine.schema.json does not have $key"
done

refused() { # name, text
        printf '%s' "$2" >"$dir/bad-$1.json"
        "$PATSCAN" machines "$dir/bad-$1.json" >/dev/null 2>&1
        [ $? -eq 3 ] || fail "$1 is taken"
}
refused key '{ "model": "hockney", "latency_s": 1, "bandwidth_bytes_per_s": 1, "latency": 1 }'
refused misplaced '{ "model": "hockney", "latency_s": 1, "bandwidth_bytes_per_s": 1, "gap_s": 1 }'
refused missing '{ "model": "hockney", "latency_s": 1 }'
refused negative '{ "model": "hockney", "latency_s": -1, "bandwidth_bytes_per_s": 1 }'
refused shape '{ "model": "hockney", "latency_s": 1, "bandwidth_bytes_per_s": 1, "collectives": { "bcast": "tree" } }'
refused model '{ "model": "hackney", "latency_s": 1, "bandwidth_bytes_per_s": 1 }'
refused text '{ "model": "hockney", "latency_s": "5us", "bandwidth_bytes_per_s": 1 }'
# Debian's own module belongs to Debian's own interpreter.
python=python3
python3 -c 'import jsonschema' 2>/dev/null || [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
"$python" tests/cli/check_machine.py docs/machine.schema.json "$dir"/*.json tests/fuzz/corpus/machine/*.json
case $? in
0) ;;
77 | 127) echo 'skipped: the schema' ;;
*) bad=1 ;;
esac
exit $bad
