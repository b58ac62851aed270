#!/usr/bin/env python3
"""kill-recordings.py N [SEED [MPI...]] - N recorded runs are killed at random times, in every way that there is: each must leave
a trace that otf2-print reads without a warning and patscan with every command.

PATSCAN is the program. Run it in a folder that may be filled, with tests/recorded/endless.c compiled there for each MPI as
endless-openmpi and endless-mpich. The last line counts the runs by what became of them; 1: some trace could not be read, and its
folder is kept."""
import collections
import concurrent.futures
import os
import random
import shutil
import signal
import subprocess
import sys
import time

PATSCAN = os.environ.get("PATSCAN", "patscan")
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "-n", "3"], "mpich": ["mpirun.mpich", "-n", "3"]}
READERS = [["info"], ["analyze"], ["dump"], ["compare", "SAME"], ["predict", "--machine", "recorded"]]
FINE = {0, 1, 4}  # findings at a gate, a trace with gaps

# A way to die: how the program is told to end, and what is killed.
WAYS = ["rank", "ranks", "launcher", "everything", "ctrl-c", "term", "limit", "abort", "exit", "segv", "MPI_Abort", "finish", "reader"]


def processes(mark):
    """Those that we have started, whatever became of their parents: {process: name}. Launchers begin sessions of their own."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/environ", "rb") as environment, open(f"/proc/{entry}/comm") as name:
                if mark.encode() in environment.read().split(b"\0"):
                    found[int(entry)] = name.read().strip()
        except OSError:
            continue
    return found


def kill(pids, how=signal.SIGKILL):
    for pid in pids:
        try:
            os.kill(pid, how)
        except ProcessLookupError:
            pass


def wait_for_none(mark, seconds):
    until = time.time() + seconds
    while processes(mark) and time.time() < until:
        time.sleep(0.02)
    while alive := processes(mark):
        kill(alive)
        time.sleep(0.02)


def command(mpi, way, folder, within, length, buffer):
    program = [f"./endless-{mpi}"]
    if way in ("abort", "exit", "segv", "MPI_Abort", "finish"):
        program += [way, str(length)]
    elif way == "reader":
        program += ["finish", str(length)]
    record = [PATSCAN, "record", "-o", folder, *buffer, "--"]
    launch = LAUNCH[mpi] + (["--timeout", "1"] if way == "limit" and mpi == "openmpi" else [])
    return launch + record + program if within else record + launch + program


def strike(way, run, mark, choose):
    """Kills what is to be killed."""
    alive = processes(mark)
    ranks = [pid for pid, name in alive.items() if name.startswith("endless")]
    if way == "rank":
        kill(choose.sample(ranks, min(1, len(ranks))))
    elif way == "ranks":
        kill(ranks)
    elif way == "launcher":
        kill(pid for pid, name in alive.items() if name.startswith(("mpirun", "mpiexec", "orted", "hydra")))
    elif way == "everything":
        kill(alive)
    elif way == "ctrl-c":
        os.killpg(run.pid, signal.SIGINT)
    elif way == "term":
        kill([run.pid], signal.SIGTERM)


def read(folder, choose, is_reader_killed):
    """What is wrong with the trace; None: nothing; "": there is none, since nobody had begun."""
    if is_reader_killed:
        for _ in range(2):
            reader = subprocess.Popen([PATSCAN, "info", folder, "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(choose.random() * 0.03)
            reader.kill()
            reader.wait()
    begun = any(".rows" in name for _, _, names in os.walk(folder) for name in names)
    for words in READERS:
        words = [words[0], folder] + [folder if word == "SAME" else word for word in words[1:]]
        done = subprocess.run([PATSCAN, *words, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
        if done.returncode == 3 and not begun and not os.path.exists(f"{folder}/traces.otf2"):
            return ""
        if done.returncode not in FINE:
            return f"{words[0]}: status {done.returncode}: {done.stderr.strip()[:400]}"
    done = subprocess.run(["otf2-print", f"{folder}/traces.otf2"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode or done.stderr:
        return f"otf2-print: status {done.returncode}: {done.stderr[:400]}"
    return None


def one(number, seed, mpis):
    choose = random.Random(f"{seed}.{number}")
    mpi, way, within = choose.choice(mpis), choose.choice(WAYS), choose.random() < 0.5
    within = within or way == "reader"  # else the launcher's patscan has finished it
    after, length = choose.random() ** 2 * 1.5, int(choose.random() * 3e5)
    buffer = choose.choice([[], ["--buffer", "4k"]])
    folder = f"run-{number}.otf2"
    mark = f"KILLED_RUN={os.getpid()}.{number}"
    environment = dict(os.environ, KILLED_RUN=mark.split("=")[1], OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if way == "limit" and mpi == "mpich":
        environment["MPIEXEC_TIMEOUT"] = "1"
    run = subprocess.Popen(command(mpi, way, folder, within, length, buffer), env=environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    if way in ("rank", "ranks", "launcher", "everything", "ctrl-c", "term"):
        time.sleep(after)
        strike(way, run, mark, choose)
    try:
        run.wait(2.5 if way == "limit" else 1)
    except subprocess.TimeoutExpired:
        pass
    wait_for_none(mark, 0.3)
    run.wait()
    wrong = read(folder, choose, way == "reader") if os.path.isdir(folder) else ""
    what = f"{mpi}, {way}, {'mpirun patscan' if within else 'patscan mpirun'}"
    if wrong:
        print(f"{folder}: {what}, after {after:.3f} s or {length} us {' '.join(buffer)}: {wrong}", flush=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return "unreadable" if wrong else "not begun" if wrong == "" else way


def main():
    n, seed = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "1"
    mpis = sys.argv[3:] or [mpi for mpi in LAUNCH if os.path.exists(f"endless-{mpi}")]
    with concurrent.futures.ThreadPoolExecutor(2) as both:
        counts = collections.Counter(both.map(lambda number: one(number, seed, mpis), range(n)))
    print(f"{n} runs killed: " + ", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["unreadable"] else 0


sys.exit(main())
