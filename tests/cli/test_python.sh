#!/bin/sh
# test_python.sh - the Python module over libpatscan tells what the program tells, and pip can install it.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
command -v python3 >/dev/null || exit 77
library=$(dirname "$PATSCAN")/libpatscan.so.0
if [ ! -e "$library" ] || nm -D "$library" | grep -q '__[at]san_'; then
        echo "a Python that is not sanitized cannot load $library"
        exit 77
fi
export PATSCAN PATSCAN_LIBRARY="$library" PYTHONDONTWRITEBYTECODE=1
python3 python/test_patscan.py || fail 'the module tells something else than the program'

# Beside the module the library needs no variable, wherever pip has put it.
cp -r python "$dir/python"
if python3 -m pip --version >/dev/null 2>&1 && python3 -c 'import setuptools, wheel' 2>/dev/null; then
        python3 -m pip install --quiet --no-deps --no-index --no-build-isolation --target "$dir/site" "$dir/python" >"$dir/pip" 2>&1 ||
                fail "pip cannot install it: $(tail -3 "$dir/pip")"
else
        mkdir "$dir/site" && cp -r python/patscan "$dir/site/"
fi
cp "$library" "$dir/site/patscan/"
unset PATSCAN_LIBRARY
version=$(cd "$dir" && PYTHONPATH=$dir/site python3 -c 'import patscan; print(patscan.version())') || fail 'it does not find the library beside it'
[ "patscan $version" = "$("$PATSCAN" --version | head -1 | cut -d' ' -f1,2)" ] || fail "another version: $version"
exit $bad
