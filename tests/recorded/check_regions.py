#!/usr/bin/env python3
"""check_regions.py ARCHIVE - are the regions of named.c recorded, each of them in those around it?"""
import collections
import re
import subprocess
import sys

EVENT = re.compile(r"^CALLING_CONTEXT_(ENTER|LEAVE)\s+(\d+)\s+\d+\s+Calling Context: \"([^@\"]*)", re.M)
EXPECTED = {"time step": 3, "50 % done\n": 3, "forgotten": 3, "n" * 200: 3, "deep": 64, "(no name)": 1,
            "open to the end": 1, "of another thread": 1}

text = subprocess.run(["otf2-print", sys.argv[1] + "/traces.otf2"], stdout=subprocess.PIPE, text=True, check=True).stdout
ranks = 2
counts, stacks, barriers = collections.Counter(), collections.defaultdict(list), collections.Counter()
for which, location, name in EVENT.findall(text):
    stack = stacks[location]
    if which == "ENTER":
        counts[name] += 1
        if name == "MPI_Barrier":
            barriers[tuple(stack)] += 1
        stack.append(name)
    elif not stack or stack.pop() != name:
        sys.exit(f"{name} is left, and was not the last that was entered")
bad = [f"{name[:20]}: {counts[name]} times, not {ranks * n}" for name, n in EXPECTED.items() if counts[name] != ranks * n]
bad += [f"{name[:20]} is nobody's" for name in counts if name not in EXPECTED and not name.startswith("MPI_")]
bad += [f"open to the end: {stack}" for stack in stacks.values() if stack]
if barriers[("time step", "50 % done\n")] != 6 or barriers[("time step", "forgotten", "n" * 200)] != 6:
    bad.append(f"calls are in others: {barriers}")
for one in bad:
    print(one)
sys.exit(bool(bad))
