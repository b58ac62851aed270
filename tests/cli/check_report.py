"""check_report.py SCHEMA REPORT... - validates reports against the schema, and what a schema cannot say: that the
parts add up, also of what info writes; of compact ones that rows fit their columns, and what is shared is used and
stands once. 77: there is no jsonschema."""
import json
import sys

from checked import check


def places(column, value):
    """Of what is shared, in a value of this column."""
    if value is None or column == "value":
        return
    if column == "shared":
        yield value
        return
    if isinstance(column, list):
        pairs = [(column[0], row) for row in value]
    else:
        assert len(value) == len(column), (value, column)
        pairs = [(of, one) for of, one in zip(column.values(), value) if one != ""]
    for pair in pairs:
        yield from places(*pair)


def complaints_compact(report):
    used = set()
    for name, table in report.items():
        if isinstance(table, dict) and "columns" in table and table["rows"] != "":
            used |= set(places([table["columns"]], table["rows"]))
    if used != set(range(len(report["shared"]))):
        yield "some of what is shared is not used, or not there"
    if len(set(map(json.dumps, report["shared"]))) != len(report["shared"]):
        yield "something is shared twice"


def complaints(report):
    if "event_types" in report:
        if sum(row["count"] for row in report["event_types"]) != report["trace"]["events"]:
            yield "the kinds of events do not add up"
        return
    if "shared" in report:
        yield from complaints_compact(report)
        return
    rows = {row["id"]: row for row in report["patterns"]}
    locations = report["trace"]["locations"]
    for row in rows.values():
        below = [r["total_s"] for r in rows.values() if r["parent"] == row["id"]]
        if abs(row["lost_s"] + sum(below) - row["total_s"]) > 1e-8 * (1 + len(below)):
            yield f"{row['id']}: lost_s and the children do not give total_s"
        if len(row["by_location"]) != locations:
            yield f"{row['id']}: by_location has {len(row['by_location'])} elements"
        if abs(sum(row["by_location"]) - row["total_s"]) > 1e-9 * (1 + locations):
            yield f"{row['id']}: by_location does not give total_s"
        found = [f for f in report["findings"] if f["type"] == row["id"]]
        if abs(sum(f["lost_s"] for f in found) - row["lost_s"]) > 1e-9 * (1 + len(found)):
            yield f"{row['id']}: the findings do not give lost_s"
        if sum(f["count"] for f in found) != row["count"]:
            yield f"{row['id']}: the findings do not give count"
        whole = sum(row["time_s"] for row in report["time"])
        if whole and abs(row["share"] * whole - row["total_s"]) > 2e-9 + 1e-8 * whole:
            yield f"{row['id']}: the share is wrong"
    focus, told = report["trace"]["focus"], report["trace"]["cpu_locations"]
    if focus and not report["settings"].get("ranks"):
        length = sum(end - begin for begin, end in focus["spans"])
        if abs(sum(row["time_s"] for row in report["time"]) - told * length) > 1e-8 * (1 + told):
            yield "the kinds of time do not add up to the focus"
    order = [(-f["lost_s"], f["type"], f["location"], f["worst"]["begin_s"]) for f in report["findings"]]
    if report["settings"].get("rank_by") == "gain":
        order = [(1, 0, row) if f["gain_s"] is None else (0, -f["gain_s"], row)
                 for row, f in zip(order, report["findings"])]
    if order != sorted(order):
        yield "the findings are not sorted"
    efficiency = report["efficiency"]
    if efficiency and abs(efficiency["load_balance"] * efficiency["communication"] - efficiency["parallel"]) > 1e-8:
        yield "load balance and communication do not give the parallel efficiency"
    if efficiency and efficiency["transfer"] is not None and abs(
            efficiency["serialization"] * efficiency["transfer"] - efficiency["communication"]) > 1e-8:
        yield "serialization and transfer do not give the communication efficiency"


sys.exit(check(complaints, *sys.argv[1:]))
