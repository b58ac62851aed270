#!/usr/bin/env python3
"""arrows_selftest.py - arrows.py is silent on good includes and finds each planted bad one."""
import os
import subprocess
import sys
import tempfile

ARROWS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrows.py")
TABLE = """# folder | unit | headers | may see | library
core/base | library | * | |
core/load | library | load.h | core |
reader | library | reader.h | core reader |
reader/otf2 | library | otf2.h | core | otf2
app | upper | | * | cjson
"""
GOOD = {
    "core/base/a.h": "",
    "core/load/load.h": '#include "core/base/a.h"\n',
    "core/load/load.c": '#include "core/load/load.h"\n#include "core/load/inside.h"\n#include <errno.h>\n',
    "core/load/inside.h": "",
    "reader/reader.h": '#include "core/load/load.h"\n',
    "reader/registry.c": '#include "reader/otf2/otf2.h"\n',
    "reader/otf2/otf2.h": "#include <otf2/OTF2_AttributeValue.h>\n",
    "app/main.c": '  #  include "reader/reader.h"\n#include <cjson/cJSON.h>\n',
}
# file, its text, a part of what has to be said
BAD = (
    ("core/base/b.c", '#include "core/load/load.h"', "may not see"),
    ("core/base/b.def", '#include "reader/reader.h"', "may not see"),
    ("app/b.c", '#include "core/load/inside.h"', "private to core/load"),
    ("core/base/b.c", '#include "a.h"', "not in the tree by its full path"),
    ("core/base/b.c", '#include "../base/a.h"', "not in the tree by its full path"),
    ("core/base/b.c", "#include <otf2/otf2.h>", "must not use otf2"),
    ("reader/registry.c", '#include "otf2/otf2.h"', "must not use otf2"),
    ("core/base/b.c", '#include "cJSON.h"', "must not use cjson"),
    ("core/other/b.c", "", "no row for core/other"),
    ("reader/otf2/otf2.h", '#include "core/none.h"', "not in the tree"),
    ("cmake/modules.txt", TABLE.replace("* | |", "* | core |"), "does not tell of core/base"),
    ("docs/ARCHITECTURE.md", "| `core/base` | what | all |  |\n", "does not tell of app"),
    ("docs/ARCHITECTURE.md", "| `app` | what |  | `core` |\n", "does not tell of app"),
    ("cmake/modules.txt", TABLE + "core/empty | library | * | |\n", "core/empty holds no sources"),
)
TOLD = """| `core/base` | what | all |  |
| `core/load` | what | `load.h` | `core` |
| `reader` | what | `reader.h` | `core` `reader` |
| `reader/otf2` | what | `otf2.h` | `core` |
| `app` | what |  | all |
"""
SEES_UP = {"cmake/modules.txt": TABLE.replace("* | |", "* | core |"), "docs/ARCHITECTURE.md": TOLD.replace("all |  |", "all | `core` |")}
RING = {**SEES_UP, "core/base/b.c": '#include "core/load/load.h"\n'}


def verdict(files):
    """Exit code and words of arrows.py on a tree of these files."""
    with tempfile.TemporaryDirectory() as tree:
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
            with open(os.path.join(tree, name), "w") as out:
                out.write(text)
        subprocess.run(["git", "init", "-q", tree], check=True)
        subprocess.run(["git", "-C", tree, "add", "-A"], check=True)
        run = subprocess.run([sys.executable, ARROWS, tree], stdout=subprocess.PIPE, text=True)
        return run.returncode, run.stdout


def main():
    good = {**GOOD, "cmake/modules.txt": TABLE, "docs/ARCHITECTURE.md": TOLD}
    failed = []
    for name, text, part in (("core/base/a.h", "", None),) + BAD:
        code, said = verdict({**good, name: text})
        if (code != 0) != (part is not None) or (part or "") not in said or (part and name not in said):
            failed.append(f"{name}: {text}: wanted {part}, got {code}: {said}")
    code, said = verdict({**good, **RING})
    if code == 0 or "modules include one another: " not in said:
        failed.append(f"a ring: {code}: {said}")
    if verdict({"cmake/modules.txt": "", "docs/ARCHITECTURE.md": ""})[0] == 0:
        failed.append("a tree without files passed")
    print("\n".join(failed) or "all planted mistakes are found")
    return 1 if failed else 0


sys.exit(main())
