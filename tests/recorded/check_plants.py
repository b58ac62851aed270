#!/usr/bin/env python3
"""check_plants.py ARCHIVE SOURCE SAID... - compares how long calls took in a recording with what plants.c has measured around them
in the calls of SOURCE that stand in T(), by case and rank: within 1 % or 0.1 ms. 1: some differ, and are printed."""
import collections
import re
import sys

from check import read_recorded


def cases_of_lines(source):
    """{line: case} of the calls that are measured."""
    lines, case = {}, None
    for number, text in enumerate(open(source), 1):
        found = re.match(r"static void (\w+)\(void\)", text)
        case = found.group(1) if found else case
        if re.search(r"\bT\(MPI_", text):
            lines[number] = case
    return lines


def main():
    archive, source, said = sys.argv[1], sys.argv[2], sys.argv[3:]
    lines, recorded, bad, n = cases_of_lines(source), read_recorded(archive), [], 0
    for rank, path in enumerate(sorted(said)):
        measured = collections.Counter()
        for line in open(path):
            case = line.split()[0]
            measured["late_sender" if case == "unrecv" else case] += float(line.split()[1])  # which calls it
        for case, blocked in measured.items():
            took = sum(row[1] for (r, _, at), row in recorded.items() if r == rank and lines.get(at) == case)
            n += blocked > 0
            if abs(took - blocked) > max(0.01 * blocked, 1e-4):
                bad.append(f"{case}, rank {rank}: recorded {took:.6f} s, took {blocked:.6f} s")
    print("\n".join(bad))
    print(f"{n} sums, {len(bad)} bad")
    return 1 if bad or n < 40 else 0


sys.exit(main())
