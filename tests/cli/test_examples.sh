#!/bin/sh
# test_examples.sh - the programs in examples/ do what they say; summary.c is built and run by tests/tree/install.sh.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
command -v python3 >/dev/null || exit 77
export PATSCAN

# Rank 2 computes longest, so the longest wait of each other rank is for it.
waits=$(examples/waits.py traces/demo) || fail 'waits.py failed'
echo "$waits" | grep -q 'rank 1 for rank 2, MPI_Waitall at traces/demo/heat.c:23: late-nonblocking-send' ||
        fail "waits.py does not tell that rank 1 waited for rank 2: $waits"
[ "$(echo "$waits" | sort -rn)" = "$waits" ] || fail 'waits.py: the longest do not come first'

# Less work never makes this run longer, and a function that is most of it makes it much shorter.
seconds=$(examples/what_if.sh traces/demo relax | sed 's/.*: \(.*\) s$/\1/') || fail 'what_if.sh failed'
[ "$(echo "$seconds" | sort -rn)" = "$seconds" ] || fail "what_if.sh: longer with less work: $seconds"
echo "$seconds" | awk 'NR == 1 { all = $1 } END { exit !(NR == 4 && $1 < 0.4 * all) }' ||
        fail "what_if.sh: a quarter of relax is not much shorter: $seconds"

diff examples/summary.c - <<END || fail 'README.md and examples/summary.c differ'
$(sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d')
END
exit $bad
