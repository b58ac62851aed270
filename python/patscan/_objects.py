"""Traces, analyses, predictions and comparisons: what libpatscan's handles are in Python."""
import json
import os
import weakref

from . import _library as lib

_TABLES = ("findings", "causes", "delays", "critical_path", "patterns", "functions", "intervals", "time", "issues")
# Of those that the report tells in another form than a list.
_ROWS = {"delays": lambda told: [{"family": family, **row} for family, row in told.items()],
         "critical_path": lambda told: told["rows"]}


class _Handle:
    """Frees what it holds when nobody uses it. It keeps what it was made of, and what was made of it goes before it."""

    def __init__(self, handle, free, parent=None):
        self._handle, self._free, self._parent = handle, lib.function(free), parent
        self._children = weakref.WeakSet()
        if parent:
            parent._children.add(self)

    def close(self):
        if getattr(self, "_handle", None):
            for child in list(self._children):
                child.close()
            self._free(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    __del__ = close

    @property
    def _open(self):
        if not self._handle:
            raise ValueError("it is closed")
        return self._handle


def _frame(rows):
    try:
        import pandas
    except ImportError:
        raise ImportError("frame() needs pandas: pip install pandas (Debian: apt install python3-pandas)") from None
    return pandas.DataFrame(rows)


class Analysis(_Handle):
    """What a run lost, where, and why. Tables are lists of dicts with the keys of the JSON report."""

    def __init__(self, handle, parent):
        super().__init__(handle, "analysis_free", parent)
        self._json = None

    @property
    def json(self):
        """The whole JSON report, as a dict."""
        if self._json is None:
            self._json = json.loads(self.report("json"))
        return self._json

    def __getattr__(self, name):
        if name in _TABLES:
            told = self.json[name] or []
            return _ROWS[name](told) if told and name in _ROWS else told
        raise AttributeError(name)

    @property
    def efficiency(self):
        """A dict; None: it is not known."""
        return self.json["efficiency"]

    @property
    def verdict(self):
        """As the program exits: 0 all is well, 1 a limit of fail_on was exceeded, 4 nothing or only a part was analysed."""
        return lib.function("judge")(self._open)

    def report(self, format="text"):
        """In any format of --report: a text, but for sqlite and perfetto, which are bytes."""
        told = lib.written("report", self._open, format, None)
        return told if format in ("sqlite", "perfetto") else told.decode()

    def frame(self, table):
        """One of the tables as a pandas frame."""
        if table not in _TABLES:
            raise ValueError(f"there is no table {table!r}: {', '.join(_TABLES)}")
        return _frame(getattr(self, table))


class Prediction(_Handle):
    """A run with something different, or several."""

    def __init__(self, handle, parent):
        super().__init__(handle, "prediction_free", parent)
        if len(self.runs) == 1 and self.runs[0]["reason"]:
            raise lib.Error(self.runs[0]["reason"], -2)

    @property
    def runs(self):
        """A dict for each combination of edits, or each grid: label, reason, processes, duration_s, focus_s, drift. Of one
        run alone the label is None."""
        of = lib.function("predicted")
        return [lib.row(of(self._open, i).contents) for i in range(lib.function("predicted_count")(self._open))]

    @property
    def duration_s(self):
        """Of the whole run."""
        return self.runs[0]["duration_s"]

    @property
    def drift(self):
        """How far the replay without any edit is from the measurement: 0.01 is 1 %."""
        return self.runs[0]["drift"]

    @property
    def verdict(self):
        """As the program exits: 4, the replay is too far from the measurement, or a run never ends."""
        return lib.function("prediction_judge")(self._open)

    def report(self, format="text"):
        """Of several runs, as text, json, csv, html or markdown."""
        return lib.written("prediction_report", self._open, format, None).decode()

    def analyze(self, **options):
        """What the predicted run loses."""
        return _analysis("prediction_analyze", self, options)


class Trace(_Handle):
    """A trace that was read."""

    def __init__(self, path, options):
        self.path = os.fspath(path)
        listener = options.pop("listener", None)
        self._listener = listener and _listener(listener)
        super().__init__(_made("open", lib.text(path), lib.OpenOptions, options, listener=self._listener), "close")

    @property
    def info(self):
        """What it holds: `trace`, `issues` and `event_types` of `patscan info --report json`."""
        return json.loads(lib.written("info", self._open, "json", None, None))

    def analyze(self, **options):
        """Options are those of `patscan analyze`: epsilon="10us", definitions="scalasca", fail_on=["total>5%"]. As that of
        open, `progress(done, total)` may stop it."""
        return _analysis("analyze", self, options)

    def predict(self, *edits, machine="recorded", **options):
        """The run with these edits ("region:solve*0.5"; several with "L*1,2,4"), on a machine: a file or a preset. Options are
        those of `patscan predict`: redo_order=1, sensitivity=1, max_drift="2%", and of DVM programs grid="2x2", procs="2,4"."""
        asked = lib.options(lib.PredictOptions, **options)
        on = lib.made("machine_open", lib.text(machine))
        try:
            return Prediction(lib.made("predict_with", self._open, on, lib.texts(edits), len(edits), asked, None), self)
        finally:
            lib.function("machine_free")(on)

    def _rows(self, name, *where):
        count = lib.function(name + "_count")(self._open, *where)
        of = lib.function(name)
        return (lib.row(of(self._open, *where, i).contents) for i in range(count))

    @property
    def locations(self):
        return list(self._rows("location"))

    @property
    def regions(self):
        return list(self._rows("region"))

    @property
    def callpaths(self):
        return list(self._rows("callpath"))

    def operations(self, location):
        """Of one location, one after the other: there may be many."""
        return self._rows("operation", location)

    def messages(self):
        """One after the other: there may be many."""
        return self._rows("message")


class Comparison(_Handle):
    """Runs against runs."""

    def __init__(self, handle):
        super().__init__(handle, "comparison_free")

    @property
    def json(self):
        return json.loads(self.report("json"))

    @property
    def verdict(self):
        return lib.function("comparison_judge")(self._open)

    def report(self, format="text"):
        return lib.written("comparison_report", self._open, format, None).decode()


def _made(name, of, struct, options, **kept):
    """A handle. What its progress function raises is raised again behind it: C cannot pass it on."""
    raised, progress = [], options.pop("progress", None)
    asked = lib.options(struct, **options, **kept, progress=progress and _progress(progress, raised))
    try:
        return lib.made(name, of, asked)
    finally:
        if raised:
            raise raised[0]


def _analysis(name, of, options):
    return Analysis(_made(name, of._open, lib.AnalyzeOptions, options), of)


def _progress(callback, raised):
    """What it raises ends the work."""
    def call(_, done, total):
        try:
            return bool(callback(done, total))
        except BaseException as error:
            raised.append(error)
            return 1
    return lib.PROGRESS(call)


def _listener(callback):
    return lib.LISTENER(lambda _, kind, text: callback(kind, text.decode(errors="replace")))


def open(path, **options):
    """Reads the trace at `path`. Options are those of the program: focus="whole-run", clock="as-is", ranks="0-3"; from_ is
    --from. `progress(done, total)` may stop it by a true answer; `listener(kind, text)` hears warnings."""
    return Trace(path, options)


def compare(measured, predicted, **options):
    """Each side is a path of a trace or a saved JSON report, or several."""
    sides = [lib.several(side) for side in (measured, predicted)]
    asked = lib.options(lib.CompareOptions, **options)
    return Comparison(lib.made("compare", lib.texts(sides[0]), len(sides[0]), lib.texts(sides[1]), len(sides[1]), asked,
                               None, None))
