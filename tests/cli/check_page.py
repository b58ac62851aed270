#!/usr/bin/env python3
"""check_page.py PAGE.html REPORT.json [PROFILE.json] - what is drawn of a run is what the report says of it, and what is told
over time what its profile says, of 1000 bins.

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
    for name, count, width, difference in head["columns"]:
        planes = [raw[at + k * count:at + (k + 1) * count] for k in range(width)]
        values = [sum(plane[i] << 8 * k for k, plane in enumerate(planes)) for i in range(count)]
        if difference == 2:
            values = [(own + before) & (1 << 8 * width) - 1 for own, before in zip(values, list(columns.values())[-1])]
        if difference == 1:
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


def check_profile(head, columns, profile):
    traffic, whole = head["traffic"], 0xFFFFFFFF
    assert traffic["bins"] == len(profile["bins"])
    for key, name, largest in zip(("messages", "bytes", "most_messages", "most_bytes"), ("Messages", "Bytes", "MostMessages", "MostBytes"), traffic["largest"]):
        for bin_, part in zip(profile["bins"], columns["traffic" + name]):
            assert abs(bin_[key] - part / whole * largest) <= 1e-6 * largest, (key, bin_)
    for key, told in zip(("busy", "overhead", "idle"), traffic["concurrency"]):
        assert len(told) == len(profile["concurrency"][key])
        assert all(abs(a * 1e-9 - b) < 1e-9 for a, b in zip(told, profile["concurrency"][key])), key
    length, wide = (traffic["to"] - traffic["from"]) * head["tickNs"] / 1e9, traffic["queueBins"]
    for lane, row in enumerate(profile["by_location"]):
        assert traffic["queues"][lane] == [row["queue_messages"]["value"], row["queue_bytes"]["value"]], row
    for key, name, largest in zip(("messages", "bytes"), ("queueMessages", "queueBytes"), traffic["queueLargest"]):
        queued = sum(columns[name]) / 0xFFFF * largest / wide * length
        under_way = sum(b[key] * (b["end_s"] - b["begin_s"]) for b in profile["bins"])
        assert abs(queued - under_way) <= 1e-3 * under_way + 1e-12, (key, queued, under_way)
    assert head["pairs"] == [[p["from"], p["to"], p["messages"], p["bytes"]] for p in profile["matrix"]], "matrix"


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
    kinds = {"computation": [0], "waiting": [1, 2], "transfer": [3, 4], "unexplained": [5], "not-running": [6], "library": [7], "runtime": [8]}
    for row in report["time"] if not columns["shares"] else []:
        own, n = sum(drawn[state] for state in kinds[row["kind"]]), len(columns["begin"])
        assert abs(own - row["time_s"]) <= tick * n + 0.02 * row["time_s"], (row["kind"], own, row["time_s"])
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
    if len(sys.argv) > 3:
        check_profile(head, columns, json.load(open(sys.argv[3], encoding="utf-8"))["profile"])
    print("%d stretches, %d of them waits of %d places" % (len(columns["begin"]), sum(counts.values()), len(waits)))


main()
