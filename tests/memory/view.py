#!/usr/bin/env python3
"""view.py - patscan view serves the same under `ulimit -v` as without.

    view.py PATSCAN BENCH_DRIVER

What the page asks for is asked of a server that has all in memory and of one that sees it through windows on a file:
each answer is the same, byte by byte. Where there may be no file, so few addresses do not suffice (exit code 5), so
that it is known that there were windows.
"""
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import urllib.request

EVENTS = 600000
ADDRESSES = 48 << 20
TIMES = ((0, 1), (0, 4), (1, 2), (499, 500), (0, 1000))  # thousandths of the run, and the whole of it
LANES = ("0", "0-7", "1,3,5-7")


def start(words, addresses, folder):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, TMPDIR=folder), preexec_fn=limit if addresses else None)


def fetch(address):
    with urllib.request.urlopen(address, timeout=60) as answer:
        return answer.read()


def answers(words, addresses):
    """By what was asked for."""
    with start(words, addresses, "/var/tmp") as server:
        address = server.stdout.readline().strip()
        if not address:
            code = server.wait()
            said = server.stderr.read()
            sys.exit(77 if "libmicrohttpd" in said else f"it does not start: {code} {said}")
        try:
            page = fetch(address)
            end = int(re.search(rb'"end":(\d+)', page)[1])
            asked = ["here"]
            for begin, behind in TIMES:
                times = f"from={end * begin // 1000}&to={end * behind // 1000}"
                asked += [f"part?{times}&lanes={lanes}" for lanes in LANES] + [f"stack?{times}&lanes=2"]
            return {"": page, **{what: fetch(address + what) for what in asked}}
        finally:
            server.send_signal(signal.SIGINT)


def main():
    patscan, driver = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        made = subprocess.run([driver, "trace", f"{folder}/traces", "ring", str(EVENTS)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.split()
        words = [patscan, "view", made[-1], "--threads", "2", "--no-config"]
        whole, seen = answers(words, 0), answers(words, ADDRESSES)
        with start(words, ADDRESSES, f"{folder}/nowhere") as without:
            _, said = without.communicate()
        wrong = [what for what in whole if seen.get(what) != whole[what]]
        if without.returncode != 5 or f"{folder}/nowhere" not in said:
            wrong.append(f"without a file: {without.returncode} {said}")
        sys.exit("\n".join(wrong) or 0)


main()
