#!/bin/sh
# tidy.sh - clang-tidy over all sources of the product, or over those that are named: `tidy.sh app/*/*.c`.
# It reads how they are compiled from a build with asserts, which tell it what cannot be. The analyzer may look at NODES states
# of a function, a sixth of what it takes by itself: five times as fast. NODES=225000 looks as far as it would.
set -eu
cd "$(dirname "$0")/.."

cmake --preset asan >/dev/null
[ $# -gt 0 ] || set -- $(git ls-files 'core/*.c' 'reader/*.c' 'patterns/*.c' 'simulator/*.c' 'compare/*.c' 'report/*.c' 'library/*.c' 'serve/*.c' 'app/*.c' 'record/finish/*.c' 'record/launch/*.c' 'record/resolve/*.c')
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 8 clang-tidy -p build/asan --quiet \
        --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes="${NODES:-37500}"
