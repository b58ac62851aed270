"""check_compare.py SCHEMA COMPARISON... - validates comparisons against the schema, and what a schema cannot say:
that parts add up and rows are sorted. 77: there is no jsonschema."""
import sys

from checked import check


def complaints(c):
    parts = c["components"] or []
    for side in ("measured_s", "predicted_s", "difference_s"):
        if parts and abs(sum(p[side] for p in parts) - c["total"][side]) > 1e-8:
            yield f"the components do not add up: {side}"
    if parts and c["total"]["difference_s"] and abs(sum(p["share"] for p in parts) - 1) > 1e-6:
        yield "the shares of the components do not add up"
    sizes = [abs(one["difference_s"]) for one in c["contributions"]]
    if sizes != sorted(sizes, reverse=True):
        yield "the contributions are not sorted"
    rows = c["intervals"]["rows"] if c["intervals"] else []
    if rows and len(rows) != sum(c["intervals"][key] for key in ("both", "only_measured", "only_predicted")):
        yield "intervals are missing"
    weights = [abs(r["worst_work"]["difference_s"]) for r in rows if r["worst_work"]]
    if weights != sorted(weights, reverse=True):
        yield "the intervals are not sorted"
    if sum(r["exceeded"] for r in rows) != c["verdict"]["intervals_exceeded"]:
        yield "the verdict counts other intervals"
    for key in ("operations_only_measured", "operations_only_predicted"):
        if c["operations"] and sum(r[key] for r in rows) != c["operations"][key[len("operations_"):]]:
            yield f"the intervals do not have the operations: {key}"
    lost = [abs((r["predicted_s"] or 0) - (r["measured_s"] or 0)) for r in (c["findings"] or {"rows": []})["rows"]]
    if any(a + 2e-9 < b for a, b in zip(lost, lost[1:])):
        yield "the findings are not sorted"


sys.exit(check(complaints, *sys.argv[1:]))
