#!/usr/bin/env python3
"""run.py - commands with allocations that fail, and with a qsort() that mixes what is equal.

    run.py PATSCAN FAILING_SO SHUFFLING_SO [COMMAND]...

Each command is run as it is, then once for each allocation that fails. It ends with exit code 5 and says that there
was no memory, or it ends as it does with memory: same code, same output, byte by byte. Of allocations that one chain
of calls asks for again and again, the first fails, and a few others that are drawn; of all these at most a share of
LIMIT, unless PS_MEMORY_ALL=1 is set, which takes minutes. COMMANDs are names of those below.
"""
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

LIMIT = 40     # places a command
DRAWN = 10     # and other allocations, of those that were in known places
SECONDS = 60   # until a run counts as hanging
WORDS = (b"out of memory", b"Cannot allocate memory", b"Not enough main memory", b"Memory allocation failed",
         b"with the given memory")

# Named files are made by the commands before them. OUT is a folder that is empty before each run.
PREPARE = [
    "analyze demo --report json:demo.json --report json-compact:compact.json --report text:demo.txt",
    "bmf reverse.bmf --unit 1us --transport 16 -o run.trf",
    "bmf reverse.bmf --unit 1us --transport 30 -o other.trf",
    "analyze run.trf --report json:run.json",
    "analyze other.trf --report json:other.json",
    "dump demo --format picl -o demo.trf",
]
COMMANDS = {
    "analyze": "analyze demo",
    **{f"analyze-{name}": f"analyze demo --report {name}" for name in (
        "json", "json-compact", "jsonl", "csv", "csv.causes", "csv.over_time", "html", "gcc", "codequality", "junit", "markdown",
        "perfetto")},
    "analyze-sarif": "analyze demo --report sarif --source-root demo",
    "analyze-sqlite": "analyze demo --report sqlite:OUT/demo.db",
    "analyze-file": "analyze demo --report text:OUT/report --report json:OUT/demo.json",
    "analyze-scalasca": "analyze demo --definitions scalasca --interval loops --report json",
    "analyze-picl": "analyze demo.trf --report json",
    "analyze-dvm": "analyze jacobi.ptr --report json",
    "analyze-gasp": "analyze one.gasp --report json",
    "gate": "analyze demo --fail-on late-sender>1%",
    "info": "info demo",
    "info-json": "info demo --report json --profile",
    "info-network": "info demo --profile --network ring --report html",
    "info-dvm": "info jacobi.ptr",
    "dump": "dump demo",
    "dump-jsonl": "dump demo --format jsonl",
    "dump-otf2": "dump demo --format otf2:OUT/demo",
    "dump-picl": "dump demo --format picl",
    "compare-traces": "compare run.trf other.trf",
    "compare-json": "compare run.trf other.trf --report json",
    "compare-saved": "compare run.json other.json --report json",
    "compare-html": "compare run.json other.json --report html",
    "compare-demo": "compare demo demo.json --report markdown",
    "compare-compact": "compare demo.json compact.json",
    "scale": "scale demo run.json",
    "calibrate": "calibrate worked.txt --model lmo -o OUT/machine.json --report json",
    "calibrate-trace": "calibrate demo.trf",
    "bmf": "bmf reverse.bmf --unit 1us --transport 16 --report json",
    "bmf-network": "bmf reverse.bmf --unit 1us --network mesh:4x4 -o OUT/run.trf",
    "predict": "predict demo --machine ethernet-10g rank:2*0.5 L/2",
    "predict-json": "predict demo --machine recorded balance --report json --sensitivity",
    "predict-sweep": "predict demo --machine ethernet-10g L*1,2 --report csv",
    "predict-write": "predict demo --machine ethernet-10g --write otf2:OUT/run --report json",
    "predict-dvm": "predict jacobi.ptr --machine bus --grid 2 --report json",
    "predict-grids": "predict jacobi.ptr --machine bus --procs 2,4 --report html",
    "redistribute": "redistribute A(360):cyclic(10)->cyclic(2) --procs 4 --machine bus --report json",
    "cost": "cost ethernet-10g bcast scatter send --procs 8 --bytes 8,64K",
    "machines": "machines cluster.json",
    "patterns": "patterns",
    "explain": "explain late-sender",
    "lsp": "lsp demo.json",
    "config": "print-config",
    "man": "man",
}


