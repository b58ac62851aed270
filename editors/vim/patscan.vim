" patscan.vim - findings of patscan in Vim.
"
" :Patscan TRACE          fills the quickfix list; needs nothing else
" :PatscanServe REPORT    shows them on their lines by ALE (https://github.com/dense-analysis/ale), also of a TRACE
let g:patscan_command = get(g:, 'patscan_command', 'patscan')
let g:patscan_filetypes = get(g:, 'patscan_filetypes', ['c', 'cpp', 'fortran'])

function! s:jump(trace) abort
  let l:old = &errorformat
  let &errorformat = '%f:%l:%c: %tarning: %m,%f:%l:%c: %tote: %m,%-Gpatscan: %m'
  cgetexpr system(shellescape(g:patscan_command) . ' ' . shellescape(a:trace) . ' --report gcc -q')
  let &errorformat = l:old
  copen
endfunction

function! s:serve(source) abort
  let l:source = fnamemodify(a:source, ':p')
  for l:type in g:patscan_filetypes
    call ale#linter#Define(l:type, {
          \ 'name': 'patscan', 'lsp': 'stdio', 'executable': g:patscan_command,
          \ 'command': '%e lsp ' . shellescape(l:source), 'project_root': {b -> getcwd()}})
  endfor
  call ale#Queue(0)
endfunction

command! -nargs=1 -complete=file Patscan call s:jump(<q-args>)
command! -nargs=1 -complete=file PatscanServe call s:serve(<q-args>)
