#!/usr/bin/env python3
"""check_lines.py [--paths] ARCHIVE SOURCE... - are calls recorded from the lines that they stand in?

The comments of the sources say what is called where (lines/program.c, calls.F90). A site is right if the recording has that
call from that line, and says nothing else of a line; with --paths the functions that a comment names must be the ways on which
it is called. Prints how many sites there are, and what is wrong."""
import os
import re
import subprocess
import sys

CONTEXT = re.compile(r"^CALLING_CONTEXT\s+(\d+)\s+Region: \"([^\"]*)\" <\d+>, Source code location: (?:\"([^\"]*):(\d+)\" <\d+>|UNDEFINED), "
                     r"Parent: (?:\"[^\"]*\" <(\d+)>|UNDEFINED)", re.M)
ENTERED = re.compile(r"^CALLING_CONTEXT_ENTER .*?Calling Context: \"[^\"]*\" <(\d+)>", re.M)


def read_expected(paths, kind):
    expected = {}
    for path in paths:
        for number, line in enumerate(open(path), 1):
            found = re.search(r"/\* @ (\w+)(?: (\S+))? \*/|!@ (\w+) \d+(?: (not\S+))?$", line)
            if found and not (kind and f"not{kind}" in (found.group(4) or "")):
                ways = set(found.group(2).split(",")) if found.group(2) else None
                expected[os.path.basename(path), number, found.group(1) or found.group(3)] = ways
    return expected


def otf2_print(*words):
    return subprocess.run(["otf2-print", *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def read_recorded(archive):
    """By file, line and function: the ways that lead there."""
    contexts = {found[0]: found[1:] for found in CONTEXT.findall(otf2_print("-G", archive + "/traces.otf2"))}
    recorded = {}
    for context in set(ENTERED.findall(otf2_print(archive + "/traces.otf2"))):
        function, file, line, parent = contexts[context]
        way = []
        while parent:
            way.insert(0, contexts[parent][0])
            parent = contexts[parent][3]
        recorded.setdefault((os.path.basename(file), int(line or 0), function), set()).add(">".join(way))
    return recorded


def main():
    words = sys.argv[1:]
    has_paths = words[0] == "--paths"
    archive, sources = words[has_paths], words[has_paths + 1:]
    kind = re.search(r"fortran(\d)", archive)
    expected = read_expected(sources, kind and kind.group(1))
    recorded = read_recorded(archive)
    if kind:  # main's are not marked
        recorded = {site: ways for site, ways in recorded.items() if not re.match("MPI_(Init|Finalize)", site[2])}
    bad = [f"not recorded: {site}" for site in expected if site not in recorded]
    bad += [f"wrong: {site}, {ways}" for site, ways in recorded.items() if site not in expected]
    bad += [f"{site}: called by {ways}, not {expected[site]}" for site, ways in recorded.items()
            if has_paths and expected.get(site) and ways != expected[site]]
    for one in bad[:20]:
        print(one)
    print(f"{len(set(expected) | set(recorded))} sites, {len(bad)} bad: {archive}")


main()
