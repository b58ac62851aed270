#!/usr/bin/env python3
"""check_page.py PAGE.html REPORT.json - what is drawn of a run is what the report says of it.

Decodes the columns of the page anew, from what docs/HTML.md says of them.
"""
import base64
import json
import re
import sys
import zlib

STATES = 9
MIXED = 9
WAITS = (1, 2, 5)


def element(text, name):
    return re.search(r'id="%s">(.*?)</script>' % name, text, re.S)[1]


def decode(head, packed):
    raw, at, columns = zlib.decompress(base64.b64decode(packed), -15), 0, {}
    for name, count, width, is_delta in head["columns"]:
        planes = [raw[at + k * count:at + (k + 1) * count] for k in range(width)]
        values = [sum(plane[i] << 8 * k for k, plane in enumerate(planes)) for i in range(count)]
        if is_delta:
            for i in range(1, count):
                values[i] = (values[i] + values[i - 1]) & 0xFFFFFFFF
        columns[name] = values
        at += count * width
    assert at == len(raw), "columns fill what is packed"
    head["none"] = 0xFFFF if [c[2] for c in head["columns"] if c[0] == "peer"] == [2] else 0xFFFFFFFF
    return columns


def stretches(head, columns):
    first, begin = columns["first"], columns["begin"]
    for lane in range(len(head["lanes"])):
        assert begin[first[lane]] == 0, "a lane begins with the run"
        for i in range(first[lane], first[lane + 1]):
            end = begin[i + 1] if i + 1 < first[lane + 1] else head["end"]
            assert begin[i] < end, "stretches touch, and none is empty"
            yield lane, i, begin[i], end


def clip(head, begin, end):
    return sum(max(0, min(end, b) - max(begin, a)) for a, b in head["focus"])


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    head, report = json.loads(element(text, "run-data")), json.load(open(sys.argv[2], encoding="utf-8"))
    columns = decode(head, element(text, "run-columns"))
    tick = head["tickNs"] / 1e9
    waits, drawn, counts = {}, [0] * STATES, {}
    for lane, i, begin, end in stretches(head, columns):
        if columns["state"][i] < STATES:
            drawn[columns["state"][i]] += clip(head, begin, end) * tick
        place = columns["find"][i]
        if place != head["none"]:
            assert columns["state"][i] in WAITS, "only a wait belongs to a finding"
            waits[place] = waits.get(place, 0) + clip(head, begin, end) * tick
            counts[place] = counts.get(place, 0) + 1
    assert head["findings"] == len(report["findings"]), "findings"
    assert len(columns["messageBegin"]) + head["leftOut"]["messages"] == report["trace"]["messages"], "messages"
    for row in report["time"]:
        own = next(r[1:] for r in head["time"] if r[0] == row["kind"])
        assert abs(sum(own) / 1e9 - row["time_s"]) < 1e-9 * (len(own) + 1), row["kind"]
    lost = {}
    for f in report["findings"]:
        key = "finding-%s-%d" % (f["site"], f["line"] or 0)
        lost[key] = lost.get(key, 0) + f["lost_s"]
    for place, time in waits.items():
        p = head["places"][place]
        assert abs(p["lost"] - lost[p["id"]]) < 1e-8, p["id"]
        if not head["leftOut"]["waits"]:
            assert abs(time - p["lost"]) <= tick * 2 * counts[place] + 1e-9, (p, time)
    length = sum(b - a for a, b in head["focus"]) * tick * len(head["lanes"])
    if not columns["shares"]:
        assert abs(sum(drawn) - length) < 1e-9 * length + 1e-9, "lanes are as long as the focus"
    print("%d stretches, %d of them waits of %d places" % (len(columns["begin"]), sum(counts.values()), len(waits)))


main()
