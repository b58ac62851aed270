#!/bin/sh
# test_html.sh - the page for a browser is well-formed, allows its own style and script alone, and is the same each time.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }
python=$(command -v python3) || exit 77

"$PATSCAN" traces/demo --interval main,exchange,relax --report "html:$dir/1.html" --threads 1 || fail 'no page'
"$PATSCAN" traces/demo --interval main,exchange,relax --report "html:$dir/2.html" --threads 2 || fail 'no page'
cmp "$dir/1.html" "$dir/2.html" || fail 'the page depends on the number of threads'

"$python" - "$dir/1.html" <<'END' || fail 'the page is not as it should be'
import base64, hashlib, re, sys, xml.etree.ElementTree as xml

text = open(sys.argv[1], encoding="utf-8").read()
for kind in "style", "script":
    inside = re.findall("<%s>(.*?)</%s>" % (kind, kind), text, re.S)
    assert len(inside) == 1, kind
    digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
    assert "%s-src 'sha256-%s'" % (kind, digest) in text, "the hash of the " + kind
    text = text.replace(inside[0], "")
page = xml.fromstring(text.replace("<!DOCTYPE html>", ""))
named = {e.get("id"): e for e in page.iter() if e.get("id")}
for section in "verdict", "patterns", "findings", "settings", "intervals", "profile":
    assert named[section].tag == "section", section
intervals = [e for e in page.iter("tr") if (e.get("id") or "").startswith("interval-")]
assert [e.get("id") for e in intervals] == ["interval-%d" % i for i in range(4)]
total, lost, productive = (float(named["i1-" + a].get("value")) for a in ("total", "lost", "ptime"))
assert abs(total - lost - productive) < 1e-9
assert named["i0-insuf"].get("value") is None and named["i0-insuf"].text == "\u2013"
for e in page.iter():
    for name, value in e.items():
        assert not name.startswith("on") and name not in ("style", "src"), name
        assert name != "href" or value[1:] in named, value
END

# The pages of all commands: well-formed, every id once, and no link into nothing.
cd "$dir" || exit 2
ln -s "$PATSCAN_SOURCE/tests/fuzz/corpus/dvm/jacobi" jacobi.ptr
"$PATSCAN" info "$PATSCAN_SOURCE/traces/demo" --profile --network ring --report html:info.html || fail 'no page: info'
"$PATSCAN" compare "$PATSCAN_SOURCE/traces/demo" "$PATSCAN_SOURCE/traces/demo/traces.otf2" --report html:compare.html || fail 'no page: compare'
"$PATSCAN" calibrate "$PATSCAN_SOURCE/traces/demo" -o machine.json --report html:calibrate.html 2>/dev/null || fail 'no page: calibrate'
"$PATSCAN" redistribute 'A(3600): cyclic(10)->cyclic(2)' --procs 4 --report html:redistribute.html || fail 'no page: redistribute'
"$PATSCAN" predict jacobi.ptr --machine bus --procs 4 --report html:sweep.html || fail 'no page: predict'
"$python" - info.html compare.html calibrate.html redistribute.html sweep.html <<'END' || fail 'a page is not as it should be'
import re, sys, xml.etree.ElementTree as xml

for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    page = xml.fromstring(re.sub("<(style|script)>.*?</\\1>", "", text, flags=re.S).replace("<!DOCTYPE html>", ""))
    ids = [e.get("id") for e in page.iter() if e.get("id")]
    assert len(ids) == len(set(ids)), path
    links = [e.get("href")[1:] for e in page.iter("a")]
    assert links and set(links) <= set(ids), path
    assert all(len(row) <= len(table.find("thead/tr")) for table in page.iter("table") for row in table.find("tbody")), path
END
