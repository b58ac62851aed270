#!/usr/bin/env python3
"""test_patscan.py - the module tells what the program tells. Environment: PATSCAN, PATSCAN_LIBRARY; in the folder of the sources."""
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__))))
import patscan  # noqa: E402

DEMO = "traces/demo"


def told(*arguments):
    command = [os.environ["PATSCAN"], *arguments, "--report", "json", "--quiet"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def layout():
    """Of each struct in patscan.h: its size, and where its members lie."""
    structs = {}
    for line in open("tests/tree/abi.txt"):
        words = line.split()
        if words[0] == "struct":
            members = {}
            structs[words[1]] = (int(words[2]), members)
        elif line.startswith("  "):
            members[words[0]] = int(words[1])
    return structs


def interrupt(*_):
    raise KeyboardInterrupt


class Module(unittest.TestCase):
    def test_structs_lie_as_in_c(self):
        from patscan import _library
        structs = {s: getattr(_library, "".join(word.title() for word in s[8:].split("_")), None) for s in layout()}
        known = {name: struct for name, struct in structs.items() if struct and issubclass(struct, ctypes.Structure)}
        self.assertEqual(len(known), 11)
        for name, struct in known.items():
            members = {member: getattr(struct, member).offset for member, _ in struct._fields_}
            self.assertEqual((ctypes.sizeof(struct), members), layout()[name], name)

    def test_the_tables_are_those_of_the_program(self):
        report = told(DEMO)
        with patscan.open(DEMO) as trace:
            analysis = trace.analyze()
            for table in ("findings", "causes", "patterns", "functions", "intervals", "time", "issues"):
                self.assertIsInstance(getattr(analysis, table), list)
                self.assertEqual(getattr(analysis, table), report[table] or [], table)
            delays = {row["family"]: {key: row[key] for key in row if key != "family"} for row in analysis.delays}
            self.assertEqual(delays, report["delays"])
            self.assertEqual(analysis.critical_path, report["critical_path"]["rows"])
            self.assertGreater(min(len(analysis.findings), len(delays), len(analysis.critical_path)), 0)
            without = trace.analyze(causes="none")
            self.assertEqual((without.causes, without.delays, without.critical_path), ([], [], []))
            self.assertEqual(analysis.efficiency, report["efficiency"])
            self.assertEqual(trace.info["trace"], told("info", DEMO)["trace"])

    def test_options_are_those_of_the_program(self):
        report = told(DEMO, "--definitions", "scalasca", "--epsilon", "20us", "--only", "late-sender", "--focus", "whole-run")
        with patscan.open(DEMO, definitions="scalasca", focus="whole-run", threads=2) as trace:
            self.assertEqual(trace.analyze(epsilon="20us", only="late-sender").patterns, report["patterns"])
            self.assertEqual(trace.analyze(fail_on=["total>0.001%"]).verdict, 1)
            with self.assertRaises(TypeError):
                trace.analyze(epsylon="20us")

    def test_what_is_none_is_not_asked_for(self):
        with patscan.open(DEMO, focus=None, progress=None) as trace:
            self.assertEqual(trace.analyze(baseline=None, fail_on=None).patterns, trace.analyze().patterns)

    def test_paths_are_texts_bytes_or_objects(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (b"t\xff", "a b\u00e4".encode()):
                path = os.path.join(folder.encode(), name)
                shutil.copytree(DEMO.encode(), path)
                for same in (path, os.fsdecode(path), pathlib.Path(os.fsdecode(path))):
                    with patscan.open(same, cache=pathlib.Path(folder)) as trace, patscan.compare(same, [same, DEMO]) as comparison:
                        roots = pathlib.Path("traces"), path
                        self.assertEqual(trace.analyze(source_root=roots[0]).verdict, 0)
                        self.assertEqual(trace.analyze(source_root=roots).verdict, 0)
                        self.assertEqual(comparison.verdict, 0)

    def test_a_prediction_has_an_analysis(self):
        report = told("predict", DEMO, "--machine", "recorded", "region:relax*0.5")
        with patscan.open(DEMO) as trace:
            prediction = trace.predict("region:relax*0.5")
            self.assertAlmostEqual(prediction.duration_s, report["trace"]["duration_s"], 9)
            self.assertLess(abs(prediction.drift), 0.01)
            self.assertEqual(prediction.analyze().findings, report["findings"])

    def test_several_predictions_are_a_table(self):
        report = told("predict", DEMO, "L*1,2", "bw*1,2")
        with patscan.open(DEMO) as trace:
            prediction = trace.predict("L*1,2", "bw*1,2")
            self.assertEqual(json.loads(prediction.report("json")), report)
            self.assertEqual([run["label"] for run in prediction.runs], ["L*1 bw*1", "L*1 bw*2", "L*2 bw*1", "L*2 bw*2"])
            for run, row in zip(prediction.runs, report["rows"]):
                self.assertAlmostEqual(run["focus_s"], row["run_s"], 9)
            with self.assertRaises(patscan.Error):
                prediction.analyze()

    def test_a_comparison_is_that_of_the_program(self):
        with patscan.compare(DEMO, [DEMO]) as comparison:
            self.assertEqual(comparison.json, told("compare", DEMO, DEMO))
            self.assertEqual(comparison.verdict, 0)

    def test_operations_and_messages_are_dicts(self):
        with patscan.open(DEMO, lean=1) as trace:
            messages = list(trace.messages())
            self.assertEqual(len(messages), trace.info["trace"]["messages"])
            for message in messages:
                send = list(trace.operations(message["sender"]))[message["send"]]
                self.assertEqual(send["peer_operation"], message["receive"])
            self.assertIsNone(trace.callpaths[0]["parent"])
            self.assertIn("relax", [region["name"] for region in trace.regions])

    def test_compact_reports_are_read_as_those_in_full(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments in ([DEMO], [DEMO, "--causes", "none", "--interval", "loops"], ["predict", DEMO, "balance", "--sensitivity"],
                              ["tests/fuzz/corpus/dvm/jacobi"]):
                full, compact = folder + "/full.json", folder + "/compact.json"
                command = [os.environ["PATSCAN"], *arguments, "-q", "--report", "json:" + full, "--report", "json-compact:" + compact]
                subprocess.run(command, check=True)
                report = json.load(open(full))
                self.assertEqual(patscan.read_report(full), report)
                self.assertEqual(json.dumps(patscan.read_report(compact)), json.dumps(report), arguments)

    def test_what_fails_says_why(self):
        with self.assertRaisesRegex(patscan.Error, "nonexistent") as failed:
            patscan.open("/nonexistent/traces.otf2")
        self.assertEqual(failed.exception.status, -2)
        with patscan.open(DEMO) as trace, self.assertRaisesRegex(patscan.Error, "epsilon"):
            trace.analyze(epsilon="much")

    def test_what_was_made_of_a_trace_goes_before_it(self):
        trace = patscan.open(DEMO)
        analysis = trace.analyze()
        trace.close()
        with self.assertRaises(ValueError):
            analysis.report()

    def test_messages_and_progress_go_to_functions(self):
        heard, steps = [], []
        patscan.open(DEMO, listener=lambda kind, text: heard.append(text), progress=lambda done, total: steps.append(done)).close()
        self.assertTrue(any("events" in text for text in heard))
        self.assertTrue(steps)
        with self.assertRaises(patscan.Error) as stopped:
            patscan.open(DEMO, progress=lambda done, total: 1)
        self.assertEqual(stopped.exception.status, -6)
        with self.assertRaises(patscan.Error):
            patscan.open(DEMO, progress=lambda done, total: "enough")
        with self.assertRaises(KeyboardInterrupt):
            patscan.open(DEMO, progress=interrupt)

    def test_an_analysis_tells_how_far_it_is(self):
        with patscan.open(DEMO) as trace:
            steps = []
            trace.analyze(progress=lambda done, total: steps.append(done / total))
            self.assertEqual(steps, sorted(steps))
            self.assertEqual(steps[-1], 1)
            with self.assertRaises(KeyboardInterrupt):
                trace.analyze(progress=interrupt)
            with self.assertRaises(TypeError):
                trace.analyze(progres=print)

    def test_a_frame_is_of_pandas_or_says_how_to_get_it(self):
        with patscan.open(DEMO) as trace:
            analysis = trace.analyze()
            try:
                self.assertEqual(len(analysis.frame("findings")), len(analysis.findings))
            except ImportError as missing:
                self.assertIn("pip install pandas", str(missing))
            with self.assertRaises(ValueError):
                analysis.frame("no such table")


if __name__ == "__main__":
    unittest.main()
