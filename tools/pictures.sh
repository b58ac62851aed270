#!/bin/sh
# pictures.sh - draws the pictures of docs/EDITORS.md anew: Neovim in tmux, Visual Studio Code in Chromium, both with the bundled
# demo. Needs what these need, and build/release/patscan.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$(pwd)
dir=$(mktemp -d) || exit 1
trap 'tmux -L patscan-pictures kill-server 2>/dev/null; rm -rf "$dir"' EXIT

mkdir -p "$dir/traces/demo" && cp traces/demo/heat.c "$dir/traces/demo/" || exit 1
build/release/patscan traces/demo -q --report json:"$dir/report.json" || exit 1
cat >"$dir/init.lua" <<END
package.path = '$root/editors/neovim/?.lua;' .. package.path
for name, value in pairs({ swapfile = false, wrap = false, laststatus = 0, ruler = false, showcmd = false }) do vim.o[name] = value end
local patscan = require('patscan')
patscan.command = '$root/build/release/patscan'
patscan.start('report.json')
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20)
vim.lsp.codelens.refresh()
vim.wait(20000, function() return #vim.lsp.codelens.get(0) > 0 end, 20)
vim.cmd('normal! 13Gzt23G^')
vim.diagnostic.open_float({ border = 'single', max_width = 96 })
END
(cd "$dir" && tmux -L patscan-pictures new-session -d -x 110 -y 26 \
        "nvim -u NONE -i NONE -c 'autocmd VimEnter * luafile init.lua' traces/demo/heat.c") || exit 1
sleep 5 # until all is drawn
# Of what a terminal can, the picture has bold, dim and four colours: blue is cyan, bright is not, backgrounds go.
tmux -L patscan-pictures capture-pane -p -e | sed 's/\x1b\[9\([0-7]\)m/\x1b[3\1m/g; s/\x1b\[3[456]m/\x1b[36m/g; s/\x1b\[39m/\x1b[0m/g
        s/\x1b\[[0-9;]*[457-9]m//g; s/\x1b\[[0-9]*;[0-9;]*m//g; s/\x1b\[30m/\x1b[0m/g' |
        awk -v command='nvim traces/demo/heat.c' -v columns=110 -f tools/terminal-svg.awk >docs/neovim.svg || exit 1

tests/vscode/run.sh docs
