#!/bin/sh
# sizes.sh - no function is longer than 60 lines, but those that are named here with their reason; no file of sources is
# longer than 500, and no folder holds more than 45 of them.
set -u
cd "$(dirname "$0")/../.." || exit 2
ctags --version 2>/dev/null | grep -q Universal || { echo 'universal-ctags is not installed'; exit 77; }

# function  reason
justified='
'

git ls-files '*.c' '*.h' '*.def' '*.js' '*.css' '*.py' '*.sh' |
        xargs wc -l |
        awk '
        $2 == "total" { next }
        { files++; folder = $2; if (!sub("/[^/]*$", "", folder)) folder = "."; n[folder]++ }
        $1 > 500 { print $2 " has " $1 " lines"; bad++ }
        END {
                for (folder in n) if (n[folder] > 45) { print folder " holds " n[folder] " sources"; bad++ }
                print files + 0 " files, " bad + 0 " too many or too long"
                exit bad > 0 || files == 0
        }' || exit 1

git ls-files '*.c' |
        ctags -L - --languages=C --kinds-C=f --fields=+ne -f - |
        awk -v justified="$justified" '
        BEGIN { n = split(justified, line, "\n"); for (i = 1; i <= n; i++) { split(line[i], w, " "); good[w[1]] = 1 } }
        {
                first = last = 0
                for (i = 4; i <= NF; i++) {
                        if ($i ~ /^line:/) first = substr($i, 6)
                        if ($i ~ /^end:/) last = substr($i, 5)
                }
                n_functions++
                size = last - first + 1
                if (size > 60 && !($1 in good)) { print $2 ":" first ": " $1 " has " size " lines"; bad++ }
        }
        END { print n_functions + 0 " functions, " bad + 0 " too long"; exit bad > 0 || n_functions == 0 }'