class Lab:
    def __init__(self, patscan, source):
        self.patscan = patscan
        self.folder = tempfile.mkdtemp()
        corpus = os.path.join(source, "tests", "fuzz", "corpus")
        for name, path in (("demo", "traces/demo"), ("reverse.bmf", "traces/bmf/reverse.bmf"),
                           ("nested.bmf", "traces/bmf/nested.bmf")):
            os.symlink(os.path.join(source, path), os.path.join(self.folder, name))
        for name, path in (("jacobi.ptr", "dvm/jacobi"), ("one.gasp", "gasp/one"), ("worked.txt", "calibrate/worked.txt"),
                           ("cluster.json", "machine/cluster.json")):
            os.symlink(os.path.join(corpus, path), os.path.join(self.folder, name))

    def run(self, command, **environment):
        """Its code, stdout, stderr, and the files that it wrote."""
        out = tempfile.mkdtemp(dir=self.folder)
        words = [word.replace("OUT", out) for word in command.split()] + ["--no-config"]
        if words[0] in ("analyze", "info", "compare", "scale", "calibrate", "predict"):
            words += ["--threads", "1"]
        try:
            done = subprocess.run([self.patscan, *words], cwd=self.folder, capture_output=True, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, check=False,
                                  env={"PATH": os.environ["PATH"], "LC_ALL": "C", **environment})
            files = {}
            for base, _, names in os.walk(out):
                for name in names:
                    path = os.path.join(base, name)
                    with open(path, "rb") as file:
                        files[os.path.relpath(path, out)] = neutral(path, file.read().replace(out.encode(), b"OUT"))
            return done.returncode, done.stdout.replace(out.encode(), b"OUT"), done.stderr, files
        except subprocess.TimeoutExpired:
            return "hangs", b"", b"", {}
        finally:
            shutil.rmtree(out)


def neutral(path, content):
    """Without what differs from run to run: the anchor of an archive has an id of its own."""
    return b"" if path.endswith(".otf2") else content


def complaint(expected, got):
    code, stdout, stderr, files = got
    if code == 5:
        return None if any(word in stderr for word in WORDS) else f"does not say why: {stderr.decode()[:300]}"
    if code != expected[0]:
        return f"ends with {code} instead of {expected[0]}: {stderr.decode(errors='replace')[:300]}"
    if stdout != expected[1]:
        return "prints something else"
    if files != expected[3]:
        return "writes something else"
    return None


def chosen(places, n, name):
    if os.environ.get("PS_MEMORY_ALL"):
        return range(1, n + 1)
    dice = random.Random(name)
    some = places if len(places) <= LIMIT else dice.sample(places, LIMIT)
    return sorted({*some, *dice.sample(range(1, n + 1), min(DRAWN, n))})


def main(patscan, failing, shuffling, *names):
    patscan, failing, shuffling = map(os.path.abspath, (patscan, failing, shuffling))
    lab = Lab(patscan, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    bad = runs = 0
    try:
        for command in PREPARE:
            code, _, stderr, _ = lab.run(command)
            if code:
                sys.exit(f"{command}: {code}: {stderr.decode()}")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name in names or COMMANDS:
                command = COMMANDS[name]
                places = os.path.join(lab.folder, "places")
                expected = lab.run(command)
                trial = lab.run(command, LD_PRELOAD=failing, PS_FAIL_PLACES=places)
                if trial != expected or expected[0] not in (0, 1, 4):
                    print(f"{name}: differs from run to run, or fails: {expected[2].decode()}")
                    bad += 1
                    continue
                with open(places, encoding="ascii") as file:
                    *numbers, total = map(int, file)
                if not numbers:
                    sys.exit("failing.so is not in the way of allocations")
                tries = {f"allocation {n} fails": {"LD_PRELOAD": failing, "PS_FAIL_AT": str(n)}
                         for n in chosen(numbers, total, name)}
                tries["qsort mixes"] = {"LD_PRELOAD": shuffling}
                runs += len(tries)
                results = pool.map(lambda environment: lab.run(command, **environment), tries.values())
                for what, got in zip(tries, results):
                    said = complaint(expected, got)
                    if said:
                        print(f"{name}: {what}: {said.strip()}", flush=True)
                        bad += 1
    finally:
        shutil.rmtree(lab.folder)
    print(f"{runs} runs, {bad} bad")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
