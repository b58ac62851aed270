#!/usr/bin/env python3
"""check_ci.py QUALITY.json JUNIT.xml REPORT.json - what CI services are given is what the report says."""
import json
import re
import sys
import xml.etree.ElementTree as xml

entries = json.load(open(sys.argv[1], encoding="utf-8"))
suites = xml.parse(sys.argv[2]).getroot()
report = json.load(open(sys.argv[3], encoding="utf-8"))

# A place: one site in one line.
lost = {}
for f in report["findings"]:
    if f.get("ignored"):
        continue
    place = f["site"], f["line"]
    lost[place] = lost.get(place, 0) + f["lost_s"]
assert len(entries) == len(lost), (len(entries), len(lost))
assert len({e["fingerprint"] for e in entries}) == len(entries)
assert {site for site, _ in lost} <= {e["fingerprint"] for e in entries}
for e in entries:
    assert set(e) == {"description", "check_name", "fingerprint", "severity", "location"}, e
    assert e["severity"] in ("info", "minor", "major", "critical", "blocker"), e
    assert e["location"]["path"] and not e["location"]["path"].startswith("./"), e
    assert e["location"]["lines"]["begin"] >= 1, e

assert suites.tag == "testsuites" and [s.get("name") for s in suites] == ["patscan"]
cases = list(suites[0])
# What Jenkins' schema knows, and the file of a test, which is GitLab's; times there have no exponent.
KNOWN = {"testsuites": {"tests", "failures", "errors", "time"}, "testsuite": {"name", "tests", "failures", "errors", "time"},
         "testcase": {"name", "time", "classname", "file"}, "failure": {"type", "message"}, "error": {"type", "message"}}
for element in suites.iter():
    assert set(element.attrib) <= KNOWN[element.tag], (element.tag, element.attrib)
    assert re.fullmatch(r"[0-9]*(\.[0-9]*)?", element.get("time", "0")), element.attrib
for totals in suites, suites[0]:
    assert int(totals.get("tests")) == len(cases)
    assert int(totals.get("failures")) == len(suites.findall(".//failure"))
    assert int(totals.get("errors")) == len(suites.findall(".//error"))
    assert abs(float(totals.get("time")) - sum(lost.values())) < 1e-6
assert len({(c.get("classname"), c.get("name")) for c in cases}) == len(cases)
seconds = [float(c.get("time")) for c in cases if c.get("classname") not in ("trace", "limit")]
assert len(seconds) == len(lost)
for a, b in zip(sorted(seconds), sorted(lost.values())):
    assert abs(a - b) < 1e-8, (a, b)
