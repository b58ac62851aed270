#!/usr/bin/env python3
"""data.py - whatever `ulimit -d` leaves a command, it says the same as without one: what it does not count helps.

    data.py PATSCAN BENCH_DRIVER

Stacks of eight threads would be most of these limits, or more than one of them. With few addresses, `ulimit -v`, it
says the same, or that it lacks them: no signal ends it where the first thread's stack grows.
"""
import os
import resource
import subprocess
import sys
import tempfile

EVENTS, MIB = 1500000, 1 << 20
COMMANDS = ("analyze TRACE --report json --causes none", "info TRACE --report json --profile",
            "compare TRACE TRACE --report json")


def run(words, mib=None, what=resource.RLIMIT_DATA):
    def limit():
        if mib:
            resource.setrlimit(what, (int(mib * MIB), int(mib * MIB)))
    done = subprocess.run(words, capture_output=True, preexec_fn=limit, env=dict(os.environ, TMPDIR="/var/tmp"))
    return done.returncode, done.stdout, done.stderr


def write_ring(path, nodes=8, rounds=5000):
    """A PICL trace in which all wait for each other, so that there are causes to be mended."""
    records = ((0, "-3 -21", 1), (2, "-4 -21", None), (3, "-3 -52", -1), (20, "-4 -52", -1))
    with open(path, "w", encoding="ascii") as file:
        for i in range(rounds):
            for time, node, what, partner in sorted((100 * i + at + (7 * node + 3 * i) % 10, node, what, partner)
                                                    for at, what, partner in records for node in range(nodes)):
                values = "0" if partner is None else f"3 2 8 1 {(node + partner) % nodes}"
                file.write(f"{what} {time / 1e6:.6f} {node} 0 {values}\n")


def check_addresses(patscan, folder):
    """How many limits are too few addresses without a word, or make another result."""
    bad, trace = 0, f"{folder}/ring.trf"
    write_ring(trace)
    words = [patscan, "analyze", trace, "--report", "json"]
    before = run(words)
    for mib in (quarters / 4 for quarters in range(52, 80)):
        after = run(words, mib, resource.RLIMIT_AS)
        if after != before and (after[0] != 5 or b"out of memory" not in after[2]):
            bad += 1
            print(f"{mib} MiB of addresses: {after[0]} {after[2].decode()}")
    return bad


def main():
    patscan, driver = sys.argv[1:]
    bad = 0
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        bad += check_addresses(patscan, folder)
        trace = subprocess.run([driver, "trace", folder, "stencil", str(EVENTS)], check=True, stdout=subprocess.PIPE,
                               text=True).stdout.split()[-1]
        for command in COMMANDS:
            words = [patscan, *(trace if word == "TRACE" else word for word in command.split()), "--threads", "8"]
            before = run(words)
            for mib in (6, 10, 12, 16, 20, 24, 32):
                after = run(words, mib)
                if after != before:
                    bad += 1
                    print(f"{command}: {mib} MiB: {after[0]} {after[2].decode()}")
    sys.exit(bad > 0)


main()
