#!/usr/bin/env python3
"""data.py - whatever `ulimit -d` leaves a command, it says the same as without one: what it does not count helps.

    data.py PATSCAN BENCH_DRIVER

Stacks of eight threads would be most of these limits, or more than one of them.
"""
import os
import resource
import subprocess
import sys
import tempfile

EVENTS, MIB = 1500000, 1 << 20
COMMANDS = ("analyze TRACE --report json --causes none", "info TRACE --report json --profile",
            "compare TRACE TRACE --report json")


def run(words, mib=None):
    def limit():
        if mib:
            resource.setrlimit(resource.RLIMIT_DATA, (mib * MIB, mib * MIB))
    done = subprocess.run(words, capture_output=True, preexec_fn=limit, env=dict(os.environ, TMPDIR="/var/tmp"))
    return done.returncode, done.stdout, done.stderr


def main():
    patscan, driver = sys.argv[1:]
    bad = 0
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
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
