"""check.py REPORT EXPECTED GOOD [SHARE] - compares what a report in JSON says was lost with what a program was made to lose.

A line of EXPECTED is a pattern, a line of the source (0: any) and the ms lost in all threads together (-1: only
that it is found). SHARE of it, a tenth if not given, or 0.3 ms, is forgiven. On a busy machine a thread may be held up for longer than that by
somebody else, in one place or another: GOOD keeps what was right in earlier runs, and what was right once is right."""
import json
import os
import sys


def main(report, expected, good_file, share=0.1):
    with open(report) as file:
        findings = json.load(file)["findings"]
    good = set(open(good_file).read().split("\n")) if os.path.exists(good_file) else set()
    lines = [line.strip() for line in open(expected)]
    for text in lines:
        pattern, line, ms = text.split()
        hits = [f for f in findings if f["type"] == pattern and line in ("0", str(f["line"]))]
        lost = sum(f["lost_s"] for f in hits) * 1000
        ms = float(ms)
        is_good = bool(hits) if ms < 0 else abs(lost - ms) <= max(float(share) * ms, 0.3)
        verdict = "ok" if is_good else "was ok" if text in good else "BAD"
        print("%-6s %-32s line %-4s expected %8.3f ms, found %8.3f ms" % (verdict, pattern, line, ms, lost))
        if is_good:
            good.add(text)
    with open(good_file, "w") as file:
        file.write("\n".join(sorted(good)))
    return not lines or not good.issuperset(lines)


sys.exit(main(*sys.argv[1:]))
