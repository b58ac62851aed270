#!/bin/sh
# test_recipes.sh - the recipes for Spack and EasyBuild fit this tree, and their own tests pass on what is installed; all packages have the
# version of the tree.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
command -v python3 >/dev/null && command -v cmake >/dev/null || exit 77
version=$(sed -n 's/^project(patscan VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
head -n 1 debian/changelog | grep -q "^patscan ($version) " || fail "debian/changelog is of another version than $version"
grep -q "^version = \"$version\"" python/pyproject.toml || fail "python/pyproject.toml is of another version than $version"
cmake --install "$(dirname "$PATSCAN")" --prefix "$dir/prefix" >"$dir/log" 2>&1 || { tail -n 3 "$dir/log"; fail 'cannot be installed'; exit 1; }
python3 -B tests/start/check_recipes.py "$PATSCAN_SOURCE" "$dir/prefix" || fail 'a recipe does not do what it says'
exit $bad
