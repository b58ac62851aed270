#!/usr/bin/env python3
"""check_perfetto.py TRACE.pftrace REPORT.json - what Perfetto would show of a run is what the report says of it.

An independent decoder of what is written, by the numbers of fields in Perfetto's own protocol.
"""
import collections
import json
import sys
import zlib


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    out, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = number(data, at)
        if key & 7 == 0:
            value, at = number(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert key & 7 == 2, "a type of a field"
            n, at = number(data, at)
            assert at + n <= len(data), "a message ends within its own"
            value, at = data[at:at + n], at + n
        out[key >> 3].append(value)
    return out


def packets(data):
    for packet in fields(data)[1]:
        inner = fields(packet)
        if 50 in inner:
            yield from packets(zlib.decompress(inner[50][0]))
        else:
            yield inner


class Sequence:
    def __init__(self):
        self.now, self.names, self.categories, self.sources, self.stack, self.track = 0, {}, {}, {}, [], None


def intern(seq, data):
    for table, field in ((seq.categories, 1), (seq.names, 2), (seq.sources, 4)):
        for item in fields(data)[field]:
            f = fields(item)
            assert f[1][0] not in table, "a name is told once"
            table[f[1][0]] = (f[2][0].decode(), f[4][0] if 4 in f else None)


def read(path):
    slices, processes, threads, sequences = [], {}, {}, collections.defaultdict(Sequence)
    for p in packets(open(path, "rb").read()):
        seq = sequences[p[10][0]] if 10 in p else None
        if 60 in p:
            track = fields(p[60][0])
            if 3 in track:
                processes[track[1][0]] = fields(track[3][0])
            if 4 in track:
                threads[track[1][0]] = fields(track[4][0])
        if 59 in p:
            defaults = fields(p[59][0])
            seq.track = fields(defaults[11][0])[11][0]
            assert defaults[58] == [64], "the clock of a sequence"
        if 12 in p:
            intern(seq, p[12][0])
        if 11 not in p:
            continue
        seq.now += p[8][0]
        event = fields(p[11][0])
        if event[9] == [1]:
            seq.stack.append({"name": seq.names[event[10][0]][0], "category": seq.categories[event[3][0]][0], "begin": seq.now,
                              "pid": threads[seq.track][1][0], "depth": len(seq.stack), "source": seq.sources.get(event[34][0]) if 34 in event else None,
                              "flows": event[47], "ends": event[48], "correlation": event[52], "in": seq.stack[-1]["category"] if seq.stack else None})
        else:
            assert event[9] == [2], "begin or end"
            s = seq.stack.pop()
            s["end"] = seq.now
            slices.append(s)
    assert not any(seq.stack for seq in sequences.values()), "all that begins ends"
    return slices, processes


def main():
    slices, processes = read(sys.argv[1])
    report = json.load(open(sys.argv[2], encoding="utf-8"))
    by = collections.defaultdict(list)
    for s in slices:
        by[s["category"]].append(s)
    assert sorted(p[1][0] for p in processes.values()) == list(range(1, report["trace"]["processes"] + 1)), "a process for each rank"
    assert len(by["operation"]) == report["trace"]["operations"], (len(by["operation"]), report["trace"]["operations"])
    lost, told = collections.Counter(), collections.Counter()
    for s in by["wait"]:
        lost[s["name"]] += (s["end"] - s["begin"]) / 1e9
        told[s["name"]] += 1
    titles = {p["id"]: p["title"] for p in report["patterns"]}
    expected = collections.Counter()
    for f in report["findings"]:
        expected[titles[f["type"]]] += f["lost_s"]
    for name, seconds in lost.items():
        assert abs(seconds - expected[name]) <= 2e-9 * told[name] + 1e-9, (name, seconds, expected[name])
    begins, ends = ({f for s in slices for f in s[key]} for key in ("flows", "ends"))
    assert begins == ends, "flows begin and end"
    first = {f: s["begin"] for s in slices for f in s["flows"]}
    assert all(s["begin"] >= first[f] for s in slices for f in s["ends"]), "flows go forward"
    assert all(s["source"] and s["source"][0] and s["source"][1] for s in slices if s["source"] is not None)
    size = len(open(sys.argv[1], "rb").read()) / max(1, len(by["operation"]))
    print("%d slices, %d operations, %d waits, %d flows, %d with a line, %.1f bytes an operation" % (
        len(slices), len(by["operation"]), len(by["wait"]), len(begins), sum(s["source"] is not None for s in slices), size))


main()
