#!/bin/sh
# abi.sh - `abi.sh COMPILER`: what programs that were built before rely on is as tests/tree/abi.txt has it: names and
# parameters of functions, values of constants, sizes of structs and where their members lie. And what is made from the
# header is up to date. A change that adds (functions; members at the end of a struct; constants) is written down by
#
#         tools/api.py abi >tests/tree/abi.txt; tools/api.py markdown >docs/API.md; tools/api.py man >docs/patscan.h.3
#
# and what takes away or moves needs another SOVERSION, too.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }
bad=0
same() { # file, arguments of tools/api.py
        file=$1
        shift
        python3 tools/api.py "$@" | diff "$file" - || { echo "$file is not what patscan.h says: tools/api.py $*"; bad=1; }
}
same docs/API.md markdown
same docs/patscan.h.3 man
[ "$(getconf LONG_BIT)" = 64 ] && same tests/tree/abi.txt abi "$1"
exit $bad
