#!/usr/bin/env python3
"""check_scaling.py WHAT FUNCTION - what `patscan scale` says of runs on 2, 4 and 8 processes: scale.json of the traces, saved.json of
their reports, two.json and compared.json of the smallest and the largest, by scale and by compare. WHAT and FUNCTION are what
keeps the program from scaling. Eight processes on two processors wait for one another to run, which calls show as transfer: so
that counts only where it is what was planted. 1: it says something else."""
import json
import sys


def read(name):
    return json.load(open(name, encoding="utf-8"))


def near(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(near, a, b))
    return abs(a - b) <= 1e-6 * max(1, abs(a)) if isinstance(a, float) else a == b


def factors(runs):
    return [{k: r[k] for k in ("processes", "duration_s", "speedup", "efficiency")} for r in runs]


def check(what, function):
    scale, saved, two, compared = (read(name + ".json") for name in ("scale", "saved", "two", "compared"))
    limits = [(m["what"], m["function"]) for m in scale["limits"] if what == "transfer" or m["what"] != "transfer"]
    print([(r["processes"], round(r["duration_s"], 3), round(r["speedup"], 2)) for r in scale["runs"]], limits[:3])
    bad = []
    if not limits or limits[0] != (what, function):
        bad.append(f"the first limit is {limits[:1]}, not {what} of {function}")
    if [r["processes"] for r in scale["runs"]] != [2, 4, 8]:
        bad.append("the runs are not in order")
    if any(f["duration_s"] is None for f in scale["forecast"]):
        bad.append("nothing is told of more processes")
    if not near(factors(scale["runs"]), factors(saved["runs"])):
        bad.append("saved reports say something else than traces")
    if [(m["what"], m["callpath"]) for m in scale["limits"]] != [(m["what"], m["callpath"]) for m in saved["limits"]]:
        bad.append("saved reports have other limits than traces")
    if not near(factors(two["runs"]), factors(compared["scaling"]["runs"])):
        bad.append("compare has other factors than scale")
    for run in scale["runs"]:
        e = run["efficiency"]
        for product, parts in (("global", ("parallel", "computation_scalability")), ("parallel", ("load_balance", "communication")),
                               ("communication", ("serialization", "transfer"))):
            if abs(e[product] - e[parts[0]] * e[parts[1]]) > 1e-6:
                bad.append(f"{product} is not {parts[0]} * {parts[1]}")
    print(*bad, sep="\n")
    return 1 if bad else 0


sys.exit(check(*sys.argv[1:]))
