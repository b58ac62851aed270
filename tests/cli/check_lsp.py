"""check_lsp.py - a conversation with "patscan lsp", as an editor has it: what is on which line, what changes when the
report or the source does, and what happens to nonsense. Called by test_lsp.sh with the program, and a report in
full, as a page and compact."""
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time

WAIT = 20


class Editor:
    def __init__(self, *command, folder):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.heard = queue.Queue()
        self.asked = 0
        self.marks = {}
        self.others = []
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, value = line.split(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                self.heard.put(None)
                return
            self.heard.put(json.loads(stream.read(length)))

    def send_raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def tell(self, method, **params):
        self.send(method=method, params=params)

    def take(self, until):
        """Messages up to the first that `until` likes."""
        end = time.time() + WAIT
        while time.time() < end:
            message = self.heard.get(timeout=WAIT)
            assert message is not None, "the server is gone"
            if message.get("method") == "textDocument/publishDiagnostics":
                self.marks[message["params"]["uri"]] = message["params"]["diagnostics"]
            elif "method" in message:
                self.others.append(message)
            if until(message):
                return message
        raise AssertionError("nothing came")

    def ask(self, method, **params):
        self.asked += 1
        number = self.asked
        self.send(id=number, method=method, params=params)
        return self.take(lambda m: m.get("id") == number and "method" not in m)

    def begin(self, root):
        result = self.ask("initialize", rootUri="file://" + root, processId=None,
                          capabilities={"window": {"showDocument": {"support": True}, "workDoneProgress": True}})
        self.tell("initialized")
        return result["result"]["capabilities"]

    def marks_of(self, uri):
        return self.take(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri)[
            "params"]["diagnostics"]

    def end(self):
        assert self.ask("shutdown")["result"] is None
        assert self.ask("textDocument/hover")["error"]["code"] == -32600
        self.tell("exit")
        assert self.process.wait(WAIT) == 0


def at(uri, line):
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": 3}}


def lines(uri, first, last):
    return {"textDocument": {"uri": uri}, "range": {"start": {"line": first, "character": 0},
                                                    "end": {"line": last, "character": 0}}}


def check_first_look(editor, uri, report):
    """All of the report's lines are marked, with what was lost on all ranks together."""
    marks = editor.marks_of(uri)
    lost = {}
    for finding in report["findings"]:
        lost[finding["line"]] = lost.get(finding["line"], 0) + finding["lost_s"]
    assert {mark["range"]["start"]["line"] + 1 for mark in marks} == set(lost), marks
    wait = next(mark for mark in marks if mark["code"] == "late-nonblocking-send")
    assert wait["severity"] == 2 and wait["source"] == "patscan"
    assert wait["range"] == {"start": {"line": 22, "character": 8}, "end": {"line": 22, "character": 53}}
    assert [r["location"]["range"]["start"]["line"] for r in wait["relatedInformation"]] == [21, 25]
    assert "relax" in wait["message"]
    late = sum(f["lost_s"] for f in report["findings"] if f["site"] == wait["data"]["site"])
    assert wait["data"]["title"] == "Late nonblocking send" and abs(wait["data"]["lost_s"] - late) < 1e-9, wait
    return wait


def check_questions(editor, uri, report):
    lenses = {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in
              editor.ask("textDocument/codeLens", textDocument={"uri": uri})["result"]}
    relax = next(c for c in report["causes"] if c["function"] == "relax" and c["process"] == 2)
    assert "%.2f ms shorter" % (1e3 * relax["fixes"][0]["gain_s"]) in lenses[25], lenses
    assert "rank 2" in lenses[25]
    hover = editor.ask("textDocument/hover", **at(uri, 22))["result"]["contents"]
    assert hover["kind"] == "markdown"
    for text in ("Late nonblocking send", "rank 2", "relax", "balance:main>relax!", "Lost: "):
        assert text in hover["value"], (text, hover["value"])
    assert editor.ask("textDocument/hover", **at(uri, 0))["result"] is None
    hints = editor.ask("textDocument/inlayHint", **lines(uri, 20, 25))["result"]
    assert [h["position"] for h in hints] == [{"line": 22, "character": 53}], hints
    assert hints[0]["label"].endswith(" lost")


def check_actions(editor, uri, wait, page):
    actions = editor.ask("textDocument/codeAction", context={"diagnostics": [wait]}, **lines(uri, 22, 22))["result"]
    by_command = {a["command"]["command"]: a["command"] for a in reversed(actions)}
    assert set(by_command) >= {"patscan.showCause", "patscan.explain", "patscan.showPage"}, by_command

    def run(name):
        command = by_command[name]
        editor.others.clear()
        assert editor.ask("workspace/executeCommand", command=name, arguments=command["arguments"])["result"] is None
        return editor.take(lambda m: m.get("method") == "window/showDocument")["params"]

    cause = run("patscan.showCause")
    assert cause["uri"] == uri and cause["selection"]["start"]["line"] == 25
    shown = run("patscan.showPage")
    assert shown["external"] and shown["uri"].startswith("file://" + page + "#finding-"), shown
    text = run("patscan.explain")["uri"][len("file://"):]
    assert "Late nonblocking send" in open(text).read()
    return os.path.dirname(text)


def check_ignoring(editor, uri, folder, wait):
    """What is ignored goes at once, stays away, and the project's file says so."""
    command = "patscan.ignore"
    assert editor.ask("workspace/executeCommand", command=command, arguments=[wait["data"]["id"]])["result"] is None
    assert wait["code"] not in {m["code"] for m in editor.marks_of(uri)}
    path = os.path.join(folder, ".patscan.json")
    assert json.load(open(path)) == {"ignore": [{"site": wait["data"]["site"], "reason": "ignored in the editor"}]}
    return path


def check_changes(editor, uri, source, report, path):
    """Two lines above: the mark goes along. The line itself: it is out of date. A new report: what it says."""
    text = open(source).read()
    moved = "/* one */\n/* two */\n" + text
    editor.tell("textDocument/didOpen", textDocument={"uri": uri, "languageId": "c", "version": 1, "text": moved})
    assert 24 in {m["range"]["start"]["line"] for m in editor.marks_of(uri)}
    editor.tell("textDocument/didClose", textDocument={"uri": uri})
    assert 22 in {m["range"]["start"]["line"] for m in editor.marks_of(uri)}
    changed = text.replace("MPI_Waitall(4, request", "MPI_Waitall(5, request")
    editor.tell("textDocument/didOpen", textDocument={"uri": uri, "languageId": "c", "version": 2, "text": changed})
    stale = next(m for m in editor.marks_of(uri) if m["code"] == "late-nonblocking-send")
    assert stale["severity"] == 3 and "has changed since" in stale["message"], stale
    editor.tell("textDocument/didClose", textDocument={"uri": uri})
    editor.marks_of(uri)
    report["findings"] = [f for f in report["findings"] if f["type"] == "nxn-wait"]
    with open(path + ".new", "w") as file:
        json.dump(report, file)
    os.rename(path + ".new", path)
    assert {m["code"] for m in editor.marks_of(uri)} == {"nxn-wait"}
    report["findings"] = []
    with open(path + ".new", "w") as file:
        json.dump(report, file)
    os.rename(path + ".new", path)
    assert editor.marks_of(uri) == []
    with open(path, "w") as file:
        file.write('{"schema": "patscan-report-1", "findings": [')
    assert editor.take(lambda m: m.get("method") == "window/showMessage")["params"]["type"] == 1


def check_nonsense(program, path, folder):
    editor = Editor(program, "lsp", path, folder=folder)
    assert editor.ask("textDocument/hover")["error"]["code"] == -32002
    editor.begin(folder)
    assert editor.ask("no/such")["error"]["code"] == -32601
    editor.tell("no/such/notification")
    editor.tell("textDocument/didOpen")
    editor.send_raw(b"Content-Length: 3\r\n\r\n{x}")
    assert editor.take(lambda m: "error" in m)["error"]["code"] == -32700
    editor.send_raw(b"Content-Length: 2\r\n\r\n[]")
    assert editor.take(lambda m: "error" in m)["error"]["code"] == -32600
    editor.send_raw(b"Content-Type: text/plain\r\n\r\n")
    assert editor.take(lambda m: "error" in m)["error"]["code"] == -32700
    assert editor.ask("textDocument/hover", textDocument=7, position=[])["result"] is None
    assert editor.ask("textDocument/codeLens", textDocument={"uri": "http://x/%00%zz"})["result"] == []
    assert editor.ask("workspace/executeCommand", command="rm")["error"]["code"] == -32602
    editor.end()
    editor = Editor(program, "lsp", path, folder=folder)
    editor.process.stdin.close()
    assert editor.process.wait(WAIT) == 1  # gone without a word


def check_trace(program, trace, folder):
    """A trace is analysed while the editor goes on."""
    editor = Editor(program, "lsp", trace, "--source-root", folder, folder=folder)
    begin = time.time()
    editor.begin(folder)
    assert time.time() - begin < 2  # a tenth of a second is asked for where nothing else runs
    uri = "file://" + os.path.join(folder, "traces/demo/heat.c")
    assert editor.marks_of(uri)
    kinds = [m["params"]["value"]["kind"] for m in editor.others if m["method"] == "$/progress"]
    assert kinds[0] == "begin" and kinds[-1] == "end", kinds
    editor.end()


def status_of(editor, key):
    """Of the process, in kB."""
    with open("/proc/%d/status" % editor.process.pid) as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key))


