"""check_plan.py REPORT... - moves arrays by what `patscan redistribute --report json --plan` says, and by nothing else,
then looks at whether every element is where its distribution wants it."""
import itertools
import json
import re
import sys


def owner(text, index, extent, procs):
    block = re.match(r"cyclic\((\d+)\)", text)
    if block:
        return index // int(block[1]) % procs
    if text.startswith("dvm-block"):
        return next(c for c in range(procs) if index < (c + 1) * extent // procs)
    return index // -(-extent // procs)


def axes(side):
    """The axis of each dimension, or None."""
    named = [int(f.partition("@")[2] or 0) - 1 for f in side["formats"]]
    free = (a for a in range(len(side["grid"])) if a not in named)
    return [None if f == "*" else a if a >= 0 else next(free) for f, a in zip(side["formats"], named)]


def local_arrays(report, side):
    """What each rank has, as global indices in row-major order."""
    extents, grid, of = report["array"]["extents"], side["grid"], axes(side)
    arrays = []
    for at in itertools.product(*map(range, grid)):
        mine = [[v for v in range(n) if a is None or owner(f, v, n, grid[a]) == at[a]]
                for n, f, a in zip(extents, side["formats"], of)]
        arrays.append(list(itertools.product(*mine)))
    return arrays


def positions(parts, shape):
    def one(part):
        for runs, offsets in ((part["runs"], [x * part["period"] for x in range(part["repeats"])]), (part["rest"], [0])):
            for offset in offsets:
                for first, length, stride, count in runs:
                    for c in range(count):
                        yield from range(offset + first + c * stride, offset + first + c * stride + length)

    for at in itertools.product(*map(one, parts)):
        flat = 0
        for position, extent in zip(at, shape):
            flat = flat * extent + position
        yield flat


def complaints(report):
    plan, source = report["plan"], local_arrays(report, report["source"])
    wanted = local_arrays(report, report["destination"])
    got = [[None] * len(array) for array in wanted]
    for t in plan["transfers"]:
        p, q = t["source"], t["destination"]
        buffer = [source[p][i] for i in positions(t["gather"], plan["source_shapes"][p])]
        if len(buffer) != t["elements"]:
            yield f"{p} -> {q}: {len(buffer)} elements, not {t['elements']}"
        for element, i in zip(buffer, positions(t["scatter"], plan["destination_shapes"][q])):
            got[q][i] = element
    if got != wanted:
        yield "not every element is where it belongs"
    moved = [e for s, d, e in report["transfers"] if s != d]
    if (len(moved), sum(moved)) != (report["messages"], report["elements"]):
        yield "messages and elements are not those of the transfers"
    if report["bytes"] != report["elements"] * report["array"]["element_bytes"]:
        yield "bytes are not those of the elements"
    for s, d, e in report["transfers"]:
        report["matrix"][s][d] -= e
    if any(map(any, report["matrix"])):
        yield "the matrix does not say what the transfers say"


bad = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for complaint in complaints(json.load(file)):
            print(f"{path}: {complaint}")
            bad = 1
sys.exit(bad)
