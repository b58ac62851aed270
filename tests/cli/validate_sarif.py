"""Checks a file against the JSON schema of SARIF 2.1.0, which lies in a folder beside the checkout; 77: cannot."""
import glob
import json
import os
import sys

try:
    from jsonschema import Draft4Validator
except ImportError:
    sys.exit(77)

here = os.path.dirname(os.path.abspath(__file__))
schemas = sorted(glob.glob(os.path.join(here, "../../../*/schemas/sarif-schema-2.1.0.json")))
if not schemas:
    sys.exit(77)
with open(schemas[0], encoding="utf-8") as file:
    validator = Draft4Validator(json.load(file))
with open(sys.argv[1], encoding="utf-8") as file:
    errors = sorted(validator.iter_errors(json.load(file)), key=str)
for error in errors[:10]:
    print("/".join(map(str, error.absolute_path)), error.message[:300])
sys.exit(1 if errors else 0)
