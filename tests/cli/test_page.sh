#!/bin/sh
# test_page.sh - the picture of a run: its data is what the report says, whatever must be left out of the file, and in a
# browser it can be looked at and worked with.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }
python=$(command -v python3) || exit 77

"$PATSCAN" traces/demo --report "html:$dir/page.html" --report "json:$dir/page.json" || fail 'no page'
"$PATSCAN" info traces/demo --profile --bins 1000 --network tree --report "json:$dir/profile.json" || fail 'no profile'
"$python" tests/cli/check_page.py "$dir/page.html" "$dir/page.json" "$dir/profile.json" || fail 'the picture is not what the report says'
"$PATSCAN" predict traces/demo --machine recorded ideal-network --report "html:$dir/ideal.html" --report "json:$dir/ideal.json" ||
        fail 'no page of a prediction'
"$python" tests/cli/check_page.py "$dir/ideal.html" "$dir/ideal.json" || fail 'the picture of a prediction is not what the report says'

command -v node >/dev/null || { echo 'no node is installed'; exit 77; }
node --test tests/page/test_*.mjs >"$dir/log" || { cat "$dir/log"; fail 'a module of the page computes something wrong'; }
"$PATSCAN" compare traces/demo traces/demo/traces.otf2 --report "html:$dir/compare.html" || fail 'no page of a comparison'
for p in 2 4 8; do
        printf 'B_Comp (P_Reduce (B_Op (B_Plus))) (B_Comp (P_Map (B_Reduce (B_Op (B_Plus)))) (P_Split (B_Num %s) (B_Num 0)))\n\n%s\n' \
                $p '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]' >"$dir/$p.bmf"
        "$PATSCAN" bmf "$dir/$p.bmf" --procs $p --unit 1us --op-cost 100 -o "$dir/$p.trf" >/dev/null || fail 'no run'
done
"$PATSCAN" scale "$dir/2.trf" "$dir/4.trf" "$dir/8.trf" --interval P_Map,P_Reduce,P_Split --report "html:$dir/scale.html" \
        --report "json:$dir/scale.json" || fail 'no page of several runs'
"$PATSCAN" compare "$dir/2.trf" "$dir/8.trf" --interval P_Map,P_Reduce,P_Split --allow-partial --report "html:$dir/two.html" \
        --report "json:$dir/two.json" || fail 'no page of two sizes'
printf '%s\n' 7 '0 4 1 -1' '1 4 1 -1' '2 5 1 -1' '3 5 1 -1' '4 0 1 1 1 6 3 -1' '5 2 1 3 1 6 3 -1' '6 4 3 5 3 -1' >"$dir/tree"
printf '{"model": "topology", "network": "%s", "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9}' "$dir/tree" >"$dir/machine.json"
"$PATSCAN" predict traces/demo --machine "$dir/machine.json" --report "html:$dir/tree.html" -q || fail 'no page of a prediction on a network'
"$PATSCAN" traces/demo --network "$dir/tree" --report "html:$dir/given.html" -q || fail 'no page with a network'

# All at once: a browser that is used as by a hand is idle most of the time.
checks=
look() { timeout 300 node "tests/page/$@" & checks="$checks $!"; }
look check.mjs "$dir/page.html" "$dir/page.json"
look check_pictures.mjs "$dir/page.html" "$dir/page.json" "$dir/profile.json" "$dir/tree.html" "$dir/given.html"
look check_pair.mjs "$dir/ideal.html" "$dir/compare.html"
for page in scale two; do look check_scaling.mjs "$dir/$page.html" "$dir/$page.json"; done
worst=0
for check in $checks; do wait "$check" || { status=$?; [ $worst -eq 0 ] || [ $worst -eq 77 ] && worst=$status; }; done
exit $worst
