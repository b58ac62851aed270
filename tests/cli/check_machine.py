"""check_machine.py SCHEMA FILE... - validates machine files against the schema; files whose names begin with bad- must
fail. 77: there is no jsonschema."""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def main(schema, *paths):
    with open(schema, encoding="utf-8") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    jsonschema.Draft7Validator.check_schema(validator.schema)
    bad = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = [error.message for error in validator.iter_errors(json.load(file))]
        if bool(found) != os.path.basename(path).startswith("bad-"):
            print(f"{path}: {found[0] if found else 'the schema takes it'}")
            bad += 1
    return bad > 0


sys.exit(main(*sys.argv[1:]))
