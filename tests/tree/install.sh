#!/bin/sh
# install.sh - installs the build into a folder of its own and builds programs on what lies there, the way others
# will: with pkg-config and with find_package, in C and in C++.
# Environment: BUILD_DIR, CMAKE, and CMAKE_GENERATOR, CC, CFLAGS as in the build (a sanitizer's library needs its
# runtime, and no other generator need be installed).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved

# Installed in one place and moved to another: nothing may remember the first.
"$CMAKE" --install "$BUILD_DIR" --prefix "$work/first" >/dev/null
mv "$work/first" "$prefix"
cd "$work"

echo '== what is there'
library=$(dirname "$(find "$prefix" -name 'libpatscan.so')")
for file in "$prefix/include/patscan/patscan.h" "$library/libpatscan.so.0" "$library/pkgconfig/patscan.pc" \
        "$library/cmake/patscan/patscanConfig.cmake" "$library/cmake/patscan/patscanConfigVersion.cmake" \
        "$prefix/share/man/man1/patscan.1" "$prefix/share/nvim/site/lua/patscan.lua" \
        "$prefix/share/vim/vimfiles/plugin/patscan.vim" "$prefix/share/emacs/site-lisp/patscan.el" \
        "$prefix/share/bash-completion/completions/patscan" "$prefix/share/zsh/site-functions/_patscan" \
        "$prefix/share/fish/vendor_completions.d/patscan.fish" "$prefix/share/doc/patscan/README.md" \
        "$prefix/share/doc/patscan/docs/RECORD.md" "$prefix/share/doc/patscan/docs/report.schema.json" \
        "$prefix/share/doc/patscan/examples/waits.py" "$prefix/share/doc/patscan/traces/demo/traces.otf2"; do
        [ -e "$file" ] || { echo "not installed: $file"; exit 1; }
done
DESTDIR=$work/staged "$CMAKE" --install "$BUILD_DIR" --prefix /opt/patscan >/dev/null
(cd "$prefix" && find . ! -name '*.cmake' | sort) >installed
(cd "$work/staged/opt/patscan" && find . ! -name '*.cmake' | sort) | diff installed - || { echo 'DESTDIR has other files'; exit 1; }
if [ -e "$here/../../editors/vscode/patscan.vsix" ]; then
        [ -e "$prefix/share/patscan/patscan.vsix" ] || { echo 'not installed: patscan.vsix'; exit 1; }
fi
if [ -e "$BUILD_DIR/patscan" ]; then
        "$prefix/bin/patscan" --version
fi

echo '== pkg-config, C'
PKG_CONFIG_PATH=$library/pkgconfig
LD_LIBRARY_PATH=$library
export PKG_CONFIG_PATH LD_LIBRARY_PATH
flags=$(pkg-config --cflags --libs patscan)
# shellcheck disable=SC2086  # one word an option
"$CC" $CFLAGS -std=c99 -Wall -Wextra -Werror "$here/consumer.c" $flags -o by_pkg_config
./by_pkg_config

echo '== the examples of the library'
for example in summary waits what_if convert; do
        # shellcheck disable=SC2086
        "$CC" $CFLAGS -std=c99 -Wall -Wextra -Werror "$here/../../examples/$example.c" $flags -o "$example"
        "./$example" "$here/../../traces/demo" >"$example.out"
done
said=$(cat summary.out)
grep -qF "It prints \`$said\`" "$here/../../README.md" || { echo "the README does not promise: $said"; exit 1; }
[ "$(wc -l <convert.out)" -eq 253 ] || { echo 'convert: a row for each of 252 messages, and the head'; exit 1; }
if [ -e "$prefix/bin/patscan" ]; then # the program tells the same, in its JSON
        "$prefix/bin/patscan" "$here/../../traces/demo" --quiet --report json:report.json
        python3 "$here/same_numbers.py" report.json waits.out what_if.out "$prefix/bin/patscan" "$here/../../traces/demo"
fi

echo '== find_package, C'
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.16)
project(consumer LANGUAGES C)
find_package(patscan 0.2 REQUIRED)
add_executable(by_find_package "$here/consumer.c")
target_link_libraries(by_find_package PRIVATE patscan::patscan)
END
{
        "$CMAKE" -S . -B by_cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" &&
                "$CMAKE" --build by_cmake
} >log 2>&1 || { cat log; exit 1; }
by_cmake/by_find_package

case $CC in *clang*) cxx=clang++ ;; *) cxx=c++ ;; esac
if command -v "$cxx" >/dev/null; then
        echo '== pkg-config, C++'
        # shellcheck disable=SC2086
        "$cxx" $CFLAGS -std=c++17 -Wall -Wextra -Werror "$here/consumer.cpp" $flags -o by_cxx
        ./by_cxx
fi
