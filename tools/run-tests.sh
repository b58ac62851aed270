#!/bin/sh
# run-tests.sh - runs the tests of a preset that is built, and counts them in its last line: `run-tests.sh asan`.
# The numbers are ctest's own, from its JUnit file. Further arguments go to ctest.
set -u
cd "$(dirname "$0")/.." || exit 1

preset=$1
shift
results=$(pwd)/build/$preset/results.xml
rm -f "$results"

# ThreadSanitizer of gcc 12 gives up where the kernel scatters addresses more widely than it knows.
fixed_addresses=
if [ "$preset" = tsan ] && setarch "$(uname -m)" -R true 2>/dev/null; then
        fixed_addresses="setarch $(uname -m) -R"
fi
# One more than there are processors: many a test waits, for a disk or for processes of its own.
$fixed_addresses ctest --preset "$preset" -j "$(($(nproc) + 1))" --output-junit "$results" "$@" </dev/null
status=$?

attribute() { sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$results" | head -n 1; }
if ! [ -s "$results" ]; then
        echo 'run-tests: ctest left no results' >&2
        [ "$status" -ne 0 ] || status=1
        exit "$status"
fi
total=$(attribute tests) failed=$(attribute failures) skipped=$(($(attribute skipped) + $(attribute disabled)))
echo
[ "$skipped" -eq 0 ] || echo "$skipped skipped, for want of a tool"
echo "$((total - failed - skipped)) passed, $failed failed"
exit "$status"
