#!/usr/bin/env python3
"""check.py ARCHIVE EXPECTED - compares a recording, as otf2-print shows it, with what its program says that it did.

EXPECTED has lines "call RANK FUNCTION LINE COUNT SECONDS": each call must be there as often, from that line, and what it took
must be what the program measured around it, within 1 % or 0.1 ms and 2 us a call (negative: it did not measure). 1: something
differs, and is printed."""
import collections
import re
import subprocess
import sys

ENTER = re.compile(r"CALLING_CONTEXT_(ENTER|LEAVE)\s+(\d+)\s+(\d+)\s+Calling Context: \"(\w+)(?:@([^\"]*):(\d+))?")


def read_expected(path):
    expected = {}
    for line in open(path, errors="replace"):
        found = re.match(r"call (\d+) (\w+) (\d+) (\d+) ([-\d.]+)$", line)
        if found:
            rank, function, at, count, seconds = found.groups()
            expected[int(rank), function, int(at)] = (int(count), float(seconds))
    return expected


def process_of_location(archive):
    """Locations are numbered by rank and thread; the definitions tell the rank of each."""
    text = subprocess.run(["otf2-print", "-G", archive], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {int(loc): int(rank) for loc, rank in
            re.findall(r"^LOCATION\s+(\d+)\s.*Group: \"MPI Rank (\d+)\"", text, re.M)}


def read_recorded(archive):
    ranks = process_of_location(archive)
    done = subprocess.run(["otf2-print", archive], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode or done.stderr:
        sys.exit(f"otf2-print: status {done.returncode}, {done.stderr[:500]}")
    recorded, begun = collections.defaultdict(lambda: [0, 0.0]), {}
    for line in done.stdout.split("\n"):
        found = ENTER.match(line)
        if not found:
            continue
        which, location, time, function, _, at = found.groups()
        if which == "ENTER":
            begun[location] = int(time)
            continue
        row = recorded[ranks[int(location)], function, int(at or 0)]
        row[0] += 1
        row[1] += (int(time) - begun[location]) * 1e-9
    return recorded


def main():
    archive, expected = sys.argv[1], read_expected(sys.argv[2])
    recorded = read_recorded(archive)
    bad = [] if expected else ["the program said nothing"]
    for key in sorted(set(expected) | set(recorded)):
        if key[1] == "MPI_Finalize" or key[1].startswith("MPI_Init"):
            continue
        count, seconds = expected.get(key, (0, 0.0))
        n, took = recorded.get(key, (0, 0.0))
        if n != count:
            bad.append(f"{key}: recorded {n} calls, made {count}")
        elif seconds > 0 and abs(took - seconds) > max(0.01 * seconds, 1e-4 + 2e-6 * count):
            bad.append(f"{key}: recorded {took:.6f} s, took {seconds:.6f} s")
    print("\n".join(bad[:40]))
    print(f"{len(expected)} sites, {len(bad)} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
