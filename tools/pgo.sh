#!/bin/sh
# pgo.sh - builds build/pgo/patscan with gcc, optimised for what runs: a build that counts reads traces of several kinds, with
# one thread, at the same addresses and in a folder of always the same name, so that runs count the same; the second build of
# the same folder uses what was counted. dump is not trained: it cannot be told to take one thread, and which values are counted
# as common depends on the order in which they come.
set -eu
cd "$(dirname "$0")/.."
jobs=$(nproc)
dir=build/pgo/training
still= # addresses are values that are counted, too
setarch -R true 2>/dev/null && still='setarch -R'
unset CMAKE_C_COMPILER_LAUNCHER # a compiler cache does not know what was counted

rm -rf build/pgo
cmake --preset pgo -DPS_PGO=train -DBUILD_TESTING=ON >/dev/null
cmake --build build/pgo -j "$jobs" --target patscan bench-driver
mkdir "$dir"

run() { # command [arguments]; 4: its numbers are to be read with care, as those of clocks that contradict each other
        $still build/pgo/patscan "$@" --threads 1 -q >/dev/null 2>&1 || [ $? -eq 4 ]
}
for kind in ring unwound stencil adrift crowd paths findings; do
        trace=$(build/pgo/tests/bench/bench-driver trace "$dir" $kind 100000)
        run analyze "$trace" --report json:"$dir/a.json" --report html:"$dir/a.html" --report text
        run analyze "$trace" --causes none --report json:"$dir/a.json"
        run compare "$trace" "$trace"
        run info "$trace" --profile
done
for trace in "$dir"/ring-*/traces.otf2 "$dir"/stencil-*/traces.otf2; do
        run predict "$trace" balance
        run calibrate "$trace" -o "$dir/machine.json"
done
rm -rf "$dir"

cmake --preset pgo -DPS_PGO=use >/dev/null
cmake --build build/pgo -j "$jobs" --target patscan
