#!/bin/sh
# test_lsp.sh - the language server in conversations, and what real editors make of it.
set -u
command -v python3 >/dev/null || { echo 'skipped: no Python'; exit 77; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$PATSCAN_SOURCE" || exit 2
"$PATSCAN" traces/demo -q --report json:"$dir/demo.json" --report json-compact:"$dir/compact.json" --report html:"$dir/demo.html" || exit 1
python3 tests/cli/check_lsp.py "$PATSCAN" "$PATSCAN_SOURCE" "$dir/demo.json" "$dir/demo.html" "$dir/compact.json"
