#!/bin/sh
# arrows.sh - includes may only follow the arrows of the design: `arrows.sh [TREE]`.
#
#   app -> report, simulator, patterns -> core <- reader
#
# Whoever adds an arrow here changes the design, and says so in docs/ARCHITECTURE.md.
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2

allowed() { # folder: the folders that its files may include from
        case $1 in
        include/patscan) echo ;;
        core) echo 'patscan core' ;;
        reader) echo 'patscan core reader' ;;
        patterns) echo 'patscan core patterns' ;;
        simulator) echo 'patscan core simulator' ;;
        compare) echo 'patscan core patterns simulator report compare' ;;
        report) echo 'patscan core patterns simulator report compare' ;;
        app) echo 'patscan core reader patterns simulator compare report app' ;;
        esac
}

may_use_otf2() {
        case $1 in reader/otf2*.[ch] | reader/otf2*/*.[ch] | *otf2_writer*) ;; *) return 1 ;; esac
}

may_use_cjson() {
        case $1 in report/* | compare/* | app/* | simulator/machine*.c) ;; *) return 1 ;; esac
}

arrow_is_good() { # file, folder, what is included
        case $3 in
        otf2/*) may_use_otf2 "$1" ;;
        cJSON.h | cjson/*) may_use_cjson "$1" ;;
        *'"')
                case " $(allowed "$2") " in *" ${3%%/*} "*) ;; *) return 1 ;; esac
                ;;
        esac
}

bad=0
n=0
for folder in include/patscan core reader patterns simulator compare report app; do
        for file in $(find "$folder" -name '*.[ch]' -o -name '*.def' 2>/dev/null); do
                n=$((n + 1))
                # A quoted name keeps its closing quote, so that "core/x.h" and <errno.h> stay apart.
                for what in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]\([^">]*\)\(["]\{0,1\}\).*/\1\2/p' \
                        "$file"); do
                        case $what in otf2/* | cjson/* | cJSON.h*) what=${what%'"'} ;; esac
                        arrow_is_good "$file" "$folder" "$what" && continue
                        echo "$file: must not include ${what%'"'}"
                        bad=$((bad + 1))
                done
        done
done
echo "$n files, $bad bad arrows"
[ "$n" -gt 0 ] && [ "$bad" -eq 0 ]
