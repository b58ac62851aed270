"""checked.py - what the checks of JSON have in common: documents against a schema, and then against what a schema
cannot say. 77: there is no jsonschema."""
import json
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def check(complaints, schema, *paths):
    with open(schema, encoding="utf-8") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    bad = not paths
    for path in paths:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        errors = [f"{list(e.path)}: {e.message[:200]}" for e in validator.iter_errors(document)]
        for error in (errors or list(complaints(document)))[:5]:
            print(f"{path}: {error}")
            bad = True
    return int(bad)
