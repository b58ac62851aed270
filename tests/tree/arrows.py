#!/usr/bin/env python3
"""arrows.py [TREE] - includes follow the table of modules, cmake/modules.txt, and nothing else.

Fails on an include of a module that the folder may not see, of another module's private header, of a library that is
not the folder's, of a file that is not there; on a folder with sources that the table does not name, or names in vain;
on a cycle between modules; and on a module whose row in docs/ARCHITECTURE.md does not say the same. Whoever adds an arrow
changes the design, and says so there.
"""
import os
import re
import subprocess
import sys

SOURCE = re.compile(r"\.(c|h|def|js|css)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
LIBRARIES = (("otf2", re.compile(r"^otf2/")), ("cjson", re.compile(r"^(cjson/)?cJSON(_Utils)?\.h$")),
             ("microhttpd", re.compile(r"^microhttpd\.h$")), ("cmocka", re.compile(r"^cmocka\.h$")),
             ("mpi", re.compile(r"^mpi\.h$")),
             ("elfutils", re.compile(r"^(elfutils/.*|gelf|libelf|dwarf)(\.h)?$")))
# Commands that are clients of libpatscan, as any program is: of the tree they see the command line and patscan.h only.
CLIENTS = tuple(f"app/commands/{name}.c" for name in ("analyze", "compare", "info", "predict"))
# Their folders below follow the sources' or hold programs of their own: one row is enough for all.
WHOLE = ("tests", "tools", "traces")


def read_table(path):
    modules = {}
    for line in open(path):
        if line.strip() and not line.startswith("#"):
            folder, unit, headers, sees, uses = (line.rstrip("\n").split("|") + [""] * 4)[:5]
            modules[folder.strip()] = {"headers": headers.split(), "sees": sees.split(), "uses": uses.split()}
    return modules


def told_in(row):
    """What the documentation says of a module: the end of its row, with what the others may include and what it may see."""
    return "".join(" |" + "".join(" all" if word == "*" else f" `{word}`" for word in words) + (" " if not words else "")
                   for words in (row["headers"], row["sees"])) + " |\n"


def module_of(path):
    return path.split("/")[0] if path.startswith(tuple(w + "/" for w in WHOLE)) else os.path.dirname(path)


def covers(names, module):
    return any(n in ("*", module) or module.startswith(n + "/") for n in names)


def library_of(name):
    return next((library for library, pattern in LIBRARIES if pattern.match(name)), None)


def check_include(modules, tracked, module, is_quoted, name):
    """What is wrong with an include of `name`; None: nothing."""
    library = library_of(name)
    if library:
        return None if library in modules[module]["uses"] else f"must not use {library}"
    path = name if name in tracked else "include/" + name if "include/" + name in tracked else None
    if path is None:
        return "is not in the tree by its full path" if is_quoted else None
    owner = module_of(path)
    if owner == module or module == "tests":
        return None
    if owner not in modules:
        return "is in a folder that the table does not name"
    if not covers(modules[module]["sees"], owner):
        return f"is in {owner}, which {module} may not see"
    if not covers(modules[owner]["headers"], os.path.basename(path)):
        return f"is private to {owner}"
    return None


def find_cycle(arrows):
    """Modules that include one another in a ring, the first one also last; None: there are none."""
    done, way = set(), []

    def walk(module):
        if module in way:
            return way[way.index(module):] + [module]
        if module in done:
            return None
        way.append(module)
        for other in sorted(arrows.get(module, ())):
            ring = walk(other)
            if ring:
                return ring
        done.add(way.pop())
        return None

    return next((ring for ring in map(walk, sorted(arrows)) if ring), None)


def check_tree():
    modules = read_table("cmake/modules.txt")
    tracked = set(subprocess.run(["git", "ls-files"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n"))
    sources = sorted(f for f in tracked if SOURCE.search(f) and os.path.exists(f))
    bad, arrows, used = [], {}, set()
    for path in sources:
        module = module_of(path)
        used.add(module)
        if module not in modules:
            bad.append(f"{path}: cmake/modules.txt has no row for {module}")
            continue
        for quote, name in INCLUDE.findall(open(path, errors="replace").read()):
            why = check_include(modules, tracked, module, quote == '"', name)
            if not why and path in CLIENTS and quote == '"' and name != path[:-1] + "h" and not name.startswith(
                    ("app/cli/", "patscan/")):
                why = "is not what a client of libpatscan sees"
            if why:
                bad.append(f"{path}: {name} {why}")
            elif name in tracked and module_of(name) != module:
                arrows.setdefault(module, set()).add(module_of(name))
    bad += [f"cmake/modules.txt: {module} holds no sources" for module in modules if module not in used]
    told = {line.split("`")[1]: line for line in open("docs/ARCHITECTURE.md") if line.startswith("| `")}
    bad += [f"docs/ARCHITECTURE.md does not tell of {module} as cmake/modules.txt does" for module, row in modules.items()
            if not told.get(module, "").endswith(told_in(row))]
    ring = find_cycle(arrows)
    if ring:
        bad.append("modules include one another: " + " -> ".join(ring))
    print("\n".join(bad + [f"{len(sources)} files, {len(bad)} bad"]))
    return 1 if bad or not sources else 0


os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.exit(check_tree())
