#!/bin/sh
# run.sh [PICTURES] - packs the extension and tries it in a real Visual Studio Code, which code-server serves to Chromium; before,
# the whole conversation of the language server with VS Code's protocol library. PICTURES: a folder for what was seen.
# All versions are those of the lock files; what is installed once is kept. Only CI insists on that it can be installed.
# run.sh --install - installs that, and no more.
set -u
cd "$(dirname "$0")/../.." || exit 2
PATSCAN=${PATSCAN:-$(pwd)/build/release/patscan}
PATSCAN_SOURCE=$(pwd)
export PATSCAN PATSCAN_SOURCE
modules=$PATSCAN_SOURCE/tests/vscode/node_modules
skip() { # in CI nothing is
        [ -n "${CI:-}" ] && { echo "failed: $*"; exit 1; }
        echo "skipped: $*"
        exit 77
}
[ -x "$PATSCAN" ] || [ "${1:-}" = --install ] || { echo "not built: $PATSCAN"; exit 1; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# npm ci, without what packages would run by themselves, unless that was done for the same versions
fetch() { # folder
        cmp -s "$1/package-lock.json" "$1/node_modules/.fetched" && return
        npm --prefix "$1" ci --ignore-scripts --no-audit --no-fund --prefer-offline >"$dir/log" 2>&1 || return
        cp "$1/package-lock.json" "$1/node_modules/.fetched"
}

# code-server's own modules are compiled, by and for the Node.js that it is to run with; optimising a database and a log that are
# used for a minute would take two.
build_code_server() {
        [ -e "$modules/.built" ] && return
        JOBS=max CFLAGS=-O0 CXXFLAGS=-O0 npm_config_nodedir=$node npm --prefix tests/vscode rebuild --foreground-scripts >"$dir/log" 2>&1 &&
                node "$modules/code-server/out/node/entry.js" --version >>"$dir/log" 2>&1 && : >"$modules/.built"
}

command -v npm >/dev/null || skip 'npm is not installed'
for folder in editors/vscode tests/vscode; do
        fetch $folder || { tail -n 20 "$dir/log"; skip "npm cannot install what $folder/package-lock.json names"; }
done
node=$(dirname "$(dirname "$(ls "$modules"/node-linux-*/bin/node 2>/dev/null)")")
PATH=$node/bin:$modules/.bin:$PATH
build_code_server || { tail -n 20 "$dir/log"; skip 'code-server cannot be built'; }
[ "${1:-}" != --install ] || exit 0

sh tests/cli/test_lsp_node.sh || exit
npm --prefix editors/vscode run pack >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
if [ -e "${PATSCAN%/*}/cmake_install.cmake" ]; then # what is packed is installed, too
        cmake --install "${PATSCAN%/*}" --prefix "$dir/usr" >"$dir/log" 2>&1 && [ -e "$dir/usr/share/patscan/patscan.vsix" ] ||
                { cat "$dir/log"; exit 1; }
fi
mkdir -p "$dir/work/.vscode" "$dir/work/traces/demo" && cp traces/demo/heat.c "$dir/work/traces/demo/" || exit 2
echo '{ "patscan.report": "report.json" }' >"$dir/work/.vscode/settings.json"
"$PATSCAN" traces/demo -q --report json:"$dir/work/report.json" --report html:"$dir/work/report.html" || exit 1
timeout 240 node tests/vscode/drive.mjs "$PATSCAN" "$dir" "${1:-$dir}"
