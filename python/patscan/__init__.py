"""Traces of parallel programs: what they hold, what was lost in them, and why.

    import patscan

    with patscan.open("traces.otf2") as trace:
        for finding in trace.analyze().findings:
            print(finding["lost_s"], finding["file"], finding["line"], finding["comment"])
        print(trace.predict("region:solve*0.5").duration_s)

Everything is a list of dicts with the keys of the JSON report (docs/report.schema.json). It needs libpatscan, and nothing
to be compiled: the library is the one that PATSCAN_LIBRARY names, that lies next to this module, or that the loader finds.
"""
from ._library import Error, version
from ._objects import Analysis, Comparison, Prediction, Trace, compare, open
from ._reports import read_report

__all__ = ["Analysis", "Comparison", "Error", "Prediction", "Trace", "compare", "open", "read_report", "version"]
__version__ = "0.2.0"
