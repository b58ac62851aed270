# common.sh - what ./demo, ./check and .ci/run share; read with `.`, after `cd` to the top of the tree.

# A tree that cannot be written to is told at once, not by whichever tool stumbles first.
require_writable() {
        mkdir -p build 2>/dev/null && [ -w build ] && return
        echo "$1: cannot write to $(pwd)/build; copy the tree to a place of your own and run $1 there" >&2
        exit 1
}

# A build folder remembers the path that it was made for; a moved or copied tree needs a new one.
forget_moved_build() {
        [ -f "build/$1/CMakeCache.txt" ] || return 0
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "build/$1/CMakeCache.txt" || rm -rf "build/$1"
}

# Runs "$@" silently; what it said is shown only when it fails.
quietly() {
        said=$("$@" 2>&1 </dev/null) && return
        status=$?
        printf '%s\n' "$said" >&2
        return $status
}

build_preset() { # preset [configure options, at least one] [-- build options]
        preset=$1
        shift
        forget_moved_build "$preset"
        options=
        while [ $# -gt 0 ] && [ "$1" != -- ]; do
                options="$options $1"
                shift
        done
        [ $# -eq 0 ] || shift
        # shellcheck disable=SC2086  # none of the options holds a blank
        quietly cmake --preset "$preset" $options && quietly cmake --build --preset "$preset" "$@"
}
