#!/bin/sh
# arrows_selftest.sh - arrows.sh is silent on good arrows and finds each planted bad one.
set -u
arrows=$(cd "$(dirname "$0")" && pwd)/arrows.sh
tree=$(mktemp -d) || exit 2
trap 'rm -rf "$tree"' EXIT
failed=0

expect() { # good|bad, file, include line
        rm -rf "${tree:?}"/*
        mkdir -p "$tree/core" "$tree/$(dirname "$2")"
        echo '#include <errno.h>' >"$tree/core/first.c"
        echo "$3" >"$tree/$2"
        verdict=bad
        said=$(sh "$arrows" "$tree") && verdict=good
        case $verdict:$said in
        good:* | bad:*"$2: must not include"*) ;;
        *) verdict="without the file's name" ;;
        esac
        [ "$verdict" = "$1" ] && return
        echo "$2: $3: wanted $1, got $verdict: $said"
        failed=1
}

expect good core/a.c '#include "core/b.h"'
expect good core/a.c '#include "patscan/patscan.h"'
expect good reader/a.c '#include "core/b.h"'
expect good reader/otf2/events.h '#include <otf2/OTF2_AttributeValue.h>'
expect good report/otf2_writer.c '#include <otf2/otf2.h>'
expect good simulator/machine/file.c '#include <cjson/cJSON.h>'
expect good report/print/json.c '#include <cJSON.h>'
expect good app/main.c '#include "reader/load.h"'
expect good report/print/json.c '#include "patterns/table/pattern.h"'

expect bad core/a.c '#include "reader/reader.h"'
expect bad core/a.h '  #  include "app/app.h"'
expect bad core/a.def '#include "patterns/table/pattern.h"'
expect bad core/a.c '#include "b.h"'
expect bad core/a.c '#include "../core/b.h"'
expect bad core/a.c '#include <otf2/otf2.h>'
expect bad reader/a.c '#include "simulator/s.h"'
expect bad reader/picl/picl.c '#include "otf2/otf2.h"'
expect bad patterns/a.c '#include "report/r.h"'
expect bad patterns/a.c '#include "reader/reader.h"'
expect bad simulator/a.c '#include "reader/reader.h"'
expect bad simulator/a.c '#include <cjson/cJSON.h>'
expect bad report/a.c '#include "app/app.h"'
expect bad reader/otf2/otf2.c '#include "cJSON.h"'
expect bad include/patscan/patscan.h '#include "core/core.h"'

# A tree without files is no proof of anything.
rm -rf "${tree:?}"/*
sh "$arrows" "$tree" >/dev/null && { echo 'an empty tree passed'; failed=1; }
exit $failed
