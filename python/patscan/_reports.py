"""Reports that patscan has written, as it would have written them in full."""
import json


def _value(column, value, shared):
    if value is None or column == "value":
        return value
    if column == "shared":
        return shared[value]
    if isinstance(column, list):
        return [_value(column[0], row, shared) for row in value]
    if len(value) != len(column):
        raise ValueError("a row does not fit its columns")
    return {key: _value(of, one, shared) for (key, of), one in zip(column.items(), value) if one != ""}


def read_report(path):
    """The JSON report at `path` as a dict, also of one that was written by --report json-compact."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    if report.get("schema") != "patscan-report-compact-1":
        return report
    shared = report.pop("shared")
    whole = {}
    for key, table in report.items():
        if not isinstance(table, dict) or "columns" not in table:
            whole[key] = table
        elif table["rows"] != "":
            whole[key] = _value([table["columns"]], table["rows"], shared)
    return {**whole, "schema": "patscan-report-1"}
