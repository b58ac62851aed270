"""libpatscan as ctypes sees it: its functions, its structs, and how its errors become exceptions."""
import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

LIST = 17
NONE = 0xFFFFFFFF
WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
PROGRESS = CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)
LISTENER = CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class Error(Exception):
    """What patscan could not do, and why; `status` is a patscan_status, such as -2: the input cannot be read."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


class _Cause(Structure):
    _fields_ = [("file", c_char_p), ("line", c_int), ("text", ctypes.c_char * 192)]


class _Error(Structure):
    _fields_ = [("status", c_int), ("n_causes", c_int), ("cause", _Cause * 6)]


_List = c_char_p * LIST


class OpenOptions(Structure):
    _fields_ = [("size", c_size_t), ("threads", c_uint), ("strict", c_int), ("allow_partial", c_int), ("lean", c_int),
                ("call_stacks", c_int), ("for_programs", c_int), ("clock", c_char_p), ("upc_flags", c_char_p), ("definitions", c_char_p),
                ("focus", c_char_p), ("from", c_char_p), ("to", c_char_p), ("ranks", c_char_p), ("cache", c_char_p),
                ("progress", PROGRESS), ("progress_ctx", c_void_p), ("listener", LISTENER), ("listener_ctx", c_void_p),
                ("memory", c_char_p)]


class AnalyzeOptions(Structure):
    _fields_ = [("size", c_size_t), ("top", c_uint), ("interval_levels", c_uint), ("epsilon", c_char_p),
                ("definitions", c_char_p), ("eager", c_char_p), ("master", c_char_p), ("baseline", c_char_p),
                ("causes", c_char_p), ("gains", c_char_p), ("rank_by", c_char_p), ("network", c_char_p), ("only", _List),
                ("ignore", _List), ("source_root", _List), ("path_map", _List), ("interval", _List), ("fail_on", _List),
                ("reports", _List), ("ignored", c_void_p), ("n_ignored", c_size_t), ("config", _List),
                ("config_says", c_char_p), ("progress", PROGRESS), ("progress_ctx", c_void_p)]


class PredictOptions(Structure):
    _fields_ = [("size", c_size_t), ("redo_order", c_int), ("sensitivity", c_int), ("max_drift", c_char_p), ("grid", c_char_p),
                ("procs", c_char_p), ("pipelining", c_char_p), ("distribute", _List)]


class CompareOptions(Structure):
    _fields_ = [("size", c_size_t), ("weak", c_int), ("tolerance", c_char_p), ("rank_map", c_char_p)]


class InfoOptions(Structure):
    _fields_ = [("size", c_size_t), ("profile", c_int), ("bins", c_uint), ("functions", c_int), ("network", c_char_p)]


class PredictedRow(Structure):
    _fields_ = [("label", c_char_p), ("reason", c_char_p), ("processes", c_uint32), ("duration_s", c_double),
                ("focus_s", c_double), ("drift", c_double)]


class OperationRow(Structure):
    _fields_ = [("kind", c_char_p), ("location", c_uint32), ("callpath", c_uint32), ("begin_s", c_double),
                ("end_s", c_double), ("peer", c_uint32), ("peer_operation", c_uint32), ("tag", c_uint32),
                ("collective", c_uint32), ("completed_by", c_uint32), ("bytes", c_uint64), ("is_part", c_int)]


class MessageRow(Structure):
    _fields_ = [("sender", c_uint32), ("receiver", c_uint32), ("send", c_uint32), ("receive", c_uint32),
                ("tag", c_uint32), ("bytes", c_uint64), ("send_s", c_double), ("receive_s", c_double)]


class LocationRow(Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("process", c_uint32), ("thread", c_uint32),
                ("events", c_uint64), ("operations", c_uint64), ("first_s", c_double), ("last_s", c_double)]


class RegionRow(Structure):
    _fields_ = [("name", c_char_p), ("file", c_char_p), ("line", c_uint32), ("line_end", c_uint32), ("kind", c_char_p)]


class CallpathRow(Structure):
    _fields_ = [("parent", c_uint32), ("region", c_uint32), ("name", c_char_p), ("file", c_char_p), ("line", c_uint32),
                ("depth", c_uint32)]


_texts = POINTER(c_char_p)
# Name: what it returns, and what it takes before the error.
_FUNCTIONS = {
    "version": (c_char_p, []),
    "open": (c_int, [POINTER(c_void_p), c_char_p, POINTER(OpenOptions), POINTER(_Error)]),
    "close": (None, [c_void_p]),
    "analyze": (c_int, [POINTER(c_void_p), c_void_p, POINTER(AnalyzeOptions), POINTER(_Error)]),
    "analysis_free": (None, [c_void_p]),
    "judge": (c_int, [c_void_p]),
    "report": (c_int, [c_void_p, c_char_p, c_void_p, WRITE, c_void_p, POINTER(_Error)]),
    "info": (c_int, [c_void_p, c_char_p, POINTER(InfoOptions), c_void_p, WRITE, c_void_p, POINTER(_Error)]),
    "machine_open": (c_int, [POINTER(c_void_p), c_char_p, POINTER(_Error)]),
    "machine_free": (None, [c_void_p]),
    "predict_with": (c_int, [POINTER(c_void_p), c_void_p, c_void_p, _texts, c_size_t, POINTER(PredictOptions),
                             POINTER(AnalyzeOptions), POINTER(_Error)]),
    "prediction_free": (None, [c_void_p]),
    "predicted_count": (c_size_t, [c_void_p]),
    "predicted": (POINTER(PredictedRow), [c_void_p, c_size_t]),
    "prediction_judge": (c_int, [c_void_p]),
    "prediction_report": (c_int, [c_void_p, c_char_p, c_void_p, WRITE, c_void_p, POINTER(_Error)]),
    "prediction_analyze": (c_int, [POINTER(c_void_p), c_void_p, POINTER(AnalyzeOptions), POINTER(_Error)]),
    "compare": (c_int, [POINTER(c_void_p), _texts, c_size_t, _texts, c_size_t, POINTER(CompareOptions),
                        POINTER(OpenOptions), POINTER(AnalyzeOptions), POINTER(_Error)]),
    "comparison_free": (None, [c_void_p]),
    "comparison_judge": (c_int, [c_void_p]),
    "comparison_report": (c_int, [c_void_p, c_char_p, c_void_p, WRITE, c_void_p, POINTER(_Error)]),
    "operation_count": (c_size_t, [c_void_p, c_size_t]),
    "operation": (POINTER(OperationRow), [c_void_p, c_size_t, c_size_t]),
    "message_count": (c_size_t, [c_void_p]),
    "message": (POINTER(MessageRow), [c_void_p, c_size_t]),
    "location_count": (c_size_t, [c_void_p]),
    "location": (POINTER(LocationRow), [c_void_p, c_size_t]),
    "region_count": (c_size_t, [c_void_p]),
    "region": (POINTER(RegionRow), [c_void_p, c_size_t]),
    "callpath_count": (c_size_t, [c_void_p]),
    "callpath": (POINTER(CallpathRow), [c_void_p, c_size_t]),
}
_loaded = {}


def _load():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libpatscan.so.0")
    names = [os.environ["PATSCAN_LIBRARY"]] if os.environ.get("PATSCAN_LIBRARY") else [beside, "libpatscan.so.0"]
    why = None
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            why = error
    raise ImportError(f"libpatscan is not there ({why}): install patscan, or let PATSCAN_LIBRARY name libpatscan.so.0")


def function(name):
    """patscan_NAME."""
    if name not in _loaded:
        made = getattr(_loaded.setdefault("", _loaded.get("") or _load()), "patscan_" + name)
        made.restype, made.argtypes = _FUNCTIONS[name]
        _loaded[name] = made
    return _loaded[name]


def check(name, *arguments):
    """Calls it with an error of its own, which becomes an exception."""
    error = _Error()
    status = function(name)(*arguments, byref(error))
    if status:
        causes = [error.cause[i].text.decode(errors="replace") for i in reversed(range(error.n_causes))]
        raise Error(": ".join(causes) or f"status {status}", status)


def made(name, *arguments):
    """The handle that it makes."""
    handle = c_void_p()
    check(name, byref(handle), *arguments)
    return handle


def text(word):
    """As C has it: names of files need not be UTF-8."""
    return os.fsencode(word if isinstance(word, (bytes, os.PathLike)) else str(word))


def several(words):
    """A list; one alone need not be in one."""
    return [words] if isinstance(words, (str, bytes, os.PathLike)) else list(words)


def written(name, handle, fmt, *options):
    """The bytes of a report."""
    parts = []

    def take(_, data, n):
        parts.append(ctypes.string_at(data, n))
        return 0

    check(name, handle, fmt.encode(), *options, WRITE(take), None)
    return b"".join(parts)


def options(struct, **values):
    """A struct of options by names; what is None is not asked for."""
    made_of = struct(size=ctypes.sizeof(struct))
    for name, value in values.items():
        name = name.rstrip("_")  # from_ is `from`
        kind = dict(struct._fields_).get(name)
        if kind is None or name in ("size", "progress_ctx", "listener_ctx", "ignored", "n_ignored"):
            raise TypeError(f"there is no such option: {name}")
        if value is None:
            continue
        if kind is _List:
            words = several(value)
            if len(words) >= LIST:
                raise ValueError(f"{name} may have {LIST - 1} words at most")
            value = _List(*map(text, words))
        elif kind is c_char_p:
            value = text(value)
        setattr(made_of, name, value)
    return made_of


def texts(words):
    return (c_char_p * max(len(words), 1))(*map(text, words))


def row(struct):
    """A struct as a dict: what is not known is None."""
    told = {}
    for name, kind in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        elif (kind is c_uint32 and value == NONE) or (kind is c_double and value != value):
            value = None
        told[name] = value
    return told


def version():
    """That of the library."""
    return function("version")().decode()
