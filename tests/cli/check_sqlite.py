#!/usr/bin/env python3
"""check_sqlite.py RUN.db REPORT.json - what the database holds of a run is what the report says of it."""
import json
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
report = json.load(open(sys.argv[2], encoding="utf-8"))


def one(sql, *values):
    return db.execute(sql, values).fetchone()[0]


def near(a, b):
    return abs(a - b) <= 1e-9 * max(1, abs(b))


assert one("SELECT count(*) FROM locations") == report["trace"]["locations"]
assert one("SELECT count(*) FROM operations") == report["trace"]["operations"]
assert one("SELECT count(*) FROM messages") == report["trace"]["messages"]
assert one("SELECT count(DISTINCT collective) FROM collectives") == report["trace"]["collectives"]
for table in "findings", "causes", "functions", "issues":
    assert one("SELECT count(*) FROM %s" % table) == len(report[table] or []), table
for f in report["findings"]:
    row = db.execute("SELECT lost_s, lost_ps, site, line, worst_begin_s FROM findings WHERE id = ? AND type = ?", (f["id"], f["type"])).fetchall()
    assert any(near(r[0], f["lost_s"]) and r[1] == round(f["lost_s"] * 1e12) and r[2] == f["site"] and r[3] == f["line"] for r in row), f["id"]
for c in report["causes"] or []:
    assert near(one("SELECT waiting_s FROM causes WHERE id = ?", c["id"]), c["waiting_s"])
assert near(one("SELECT sum(exclusive_s) FROM functions"), sum(f["exclusive_s"] for f in report["functions"]))
assert one("SELECT count(*) FROM operations WHERE end_ps < begin_ps OR begin_ps < 0") == 0
assert one("SELECT count(*) FROM operations o LEFT JOIN call_paths USING (call_path) WHERE call_paths.name IS NULL AND o.call_path > 0") == 0
assert one("SELECT count(*) FROM messages m JOIN operations s ON s.location = from_location AND s.operation = from_operation "
           "JOIN operations r ON r.location = to_location AND r.operation = to_operation WHERE s.partner_location = r.location") == report["trace"]["messages"]
for query in open("docs/EXPORTS.md", encoding="utf-8").read().split("```sql\n")[1:]:
    for statement in query.split("```")[0].split(";"):
        if statement.strip():
            db.execute(statement).fetchall()
print("%d operations, %d messages" % (one("SELECT count(*) FROM operations"), one("SELECT count(*) FROM messages")))
