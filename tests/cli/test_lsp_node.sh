#!/bin/sh
# test_lsp_node.sh - the language server and VS Code's protocol library, where the packages of editors/vscode are installed.
. tests/cli/lab.sh
command -v node >/dev/null || { echo 'skipped: no node is installed'; exit 77; }
[ -d editors/vscode/node_modules ] || { echo 'skipped: npm --prefix editors/vscode ci has not run'; exit 77; }
mkdir -p "$dir/traces/demo" && cp traces/demo/heat.c "$dir/traces/demo/" || exit 2
"$PATSCAN" traces/demo -q --report json:"$dir/report.json" --report html:"$dir/report.html" || exit 1
timeout 100 node tests/vscode/check_protocol.mjs "$PATSCAN" "$dir"
