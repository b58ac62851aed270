#!/bin/sh
# test_progress.sh - at a terminal a bar shows how far reading and analysing have got, and is gone before anything else is
# said. A bar waits for what takes a moment: the clock of these runs is a second later each time that it is looked at.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
command -v script >/dev/null || { echo 'script is not installed'; exit 77; }
command -v "${CC:-cc}" >/dev/null || { echo 'no C compiler is installed'; exit 77; }
nm -C "$PATSCAN" 2>/dev/null | grep -q __asan_init && { echo 'not with sanitizers'; exit 77; }
nm -C "$PATSCAN" 2>/dev/null | grep -q __tsan_init && { echo 'not with sanitizers'; exit 77; }

cat >"$dir/clock.c" <<'END'
#include <stdatomic.h>
#include <time.h>
static atomic_long seconds = 1;
int clock_gettime(clockid_t clock, struct timespec *now)
{
        (void)clock;
        *now = (struct timespec){.tv_sec = atomic_fetch_add(&seconds, 1)};
        return 0;
}
END
"${CC:-cc}" -shared -fPIC -o "$dir/clock.so" "$dir/clock.c" || exit 1

# What a terminal is sent, a bar a line. The bar is drawn by the first thread, so that there is one only.
one='--threads 1'
at_terminal() {
        echo "LD_PRELOAD=$dir/clock.so TERM=xterm NO_COLOR=1 $PATSCAN $* $one >$dir/out" >"$dir/command"
        script -qec "sh $dir/command" /dev/null </dev/null | tr '\r' '\n' >"$dir/said"
}

shows() { # WHAT WORD...: a bar of that name
        what=$1
        shift
        at_terminal "$@"
        grep -q "^$what \[#*\.*\]  *[0-9]* %" "$dir/said" || fail "no bar \"$what\": patscan $*"
        # A bar is erased before anything else, or by another one.
        awk '/\] +[0-9]+ %./ { bad = 1 } END { exit bad }' "$dir/said" || fail "said behind a bar: patscan $*"
        # Nothing of it is left at the end.
        tail -n 1 "$dir/said" | grep -q ' %$' && fail "the bar stays: patscan $*"
}

for what in reading analysing; do
        shows $what analyze traces/demo
        shows $what analyze traces/demo -v
        shows $what compare traces/demo traces/demo
        shows $what compare traces/demo traces/demo -v
        shows $what predict traces/demo --machine recorded region:relax*0.5
        shows $what scale traces/demo traces/picl/scan.trf
done
shows analysing bmf traces/bmf/scan.bmf --report text
shows analysing bmf traces/bmf/scan.bmf --report text -v
shows analysing predict traces/dvm/jacobi.ptr --machine bus --grid 2x2

# Not where nobody looks, and not if nobody wants it.
at_terminal analyze traces/demo --quiet
! grep -q '%$' "$dir/said" || fail 'a bar with --quiet'
LD_PRELOAD=$dir/clock.so "$PATSCAN" analyze traces/demo >"$dir/out" 2>"$dir/err"
! grep -q '%' "$dir/err" || fail 'a bar without a terminal'

exit $bad
