#!/bin/sh
# version.sh - `version.sh CMAKE`: whatever names the version names the same one, and the commit of a build is that of
# its sources, also where there is no git.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0
fail() { echo "$1"; bad=1; }

version=$(sed -n 's/^project(patscan VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[ -n "$version" ] || { echo 'CMakeLists.txt has no version'; exit 1; }
names() { [ "$2" = "$version" ] || fail "$1 is of version \"$2\", not \"$version\""; }
names python/pyproject.toml "$(sed -n 's/^version = "\(.*\)"/\1/p' python/pyproject.toml)"
names editors/vscode/package.json "$(sed -n 's/^  "version": "\(.*\)",/\1/p' editors/vscode/package.json)"
names editors/vscode/package-lock.json "$(sed -n 's/^  "version": "\(.*\)",/\1/p' editors/vscode/package-lock.json)"
names docs/patscan.1 "$(sed -n '1s/.*"patscan \(.*\)"$/\1/p' docs/patscan.1)"
names CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
names 'the comment of patscan.h' "$(sed -n 's|.*patscan_version(void); /\* "\(.*\)" \*/|\1|p' include/patscan/patscan.h)"

commit_of() {
        "$cmake" -DFROM="$1" -DOUT="$work/commit.h" -P cmake/commit.cmake || fail "no commit of $1"
        sed -n 's/^#define PS_COMMIT "\(.*\)"$/\1/p' "$work/commit.h"
}
cmake=$1
hash=0123456789abcdef0123456789abcdef01234567
mkdir "$work/tar" "$work/copy"
echo "node: $hash" >"$work/tar/.git_archival.txt"
cp .git_archival.txt "$work/copy/"
[ "$(commit_of "$work/tar")" = $hash ] || fail 'the commit of an archive is not what the archive says'
[ "$(commit_of "$work/copy")" = unknown ] || fail 'the commit of files without git is not unknown'
if command -v git >/dev/null && git init -q "$work/git" 2>/dev/null; then
        echo "node: $hash" >"$work/git/.git_archival.txt"
        git -C "$work/git" add . && git -C "$work/git" -c user.name=n -c user.email=n@localhost commit -qm first
        real=$(git -C "$work/git" rev-parse HEAD)
        [ "$(commit_of "$work/git")" = "$real" ] || fail 'the commit is not that of git'
        echo >>"$work/git/.git_archival.txt"
        [ "$(commit_of "$work/git")" = "$real-dirty" ] || fail 'nobody is told of files that differ'
fi
exit $bad
