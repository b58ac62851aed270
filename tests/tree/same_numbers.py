#!/usr/bin/env python3
"""same_numbers.py REPORT WAITS WHAT_IF PATSCAN TRACE - what the examples of the library print are the numbers of the program."""
import json
import re
import subprocess
import sys

report = json.load(open(sys.argv[1]))
waits = open(sys.argv[2]).read().splitlines()

found = [line for line in waits if "caused by" not in line]
assert len(found) == len(report["findings"]), (len(found), len(report["findings"]))
for line, finding in zip(found, report["findings"]):
    assert line.startswith(f"{1000 * finding['lost_s']:9.3f} ms  rank {finding['process']}"), (line, finding)
    assert line.endswith(f": {finding['type']}"), (line, finding["type"])
    if finding["line"]:
        assert f"{finding['file']}:{finding['line']}:" in line, (line, finding)

caused = [line for line in waits if "caused by" in line]
causes = [cause for cause in report["causes"] if cause["process"] is not None]
assert len(caused) == len(causes)
for line, cause in zip(caused, causes):
    assert line.startswith(f"{1000 * cause['waiting_s']:9.3f} ms  caused by rank {cause['process']}"), (line, cause)
    fixes = cause["fixes"] or []
    assert ("saves" in line) == bool(fixes), (line, fixes)
    if fixes:
        assert f"{fixes[0]['edit']} saves {1000 * fixes[0]['gain_s']:.3f} ms" in line, (line, fixes[0])

predicted = open(sys.argv[3]).read().splitlines()
assert len(predicted) == 4, predicted
for line in predicted:
    edit, seconds = re.fullmatch(r"(.*): ([0-9.]+) s", line).groups()
    told = subprocess.run([sys.argv[4], "predict", sys.argv[5], "--machine", "recorded", edit, "--report", "json", "--quiet"],
                          stdout=subprocess.PIPE, check=True).stdout
    assert f"{json.loads(told)['trace']['duration_s']:.6f}" == seconds, (line, edit)
print("the examples tell what the reports tell")
