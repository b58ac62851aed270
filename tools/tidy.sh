#!/bin/sh
# tidy.sh - clang-tidy over sources that are kept clean of what it finds, or over those that are named: `tidy.sh app/*/*.c`.
# It reads how they are compiled from a build with asserts, which tell it what cannot be.
set -eu
cd "$(dirname "$0")/.."

cmake --preset asan >/dev/null
[ $# -gt 0 ] || set -- $(git ls-files 'core/*.c' 'reader/*.c' 'patterns/*.c' 'compare/*.c' 'report/print/*.c')
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 8 clang-tidy -p build/asan --quiet