def write_many(report, folder):
    """A report of 50,000 findings in 2,000 files of 200 lines."""
    lines = ["line %d, which is about as long as lines are in real sources" % i for i in range(200)]
    os.mkdir(folder)
    for i in range(2000):
        with open(os.path.join(folder, "f%d.c" % i), "w") as file:
            file.write("\n".join(lines))
    path = os.path.join(folder, "many.json")
    rows = []
    for i in range(50000):
        row = report["findings"][i % len(report["findings"])]
        rows.append(json.dumps(dict(row, id="%016x" % i, site="%016x" % i, file="f%d.c" % (i % 2000), line=i % 199 + 1,
                                    line_text=lines[i % 199])))
    with open(path, "w") as file:
        file.write(json.dumps(dict(report, findings=[0])).replace('"findings": [0]', '"findings": [%s]' % ",".join(rows)))
    return path


def check_many(program, report, folder):
    """Every file is marked, in a second of work and 200 MiB; sanitizers, which reserve terabytes, take longer."""
    if not os.path.isdir("/proc/self"):
        return
    editor = Editor(program, "lsp", write_many(report, folder), folder=folder)
    editor.begin(folder)
    if status_of(editor, "VmPeak") < 1 << 30:
        editor.take(lambda m: len(editor.marks) == 2000)
        assert sum(map(len, editor.marks.values())) == 50000
        assert status_of(editor, "VmHWM") < 200 << 10, status_of(editor, "VmHWM")
        with open("/proc/%d/stat" % editor.process.pid) as file:
            seconds = sum(map(int, file.read().rsplit(")")[-1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
        assert seconds < 2, seconds  # twice of what it may be, since other programs want caches, too
    editor.end()


def main():
    program, source, path, page, compact = sys.argv[1:6]
    folder = os.path.dirname(path)
    os.makedirs(os.path.join(folder, "traces/demo"))
    shutil.copy(os.path.join(source, "traces/demo/heat.c"), os.path.join(folder, "traces/demo"))
    here = os.path.join(folder, "traces/demo/heat.c")
    uri = "file://" + here
    report = json.load(open(path))
    editor = Editor(program, "lsp", path, folder=folder)
    can = editor.begin(folder)
    assert can["hoverProvider"] and can["inlayHintProvider"] and "codeLensProvider" in can
    assert can["experimental"] == {"page": "file://" + page}
    wait = check_first_look(editor, uri, report)
    check_questions(editor, uri, report)
    own = check_actions(editor, uri, wait, page)
    check_changes(editor, uri, here, json.loads(json.dumps(report)), path)
    editor.end()
    with open(path, "w") as file:
        json.dump(report, file)
    editor = Editor(program, "lsp", path, folder=folder)
    editor.begin(folder)
    wait = check_first_look(editor, uri, report)
    configuration = check_ignoring(editor, uri, folder, wait)
    editor.end()
    editor = Editor(program, "lsp", path, folder="/")
    editor.begin(folder)
    assert wait["code"] not in {m["code"] for m in editor.marks_of(uri)}
    editor.end()
    os.unlink(configuration)
    assert not os.path.exists(own)
    editor = Editor(program, "lsp", compact, folder=folder)
    editor.begin(folder)
    check_first_look(editor, uri, report)
    editor.end()
    check_nonsense(program, path, folder)
    check_many(program, report, os.path.join(folder, "many"))
    check_trace(program, os.path.join(source, "traces/demo"), folder)
    print("the conversations went well")


main()
