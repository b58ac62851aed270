#!/bin/sh
# test_lsp_editors.sh - what Neovim, Emacs and Vim make of the language server, with the settings of editors/, of a report in full and a
# compact one.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export PATSCAN
cd "$PATSCAN_SOURCE" && source=$(pwd) || exit 2
export EDITORS="$source/editors"
mkdir -p "$dir/traces" && cp -r traces/demo "$dir/traces/" && cd "$dir" || exit 2
export HOME="$dir"
"$PATSCAN" traces/demo -q --report json:report.json --report json-compact:compact.json || exit 1
export REPORT
git init -q . 2>/dev/null # the folder is the project
bad=0
ran=0

check() { # what, a line that there must be, the lines
        ran=$((ran + 1))
        printf '%s\n' "$3" | grep -q -e "$2" && return
        printf '%s\nexpected of %s: %s\ngot:\n%s\n' "$1" "$REPORT" "$2" "$3"
        bad=$((bad + 1))
}

for REPORT in report.json compact.json; do
if command -v nvim >/dev/null; then
        cat >try.lua <<'END_LUA'
package.path = os.getenv('EDITORS') .. '/neovim/?.lua;' .. package.path
local patscan = require('patscan')
patscan.command = os.getenv('PATSCAN')
patscan.start(os.getenv('REPORT'))
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20)
for _, d in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write(('mark %d %d %s\n'):format(d.lnum + 1, d.severity, d.code))
end
vim.lsp.codelens.refresh()
vim.wait(10000, function() return #vim.lsp.codelens.get(0) > 0 end, 20)
for _, lens in ipairs(vim.lsp.codelens.get(0)) do
  io.stdout:write(('lens %d %s\n'):format(lens.range.start.line + 1, lens.command.title))
end
local where = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 22, character = 9 } }
for _, reply in pairs(vim.lsp.buf_request_sync(0, 'textDocument/hover', where, 10000)) do
  io.stdout:write('hover ' .. reply.result.contents.value:gsub('\n', ' ') .. '\n')
end
vim.cmd('qa!')
END_LUA
        said=$(timeout 60 nvim --headless -u NONE -i NONE -n traces/demo/heat.c -c 'luafile try.lua' 2>&1)
        check 'Neovim, marks' '^mark 23 2 late-nonblocking-send' "$said"
        check 'Neovim, lenses' '^lens 26 .*24.12 ms shorter.*rank 2' "$said"
        check 'Neovim, hover' '^hover .*Late nonblocking send.*relax' "$said"
fi

if command -v emacs >/dev/null && [ -d /usr/share/emacs/site-lisp/elpa/eglot-1.9 ]; then
        cat >try.el <<'END_LISP'
(setq package-directory-list (list "/usr/share/emacs/site-lisp/elpa"))
(package-initialize)
(load (concat (getenv "EDITORS") "/emacs/patscan.el"))
(setq patscan-command (getenv "PATSCAN"))
(find-file "traces/demo/heat.c")
(c-mode)
(patscan-serve (concat "../../" (getenv "REPORT")))
(let ((n 0))
  (while (and (< n 200) (null (flymake-diagnostics)))
    (accept-process-output nil 0.1)
    (when (= (mod n 10) 5) (flymake-start))
    (setq n (1+ n))))
(dolist (d (flymake-diagnostics))
  (princ (format "mark %d %S %s\n" (line-number-at-pos (flymake-diagnostic-beg d)) (flymake-diagnostic-type d)
                 (flymake-diagnostic-text d))))
(kill-emacs 0)
END_LISP
        check Emacs '^mark 23 eglot-warning patscan \[late-nonblocking-send\]: Late' \
                "$(timeout 60 emacs -q --batch -l try.el 2>&1)"
fi

if command -v vim >/dev/null && [ -d /usr/share/vim-ale ] && vim --version | grep -q '+timers' &&
        command -v script >/dev/null; then
        cat >try.vim <<'END_VIM'
set nocompatible
set runtimepath^=/usr/share/vim-ale
let g:ale_linters_explicit = 1
let g:ale_linters = {'c': ['patscan']}
let g:patscan_command = $PATSCAN
let g:rounds = 0
function! Look(timer)
  let g:rounds += 1
  if len(getloclist(0)) || g:rounds > 200
    call writefile(map(getloclist(0), '"mark ".v:val.lnum." ".v:val.type." ".v:val.text'), 'found')
    qa!
  endif
endfunction
function! Begin()
  edit traces/demo/heat.c
  set filetype=c
  source $EDITORS/vim/patscan.vim
  execute 'PatscanServe' $REPORT
  call timer_start(100, 'Look', {'repeat': -1})
endfunction
autocmd VimEnter * call Begin()
END_VIM
        rm -f found
        timeout 60 script -qc 'vim -u try.vim -i NONE -n' /dev/null >/dev/null </dev/null
        check 'Vim with ALE' '^mark 23 W late-nonblocking-send: Late' "$(cat found 2>/dev/null)"
        cat >jump.vim <<'END_VIM'
source $EDITORS/vim/patscan.vim
let g:patscan_command = $PATSCAN
Patscan traces/demo
call writefile(map(filter(getqflist(), 'v:val.valid'), 'bufname(v:val.bufnr)." ".v:val.lnum." ".v:val.type'), 'found')
qa!
END_VIM
        rm -f found
        timeout 60 vim -es -u NONE -i NONE -c 'set nocompatible' -S jump.vim >/dev/null 2>&1 </dev/null
        check 'Vim, quickfix' '^traces/demo/heat.c 23 w' "$(cat found 2>/dev/null)"
fi
done

[ "$ran" -gt 0 ] || { echo 'skipped: no editor with a client is installed'; exit 77; }
echo "$ran checks, $bad bad"
[ "$bad" -eq 0 ]
