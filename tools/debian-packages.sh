#!/bin/bash
# debian-packages.sh [DIR] - builds Debian's packages from what is committed, twice and in different paths, compares both bit by
# bit, asks lintian, installs each package in a bare Debian 12 of its own and runs debian/tests there. Needs root, a network for apt, and
# half an hour; DIR keeps packages and systems, so that a second call is faster. Never run by the tests.
set -eu
cd "$(dirname "$0")/.."
tools/install-packages.sh package
tree=$(pwd) dir=$(realpath -m "${1:-build/debian}") version=$(dpkg-parsechangelog -S Version) commit=$(git rev-parse HEAD)
mkdir -p "$dir"

# What it takes to be the same bits: the date of debian/changelog (SOURCE_DATE_EPOCH), and paths that are mapped (-ffile-prefix-map); both
# are dpkg-buildpackage's own doing.
build() { # place: in a clean clone
        rm -rf "${dir:?}/$1"
        mkdir -p "$dir/$1"
        git clone -q "$tree" "$dir/$1/patscan"
        git -C "$dir/$1/patscan" checkout -q --detach "$commit"
        (cd "$dir/$1/patscan" && nice dpkg-buildpackage -us -uc -b) >"$dir/$1.log" 2>&1 ||
                { tail -n 30 "$dir/$1.log"; exit 1; }
}
build first
build second/elsewhere
for package in "$dir"/first/*.deb; do
        cmp "$package" "$dir/second/elsewhere/${package##*/}"
done
echo 'both builds are the same bits'
lintian --fail-on error,warning "$dir"/first/*.changes
echo 'lintian: no errors, no warnings'

base=$dir/bookworm
[ -e "$base/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$base" http://deb.debian.org/debian >"$dir/debootstrap.log"

# in_a_bare_system "PACKAGE..." COMMAND...: with these packages, what they depend on, and no recommendation
in_a_bare_system() {
        local system=$dir/system wanted=() package status=0
        for package in $1; do
                [ ! -e "$(echo "$dir/first/${package}_"*.deb)" ] || package=$(cd "$dir/first" && echo "${package}_"*.deb)
                wanted+=("${package/#*.deb//packages/$package}")
        done
        rm -rf "$system"
        cp -a "$base" "$system"
        mkdir "$system/packages" "$system/tree"
        cp "$dir"/first/*.deb "$system/packages/"
        git archive "$commit" debian/tests examples traces | tar -x -C "$system/tree"
        mount -t proc proc "$system/proc"
        mount -t tmpfs tmpfs "$system/dev/shm"
        { chroot "$system" apt-get update && DEBIAN_FRONTEND=noninteractive chroot "$system" apt-get install -y \
                --no-install-recommends "${wanted[@]}"; } >"$dir/install.log" 2>&1 || { tail "$dir/install.log"; status=1; }
        [ "$status" -ne 0 ] || chroot "$system" sh -c 'cd /tree && exec "$@"' sh "${@:2}" || status=$?
        umount "$system/dev/shm" "$system/proc"
        [ "$status" -eq 0 ] || { echo "failed: $*"; exit 1; }
        echo "ok: $*"
}
in_a_bare_system patscan debian/tests/demo
in_a_bare_system libpatscan0 sh -c 'ldd /usr/lib/*/libpatscan.so.0 | { ! grep "not found"; }'
in_a_bare_system 'patscan libpatscan0 libpatscan-dev python3-patscan gcc libc6-dev pkg-config' debian/tests/library
in_a_bare_system 'patscan patscan-mpi openmpi-bin' debian/tests/mpi
in_a_bare_system 'patscan patscan-record' sh -c '! ls /usr/lib/*/libmpi* 2>/dev/null && ls /usr/lib/*/patscan'
in_a_bare_system 'patscan patscan-record gcc libc6-dev mpich libmpich-dev' debian/tests/record mpich
in_a_bare_system 'patscan patscan-record gcc libc6-dev openmpi-bin libopenmpi-dev' debian/tests/record openmpi
echo "all packages of patscan $version: built, installed, used"
