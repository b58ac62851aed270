#!/bin/sh
# install-packages.sh - sees to it that what the named lists need is there: `install-packages.sh build test ci`.
#
# A need is probed for itself (a program, a pkg-config module, a header), not as a package, so that whatever is
# already there is good, wherever it comes from, and then nothing is called and nothing is changed.
set -u

# Tests with a browser, an editor or MPI run where these are installed; CI installs them, ./check does not. What vscode
# needs compiles modules of code-server; package is what tools/debian-packages.sh needs.
# list | Debian package | probe
needs='
build|cmake|have cmake
build|ninja-build|have ninja
build|gcc|have cc
build|libc6-dev|header stdio.h
build|pkg-config|have pkg-config
build|libcjson-dev|pkg-config --exists libcjson
build|libopen-trace-format2-dev|pkg-config --exists otf2
build|zlib1g-dev|pkg-config --exists zlib
build|libmicrohttpd-dev|pkg-config --exists libmicrohttpd
build|libdw-dev|pkg-config --exists libdw
test|libsqlite3-0|python_module sqlite3
test|libcmocka-dev|pkg-config --exists cmocka
test|g++|have c++
test|universal-ctags|have ctags
test|python3-jsonschema|python_module jsonschema
browser|chromium|have chromium
browser|firefox-esr|have firefox-esr
browser|nodejs|have node
editor|neovim|have nvim
editor|emacs-nox|have emacs
editor|elpa-eglot|test -d /usr/share/emacs/site-lisp/elpa/eglot-1.9
editor|vim-nox|have vim
editor|vim-ale|test -d /usr/share/vim-ale
vscode|npm|have npm
vscode|libkrb5-dev|header gssapi/gssapi.h
vscode|make|have make
vscode|python3|have python3
mpi|openmpi-bin|have mpirun
mpi|libopenmpi-dev|have mpicc
mpi|libsimgrid-dev|have smpirun
record|libopenmpi-dev|have mpicc.openmpi
record|openmpi-bin|have mpirun.openmpi
record|libmpich-dev|have mpicc.mpich
record|mpich|have mpirun.mpich
record|otf2-tools|have otf2-print
record|gfortran|have gfortran
record|clang|have clang
record|libomp-dev|openmp_of_clang
package|dpkg-dev|have dpkg-buildpackage
package|debhelper|have dh
package|dh-python|have dh_python3
package|lintian|have lintian
package|debootstrap|have debootstrap
package|libmpich-dev|have mpicc.mpich
package|libopenmpi-dev|have mpicc.openmpi
ci|valgrind|have valgrind
ci|clang|have clang
ci|libclang-rt-dev|clang_runtime
ci|clang-format|have clang-format
ci|clang-tidy|have clang-tidy
'

have() { command -v "$1" >/dev/null 2>&1; }
header() { echo "#include <$1>" | cc -E - >/dev/null 2>&1; }
python_module() { python3 -c "import $1" >/dev/null 2>&1 || /usr/bin/python3 -c "import $1" >/dev/null 2>&1; }
openmp_of_clang() { echo 'int main(void) { return 0; }' | clang -fopenmp -xc - -o /dev/null >/dev/null 2>&1; }
clang_runtime() { test -e "$(clang -print-file-name=libclang_rt.fuzzer-x86_64.a 2>/dev/null)" ||
                  test -e "$(clang --print-runtime-dir 2>/dev/null)/libclang_rt.fuzzer-$(uname -m).a"; }

fail() { echo "install-packages: $*" >&2; exit 1; }

missing_of() { # list... : the packages whose probe fails, each followed by a blank
        echo "$needs" | while IFS='|' read -r list package probe; do
                case " $* " in *" $list "*) ;; *) continue ;; esac
                $probe >/dev/null 2>&1 || printf '%s ' "$package"
        done
}

missing=$(missing_of "$@")
missing=${missing% }
[ -n "$missing" ] || exit 0

have apt-get || fail "missing: $missing (Debian's names; there is no apt-get here, so install them by other means)"
if [ "$(id -u)" -eq 0 ]; then
        as_root=
elif have sudo && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
        as_root='sudo'
else
        fail "missing: $missing (neither root nor able to sudo; let an administrator run: apt-get install $missing)"
fi

log=$(mktemp) || fail "cannot write a temporary file"
trap 'rm -f "$log"' EXIT
apt() { # stdin is closed to it, so that nothing can ask; what it says is kept for the case of failure
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >>"$log" 2>&1 </dev/null
}
echo "installing with apt-get: $missing"
apt update # one broken source of many is no reason to stop: whether it matters shows below
# shellcheck disable=SC2086  # one word a package
apt install --no-install-recommends $missing || {
        cat "$log" >&2
        fail "apt-get failed (see above); missing: $missing"
}

missing=$(missing_of "$@")
[ -z "$missing" ] || fail "installed, yet still not usable: $missing"
