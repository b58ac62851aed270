#!/usr/bin/env python3
"""limits.py - every command keeps to the least limit that it tells, and says the same as without one.

    limits.py PATSCAN BENCH_DRIVER [KIND]...

Of each kind of trace, each command is run without a limit, and with --memory and the least number that it names where
it is given too little: with the same exit code, the same output, byte by byte, and no more resident memory than that
at any moment; so it is where what was kept of a trace is taken. Where blocks cannot be had from the file, because the
folder of $TMPDIR is not there, the command ends with exit code 5 and names the folder: for some commands of each
kind, so that it is known that the file was used. Of many locations with little each, little lies in the file.
"""
import filecmp
import os
import re
import subprocess
import sys
import tempfile

EVENTS = {"ring": 1500000, "stencil": 1500000, "all": 600000, "crowd": 300000, "unwound": 600000, "adrift": 600000,
          "paths": 600000, "deep": 1000000, "tags": 60000}
COMMANDS = ("analyze TRACE --report json", "analyze TRACE --report json --causes none", "info TRACE --report json",
            "info TRACE --report json --profile", "predict TRACE --machine ideal --report json",
            "compare TRACE TRACE --report json", "calibrate TRACE -o /dev/null --report json")
KEPT_EVENTS = 6000000
PROCESSES = 500
TRIES = 3  # a machine that lets nobody run for long is none to measure on


def run(words, output, folder="/var/tmp"):
    """Exit code, what was said, and the most bytes that were resident: in this process, too, before it became another."""
    with open(output, "wb") as out, tempfile.TemporaryFile() as said:
        child = subprocess.Popen(words, stdout=out, stderr=said, env=dict(os.environ, TMPDIR=folder))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return child.returncode, said.read().decode(), usage.ru_maxrss * 1024


def least_of(words, output):
    code, said, _ = run([*words, "--memory", "1M"], output)
    least = re.search(r"least=(\d+)", said)
    assert code == 2 and least, f"1 MiB is taken, or the least is not told: {code} {said}"
    return int(least[1])


def check(words, folder):
    """What is wrong, in words; and whether blocks lay in the file."""
    plain, limited = f"{folder}/plain", f"{folder}/limited"
    before = run(words, plain)
    least = least_of(words, limited)
    within = [*words, "--memory", str(least)]
    for _ in range(TRIES):
        after = run(within, limited)
        if after[0] != before[0] or not filecmp.cmp(plain, limited, shallow=False):
            return f"another result: {after[0]} {after[1]}", False
        if after[2] <= least:
            break
    else:
        return f"{after[2]} bytes were resident, of at most {least}", False
    code, said, _ = run(within, limited, f"{folder}/nowhere")
    if code not in (before[0], 5) or (code == 5 and f"{folder}/nowhere" not in said):
        return f"without a folder: {code} {said}", False
    return "", code == 5


def make_trace(driver, folder, kind, events):
    made = subprocess.run([driver, "trace", f"{folder}/traces", kind, str(events)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.split()
    return os.path.dirname(made[-1])


def check_kept(patscan, driver, folder):
    """What is wrong where what was kept of a trace is taken, which is more than the limit."""
    trace = make_trace(driver, folder, "ring", KEPT_EVENTS)
    words = [patscan, "analyze", trace, "--report", "json", "--threads", "2"]
    plain, limited = f"{folder}/plain", f"{folder}/limited"
    least = least_of(words, limited)
    code, said, _ = run(["sh", "-c", 'ulimit -f 1000; exec "$@"', "sh", *words, "--memory", str(least)], limited)
    if code != 5 or "File too large" not in said:
        return f"with small files only: {code} {said}"
    words = [*words, f"--cache={folder}/kept"]
    run(words, plain)
    for _ in range(TRIES):
        code, said, resident = run([*words, "-v", "--memory", str(least)], limited)
        if code not in (0, 1) or "taken from the cache" not in said or not filecmp.cmp(plain, limited, shallow=False):
            return f"another result, or it was not taken: {code} {said}"
        if resident <= least:
            return ""
    return f"{resident} bytes were resident, of at most {least}"


def check_many(patscan, folder):
    """What is wrong where very many locations have little each, and their trace does not tell how much."""
    trace, limited = f"{folder}/many.trf", f"{folder}/limited"
    with open(trace, "w", encoding="ascii") as file:
        for record in "-3 -901 0.0", "-4 -901 1.0":
            file.writelines(f"{record} {node} 0 0\n" for node in range(PROCESSES))
    words = [patscan, "analyze", trace, "--report", "json", "--causes", "0", "-v"]
    _, said, _ = run([*words, "--memory", str(least_of(words, limited))], limited)
    in_file = re.search(r"file_bytes=(\d+)", said)
    return f"{in_file[1]} bytes lay in the file" if in_file and int(in_file[1]) > PROCESSES << 16 else ""


def check_kind(patscan, driver, kind):
    bad, in_file = 0, 0
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        trace = make_trace(driver, folder, kind, EVENTS[kind])
        for command in COMMANDS:
            words = [trace if word == "TRACE" else word for word in command.split()]
            wrong, was_in_file = check([patscan, words[0], *words[1:], "--threads", "2"], folder)
            in_file += was_in_file
            bad += wrong != ""
            if wrong:
                print(f"{kind}: {command}: {wrong}")
    if not in_file:
        print(f"{kind}: no command had blocks in the file")
    return bad + (not in_file)


def main():
    patscan, driver, *kinds = sys.argv[1:]
    bad = sum(check_kind(patscan, driver, kind) for kind in kinds or EVENTS)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        wrong = {"kept": check_kept(patscan, driver, folder), "many": check_many(patscan, folder)}
    for what, is_wrong in wrong.items():
        if is_wrong:
            print(f"{what}: {is_wrong}")
    sys.exit(bad > 0 or any(wrong.values()))


main()
