"""check.py REPORT EXPECTED - compares what a report in JSON says was lost with what a program was made to lose.

A line of EXPECTED is a pattern, a line of the source (0: any) and the ms lost in all threads together (-1: only
that it is found). Clocks and schedulers are what they are: a tenth, or 0.3 ms, is forgiven."""
import json
import sys


def main(report, expected):
    with open(report) as file:
        findings = json.load(file)["findings"]
    bad = 0
    n = 0
    for text in open(expected):
        pattern, line, ms = text.split()
        hits = [f for f in findings if f["type"] == pattern and line in ("0", str(f["line"]))]
        lost = sum(f["lost_s"] for f in hits) * 1000
        ms = float(ms)
        n += 1
        good = bool(hits) if ms < 0 else abs(lost - ms) <= max(0.1 * ms, 0.3)
        print("%-4s %-32s line %-4s expected %8.3f ms, found %8.3f ms"
              % ("ok" if good else "BAD", pattern, line, ms, lost))
        bad += not good
    return bad > 0 or n == 0


sys.exit(main(*sys.argv[1:]))
