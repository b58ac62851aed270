#!/bin/sh
# count-lines.sh [REVISION] - non-blank lines of product and of test code, of what git tracks: `count-lines.sh HEAD~20`.
# Product: .c .h .def .js .css outside of tests/. Tests: the same in tests/, with .py and .sh.
set -eu
cd "$(dirname "$0")/.."
revision=${1:-HEAD}

count() { # pathspec...
        git grep -hc '[^[:space:]]' "$revision" -- "$@" | awk '{ n += $1 } END { print n + 0 }'
}

printf 'product %s\n' "$(count '*.c' '*.h' '*.def' '*.js' '*.css' ':!tests')"
printf 'tests   %s\n' "$(count 'tests/*.c' 'tests/*.h' 'tests/*.def' 'tests/*.js' 'tests/*.css' 'tests/*.py' 'tests/*.sh')"
