#!/usr/bin/env python3
"""check_planted.py REPORT SAID... - compares the waits of a report with those that follow from when calls began and ended, as
planted.c says: within 5 % or 0.3 ms a call. 1: some differ, and are printed."""
import collections
import json
import sys

# Who waits in each case, and for whom: a receiver for its sender, a sender for its receiver, everybody for the last one.
WAITS = {"late_sender": "recv", "wrong_order": "recv", "pipeline": "recv", "late_bcast": "recv",
         "late_receiver": "send", "ssend_late_receiver": "send", "wait_barrier": "all"}


def partner(name, call, rank):
    if name == "late_bcast":
        return 1
    return rank - 1 if call == "recv" else rank + 1


def wait(name, rows, rank, begin, end):
    """How long a call of this rank was in vain: until the other one began."""
    if WAITS[name] == "all":
        other = max(row[0] for row in rows.values())
    else:
        what = "send" if WAITS[name] == "recv" else "recv"
        other = rows[what, partner(name, WAITS[name], rank)][0]
    return max(0.0, min(other, end) - begin)


def planted(paths):
    calls = collections.defaultdict(dict)
    for path in paths:
        for line in open(path):
            name, turn, rank, call, begin, end = line.split()
            calls[name, int(turn)][call, int(rank)] = float(begin), float(end)
    waited, n = collections.Counter(), collections.Counter()
    for (name, _), rows in calls.items():
        for (call, rank), (begin, end) in rows.items():
            if call == WAITS[name]:
                waited[name] += wait(name, rows, rank, begin, end)
                n[name] += 1
    return waited, n


def found(report):
    waits = collections.Counter()
    for row in json.load(open(report))["functions"]:
        frames = [frame["function"] if isinstance(frame, dict) else frame for frame in row["callpath"]]
        for name in WAITS:
            if name in frames and row["operation"]:
                waits[name] += row["waiting_s"]
    return waits


def main():
    waited, n = planted(sys.argv[2:])
    waits = found(sys.argv[1])
    bad = [name for name in WAITS if not n[name] or abs(waits[name] - waited[name]) > max(0.05 * waited[name], 3e-4 * n[name])]
    for name in WAITS:
        print(f"{name}: {waited[name] * 1e3:.3f} ms in {n[name]} calls, found {waits[name] * 1e3:.3f} ms{' !' * (name in bad)}")
    return 1 if bad else 0


sys.exit(main())
