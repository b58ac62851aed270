#!/bin/sh
# test_editors.sh - Vim, Neovim and Emacs find the places of a report for editors, as docs/EDITORS.md says.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
manual=$PATSCAN_SOURCE/docs/EDITORS.md
cd "$dir" || exit 2
mkdir src && yes 'a line of source' | head -60 >src/heat.c
cat >findings.txt <<'END'
src/heat.c:42:9: warning: Late sender: 2.6 s lost (6.5 %) in 5 calls of MPI_Recv on ranks 1, 3. Late. [-Wlate-sender]
src/heat.c:40:1: note: rank 0 sent the message here
patscan: warning: Wait at a barrier: 250 ms lost (0.6 %) in 1 call of MPI_Barrier on rank 2 (main) [-Wbarrier-wait]
END
bad=0
ran=0

check() { # what, expected, got
        ran=$((ran + 1))
        [ "$2" = "$3" ] && return
        printf '%s\nexpected:\n%s\ngot:\n%s\n' "$1" "$2" "$3"
        bad=$((bad + 1))
}

vim_by_manual=$(grep '^set errorformat=' "$manual")

quickfix() { # a Vim and its options: "file line column type" of each entry that has a place
        cat >script.vim <<'END'
call writefile(map(filter(getqflist(), "v:val.valid"), 'bufname(v:val.bufnr)." ".v:val.lnum." ".v:val.col." ".v:val.type'), "found")
qa!
END
        rm -f found
        "$@" -q findings.txt -S script.vim >/dev/null 2>&1 </dev/null
        sed 's/ *$//' found
}

for vim in 'nvim --headless' 'vim -es'; do
        command -v "${vim%% *}" >/dev/null || continue
        "${vim%% *}" --version | grep -q -e '-quickfix' && continue # a tiny Vim
        # shellcheck disable=SC2086
        check "$vim" "$(printf 'src/heat.c 42 9\nsrc/heat.c 40 1')" "$(quickfix $vim -u NONE -i NONE)"
        # shellcheck disable=SC2086
        check "$vim, errorformat" "$(printf 'src/heat.c 42 9 w\nsrc/heat.c 40 1 n')" \
                "$(quickfix $vim -u NONE -i NONE --cmd "$vim_by_manual")"
done

if command -v emacs >/dev/null; then
        cat >jump.el <<'END'
(require 'compile)
(find-file "findings.txt")
(insert "patscan --report gcc\n\n") ; as above what a command has printed
(compilation-mode)
(compilation--ensure-parse (point-max))
(princ (format "%s %s %s" compilation-num-errors-found compilation-num-warnings-found compilation-num-infos-found))
(setq compilation-skip-threshold 0) ; notes, too
(dotimes (_ 2)
  (next-error)
  (with-current-buffer (window-buffer)
    (princ (format "\n%s %d %d" (substring buffer-file-name -10) (line-number-at-pos) (1+ (current-column))))))
END
        check emacs "$(printf '0 1 1\nsrc/heat.c 42 9\nsrc/heat.c 40 1')" "$(emacs -Q --batch -l jump.el 2>/dev/null)"
fi

[ "$ran" -gt 0 ] || { echo 'skipped: no editor is installed'; exit 77; }
echo "$ran checks, $bad bad"
[ "$bad" -eq 0 ]
