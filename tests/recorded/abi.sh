#!/bin/sh
# abi.sh - records a program for the binary interface of MPI 5, with a library that stands in for one:
# `abi.sh BUILD SOURCE`, the folders of what was built, and of this tree. PATSCAN is the program, RECORD_SOURCE the folder
# of this script. 77: a tool is not installed.
set -u
build=$1
source=$2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
for tool in python3 otf2-print cc; do
        command -v "$tool" >/dev/null 2>&1 || { echo "$tool is not installed"; exit 77; }
done
fail() { echo "$*"; exit 1; }
set -- -g -O2 -w "-I$build/record" "-I$source/record/mpi/abi" "-I$source"
cc "$@" -shared -fPIC -Wl,-soname,libmpi_abi.so.0 "$RECORD_SOURCE/abi_library.c" -o libmpi_abi.so.0 || fail "cannot compile the library"
cc "$@" "$RECORD_SOURCE/abi.c" -o abi ./libmpi_abi.so.0 "-Wl,-rpath,$dir" -lpthread || fail "cannot compile the program"
for n in 1 2 3 4; do
        echo "run $n"
        "$PATSCAN" record -- ./abi || fail "status $?"
        python3 "$RECORD_SOURCE/check.py" abi.otf2/traces.otf2 said.0 && exit 0
done
exit 1
