#!/usr/bin/env python3
"""waits.py TRACE - who waited for whom, where, and how long: the findings of `patscan TRACE --report json`, worst first.

PATSCAN names the program, where it is not in the path.
"""
import json
import os
import subprocess
import sys


def report_of(trace):
    command = [os.environ.get("PATSCAN", "patscan"), trace, "--report", "json", "--quiet"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: waits.py TRACE")
    for finding in report_of(sys.argv[1])["findings"]:
        worst = finding["worst"]
        if worst["partner_process"] is None:
            continue
        # What is not known is null: a call without a line is named by its function.
        where = f"{finding['file']}:{finding['line']}" if finding["line"] else finding["function"] or "somewhere"
        print(f"{1000 * finding['lost_s']:9.3f} ms  rank {finding['process']} for rank {worst['partner_process']}, "
              f"{finding['callpath'][-1]} at {where}: {finding['type']}")


if __name__ == "__main__":
    main()
