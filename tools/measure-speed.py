#!/usr/bin/env python3
"""Measures how fast patscan reads traces, beside the OTF2 library, and prints a table for docs/PERFORMANCE.md.

  tools/measure-speed.py [--events N] [--folder FOLDER] [--rounds N] [--count] [KIND ...]

Needs build/release with the driver of the benchmarks (cmake --build build/release --target patscan bench-driver). Traces of N
events, 10^7 unless told otherwise, are made in FOLDER, and kept. Each program runs N times in turn, and its best run counts;
--count counts instructions too, with valgrind. otf2-print runs once.
"""
import argparse
import os
import subprocess
import sys

BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "release")
PATSCAN = os.path.join(BUILD, "patscan")
DRIVER = os.path.join(BUILD, "tests", "bench", "bench-driver")
KINDS = ["ring", "stencil", "all", "crowd", "horde", "paths", "deep", "unwound", "user", "adrift"]


def run(command):
    """User and system time in seconds, the peak of memory in MiB."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 4):
        sys.exit("failed with %d: %s" % (process.returncode, " ".join(command)))
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def instructions(command):
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    told = subprocess.run(tool + command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return next(int(line.split()[-1].replace(",", "")) for line in told.stderr.splitlines() if "Collected" in line)


def commands_of(anchor):
    report = ["--threads", "1", "-q", "--report", "json:/dev/null"]
    return {
        "floor": [DRIVER, "floor", anchor],
        "info": [PATSCAN, "info", anchor, "--threads", "1", "-q"],
        "analyze": [PATSCAN, anchor, "--causes", "none"] + report,
        "causes": [PATSCAN, anchor] + report,
        "read": ["cat"] + sorted(os.path.join(folder, name) for folder, _, names in os.walk(os.path.dirname(anchor))
                                 for name in names if name.endswith(".evt")),
    }


def measure(kind, options):
    made = subprocess.run([DRIVER, "trace", options.folder, kind, str(options.events)], capture_output=True, text=True,
                          check=True)
    anchor = made.stdout.strip()
    commands, best = commands_of(anchor), {}
    for _ in range(options.rounds):
        for name, command in commands.items():
            seconds, peak = run(command)
            least = best.get(name, (seconds, peak))
            best[name] = (min(seconds, least[0]), min(peak, least[1]))
    told = subprocess.run(commands["floor"], capture_output=True, text=True, check=True)
    events = int(told.stdout.split("=")[1])
    size = sum(os.path.getsize(path) for path in commands["read"][1:]) / 2**20
    printed = run(["otf2-print", anchor])[0]
    floor = best["floor"][0]
    row = [kind, "%.1f" % (events / 1e6), "%.0f" % size, "%.2f" % best["read"][0], "%.2f" % floor, "%.1f" % printed]
    row += ["%.2f (%.2f)" % (best[name][0], best[name][0] / floor) for name in ("info", "analyze", "causes")]
    row += ["%.0f" % best[name][1] for name in ("floor", "info", "analyze", "causes")]
    if options.count:
        least = instructions(commands["floor"])
        row += ["%.2f" % (instructions(commands[name]) / least) for name in ("info", "analyze", "causes")]
    print("| " + " | ".join(row) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10**7)
    parser.add_argument("--folder", default="/var/tmp")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("kind", nargs="*", default=KINDS)
    options = parser.parse_args()
    head = ["trace", "million events", "MiB", "read(), s", "library, s", "otf2-print, s"]
    head += [name + ", s (ratio)" for name in ("info", "analyze", "with causes")]
    head += [name + ", MiB" for name in ("library", "info", "analyze", "with causes")]
    if options.count:
        head += [name + ", instructions" for name in ("info", "analyze", "with causes")]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    for kind in options.kind:
        measure(kind, options)


main()
