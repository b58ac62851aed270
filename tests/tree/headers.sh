#!/bin/sh
# headers.sh - `headers.sh own COMPILER`: every header of the tree compiles on its own, but for those that need an MPI.
#              `headers.sh public COMPILER`: patscan.h alone compiles in each language that it is meant for.
set -u
cd "$(dirname "$0")/../.." || exit 2
what=$1
compiler=$2
command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }
failed=0

compile() { # include line, include folder, further options
        line=$1
        folder=$2
        shift 2
        printf '%s\n' "$line" 'extern int patscan_headers_need_a_declaration;' |
                "$compiler" "$@" -Wall -Wextra -pedantic -Werror -I "$folder" -fsyntax-only - && return
        echo "fails: $line with $compiler $*"
        failed=1
}

case $what in
own)
        flags=$(pkg-config --cflags otf2 libcjson libdw cmocka)
        for header in $(git ls-files '*.h' | grep -v -e '^include/' -e '^tests/pgas/' -e '^record/shim/' -e '^record/mpi/' -e '^record/openmp/'); do
                # shellcheck disable=SC2086  # one word an option
                compile "#include \"$header\"" . -x c -std=c11 -D_DEFAULT_SOURCE -I include $flags
        done
        ;;
public)
        case $compiler in
        *++) for std in c++11 c++17 c++20; do
                compile '#include <patscan/patscan.h>' include -x c++ -std=$std
        done ;;
        *) for std in c99 c11 c17; do
                compile '#include <patscan/patscan.h>' include -x c -std=$std
        done ;;
        esac
        ;;
esac
exit $failed
