#!/bin/sh
# test_patterns.sh - the manual of the patterns that is kept is the one that the table gives, and every pattern
# can be explained in every form.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"

"$PATSCAN" explain --all --markdown | diff -u "$PATSCAN_SOURCE/docs/patterns.md" - || {
        echo 'docs/patterns.md is out of date: patscan explain --all --markdown -o docs/patterns.md'
        exit 1
}
# Where no id is, a title goes on; an empty line ends the list.
ids=$("$PATSCAN" patterns | sed '/^$/,$d; s/^ *//; s/ .*//' | grep '^[a-z]')
[ "$(echo "$ids" | wc -l)" -eq "$("$PATSCAN" patterns --markdown | grep -c '^ *- \[')" ] ||
        fail 'the list does not have all patterns'
[ "$("$PATSCAN" patterns | awk 'length > 80' | wc -l)" -eq 0 ] || fail 'the list is wider than 80 columns'
for id in $ids; do
        "$PATSCAN" explain "$id" | grep -q "^$id:" || fail "$id is not explained"
        "$PATSCAN" explain "$id" --json | grep -q "\"id\":[[:space:]]*\"$id\"" || fail "$id is not explained as JSON"
        "$PATSCAN" patterns --json | grep -q "\"id\":[[:space:]]*\"$id\"" || fail "$id is not in the JSON list"
done
for id in cause critical-path longer alone late-order transfer lock start balanced evened sped-up reordered overlapped; do
        "$PATSCAN" explain "$id" | grep -q "^$id:" || fail "$id is not explained"
        "$PATSCAN" explain "$id" --json | grep -q "\"id\":[[:space:]]*\"$id\"" || fail "$id is not explained as JSON"
done
first=$(echo "$ids" | head -n 1)
said=$("$PATSCAN" explain "${first}x" 2>&1)
[ $? -eq 2 ] || fail 'an unknown pattern is no usage error'
case $said in *"did you mean $first?"*) ;; *) fail "the nearest pattern is not told: $said" ;; esac
"$PATSCAN" explain 2>/dev/null
[ $? -eq 2 ] || fail 'explaining nothing is no usage error'
"$PATSCAN" explain "$first" --all 2>/dev/null
[ $? -eq 2 ] || fail 'explaining one and all is no usage error'

# Who adds a pattern is told of every subject and of every field there is, and of no others.
fields=$(sed -n '/^typedef struct ps_pattern {/,/^}/p' patterns/table/pattern.h |
        sed '/^}/d; s,/\*.*,,; s/^.*\*is_so).*/is_so;/' | grep -o '[a-z_]* *[,;]' | tr -d ' ,;')
for word in $(grep -o 'PS_ON_[A-Z_]*' patterns/table/pattern.h | sort -u) $fields; do
        case $word in id | title | summary | advice | source | subject) continue ;; esac
        grep -Eq "\`[.]?${word}[\` ]" docs/ADD_A_PATTERN.md || fail "docs/ADD_A_PATTERN.md does not tell of $word"
done
# shellcheck disable=SC2016  # quoted words
for word in $(sed -n '/^## The other fields/,/^## The micro/p' docs/ADD_A_PATTERN.md | grep -o '`[a-z_]*`' | tr -d '`'); do
        echo "$fields" | grep -qx "$word" || fail "docs/ADD_A_PATTERN.md tells of $word, which is no field"
done
exit $bad
