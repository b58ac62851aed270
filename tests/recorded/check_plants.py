#!/usr/bin/env python3
"""check_plants.py ARCHIVE REPORT|- SOURCE ROUNDS MICROSECONDS RIGHT SAID... - is everything in the recording of plants.c, and in its
report, that follows from the program? Of each case of SOURCE:
- what the calls in T() took, by rank, is what the program has measured around them, within 1 % or 0.1 ms;
- it sent so many messages, and so many ranks took part in collective operations;
- so long was waited, by that pattern, in that call, within 5 % or 0.3 ms a call, and nowhere else in it.
The machine may be busy: what is right is kept in the file RIGHT, and need not be in another run, and where a rank was woken
later than that, nothing is said against what was waited. 1: something never was right; 3: only waits, and all runs were so."""
import collections
import json
import re
import subprocess
import sys

from check import ENTER, process_of_location

RECORD = re.compile(r"(MPI_I?SEND|MPI_COLLECTIVE_END|NON_BLOCKING_COLLECTIVE_COMPLETE|RMA_COLLECTIVE_END)\s+(\d+)")
# What calls take when all are there, and what is no waiting.
NO_WAITS = ("-completion", "wait-transfer", "many-small-messages")


def expected_waits(n, r, d):
    """By hand, of n ranks, r rounds and a delay d, in seconds."""
    return {
        "late_sender": {"late-sender Recv": n * r * d},  # every second rank, and once more in unrecv
        "late_receiver": {"late-receiver Send": n / 2 * r * d},
        "ssend_late_receiver": {"late-receiver Ssend": n / 2 * r * d},
        "wrong_order": {"late-sender-wrong-order Recv": n / 2 * r * d},
        "wait_barrier": {"barrier-wait Barrier": n / 2 * r * d},  # from d down to nothing
        "late_bcast": {"late-broadcast Bcast": (n - 1) * r * d},
        "pipeline": {"late-sender Recv": n * (n - 1) / 2 * d / 4},  # once, a quarter more for each rank
    }


def expected(r, d):
    """By hand, of 4 ranks: {case: (sends, ranks in collective operations, {"pattern call": seconds})}. None: how long is waited is
    up to the MPI library or the machine."""
    late, waits = "late-sender ", expected_waits(4, r, d)
    return {
        "sync_": (0, 4 * (14 * r + 5), None),
        "late_sender": (4 * r, 0, waits["late_sender"]),
        "late_receiver": (2 * r, 0, waits["late_receiver"]),
        "ssend_late_receiver": (2 * r, 0, waits["ssend_late_receiver"]),
        "wrong_order": (4 * r, 0, waits["wrong_order"]),
        "wrong_order_src": (3 * r, 0, {late + "Recv": r * d}),
        "isend_irecv_wait": (2 * r, 0, {late + "Wait": 1.5 * r * d}),  # d later, of which a quarter is other work
        "isend_late_receiver": (2 * r, 0, {"late-receiver Wait": 2 * r * d}),
        "waitall": (3 * r, 0, {late + "Waitall": r * d}),  # until the last one has come
        "waitany": (3 * r, 0, {late + "Waitany": r * d}),  # d / 3 for each of them
        "waitsome": (3 * r, 0, {late + "Waitsome": r * d}),
        "testloop": (3 * r, 0, {}),  # it sleeps between its tests
        # The delay of one rank meets the next one in Sendrecv and the one after that in Sendrecv_replace; from the second round
        # on also one that is behind since the round before.
        "sendrecv_ring": (8 * r, 0, {late + "Sendrecv": (2 * r - 1) * d, late + "Sendrecv_replace": r * d}),
        "anysource": (3 * r, 0, {late + "Recv": r * d}),
        "probe": (3 * r, 0, {"probe-wait Probe": r * d}),
        "mprobe": (3 * r, 0, {"probe-wait Mprobe": r * d}),
        "odd_p2p": (12 + 4 * r, 0, {}),  # to itself, in the ring, buffered, ready; none to MPI_PROC_NULL
        "persistent": (2 * r, 0, {late + "Wait": 2 * r * d}),
        "wait_barrier": (0, 4 * r, waits["wait_barrier"]),
        "wait_nxn": (0, 16 * r, {f"nxn-wait {call}": 3 * r * d for call in ("Allreduce", "Allgather", "Alltoall", "Reduce_scatter")}),
        "late_bcast": (0, 4 * r, waits["late_bcast"]),
        "late_scatter": (0, 4 * r, {"late-broadcast Scatter": 3 * r * d}),
        "early_reduce": (0, 4 * r, {"early-reduce Reduce": r * d}),
        "early_gather": (0, 4 * r, {"early-reduce Gatherv": r * d}),
        "early_scan": (0, 8 * r, {"early-scan Scan": 3 * r * d, "early-scan Exscan": 3 * r * d}),
        "collmix": (0, 28 * r, {"nxn-wait Allgatherv": 3 * r * d}),  # the first operation; all are there at the others
        "nbcoll": (0, 16 * r, None),  # who gets on while one sleeps
        # 6 times split, dup, create, and freeing them: 52. Who comes d later makes the other wait at the barrier, and once more in Recv.
        "subcomm": (2 * r + 1, 62 + 8 * r, {"barrier-wait Barrier": 2 * r * d, late + "Recv": (2 * r + 1) * d}),
        # First 2 waits d for 0, 1 waits 2 d for 0, 3 waits d for 2; then 2 waits 2 d, since 0 has slept once more. After the last
        # round 0 and 1 come d later than their neighbours 2 and 3 to the exchange of all neighbours.
        "cart": (6 * r, 24, {late + "Sendrecv": (6 * r - 2) * d, "neighbor-wait Neighbor_alltoall": 2 * d}),
        "intercomm": (2 * r, 28 + 4 * r, {late + "Recv": 2 * r * d}),
        "rma_fence": (0, 12 + 12 * r, {"fence-wait Win_fence": 3 * r * d}),
        "rma_lock": (0, 8, None),
        "rma_pscw": (0, 8, {"late-post Win_start": 3 * r * d, "late-complete Win_wait": r * d / 2}),
        # Work of 1, 2, 3 and 4 sixteenths of d: 0 waits 3 for 3, 1 and 2 wait 1 for 2 and 3, and 1 has 1 left.
        "imbalance_iter": (8 * r, 4 * r, {late + "Waitall": 5 * r * d / 16, "nxn-wait Allreduce": r * d / 16}),
        "clean": (4 * r, 0, {}),
        "contention": (3 * r, 0, None),
        "many_small": (2000 * r, 0, None),
        "pipeline": (3 * r, 0, waits["pipeline"]),
        "unrecv": (4, 0, {}),
        "thr": (6 * r, 0, {late + "Recv": 2 * r * (3 * d + 3e-3)}),
        "hybrid": (0, 4 * r, {"barrier-wait Barrier": 3 * r * d}),
    }


def read_source(path):
    """Of each line: its case. And the lines with calls that are measured."""
    cases, measured, case = {}, set(), None
    for number, text in enumerate(open(path), 1):
        found = re.search(r"^static void ?\*?(\w+)\(|;?\s*static void ?\*(\w+)\(", text)
        case = (found.group(1) or found.group(2)) if found else case
        cases[number] = case
        if re.search(r"\bT\(MPI_", text):
            measured.add(number)
    return cases, measured


def read_archive(path, cases, measured):
    """By case: sends and collective operations; by rank and case: seconds in measured calls."""
    ranks, at, begun = process_of_location(path), {}, {}
    sends, operations, took = collections.Counter(), collections.Counter(), collections.Counter()
    text = subprocess.run(["otf2-print", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in text.split("\n"):
        call, record = ENTER.match(line), RECORD.match(line)
        if call:
            which, location, time, _, _, number = call.groups()
            if which == "ENTER":
                at[location], begun[location] = int(number or 0), int(time)
            elif at[location] in measured:
                took[ranks[int(location)], cases[at[location]]] += (int(time) - begun[location]) * 1e-9
        elif record:
            (sends if "SEND" in record.group(1) else operations)[cases.get(at[record.group(2)])] += 1
    return sends, operations, took


def read_report(path):
    """By case: seconds lost by "pattern call", also of what a pattern is a part of, and "all"; and in how many calls."""
    report = json.load(open(path))
    parents = {row["id"]: row["parent"] for row in report["patterns"]}
    lost, calls = collections.Counter(), collections.Counter()
    for row in report["findings"]:
        if len(row["callpath"]) < 2 or row["type"].endswith(NO_WAITS):
            continue
        case, call = row["callpath"][-2], row["callpath"][-1].replace("MPI_", "")
        pattern, keys = row["type"], ["all"]
        while pattern:
            keys.append(f"{pattern} {call}")
            pattern = parents[pattern]
        for key in keys:
            lost[case, key] += row["lost_s"]
            calls[case, key] += row["count"]
    return lost, calls


def is_quiet(delay, said):
    """Was each rank woken in time?"""
    overslept = max(float(line.split()[1]) for path in said for line in open(path) if line.startswith("usleep "))
    return overslept <= max(0.05 * delay, 3e-4)


def checks(arguments):
    """(What, is it right?, what it is and should be)."""
    archive, report, source, rounds, delay, _, *said = arguments
    cases, measured = read_source(source)
    sends, operations, took = read_archive(archive, cases, measured)
    r, d = int(rounds), float(delay) * 1e-6
    for rank, path in enumerate(sorted(said)):
        blocked = collections.Counter()
        for line in open(path):
            case = line.split()[0]
            if case == "usleep":
                continue
            blocked["late_sender" if case == "unrecv" else case] += float(line.split()[1])
        for case, seconds in blocked.items():
            yield f"{case}, rank {rank}", abs(took[rank, case] - seconds) <= max(0.01 * seconds, 1e-4), (took[rank, case], seconds)
    planted = expected(r, d) if len(said) == 4 else {}
    for case, (n_sends, n_operations, _) in planted.items():
        yield f"sends of {case}", sends[case] == n_sends, (sends[case], n_sends)
        yield f"operations of {case}", operations[case] == n_operations, (operations[case], n_operations)
    if report == "-":
        return
    lost, calls = read_report(report)
    for case, waits in ({case: row[2] for case, row in planted.items()} or expected_waits(len(said), r, d)).items():
        for key, seconds in [*waits.items(), ("all", sum(waits.values()))] if waits is not None else []:
            near = max(0.05 * seconds, 3e-4 * calls[case, key])
            yield f"wait {key} of {case}", abs(lost[case, key] - seconds) <= near, (lost[case, key], seconds)


def main():
    path = sys.argv[6]
    right = set(open(path).read().split("\n"))
    bad, n = [], 0
    if is_quiet(float(sys.argv[5]) * 1e-6, sys.argv[7:]):
        right.add("quiet")
    for what, is_right, numbers in checks(sys.argv[1:]):
        n += 1
        if is_right:
            right.add(what)
        elif what not in right:
            bad.append(f"{what}: %.6g, not %.6g" % numbers)
    open(path, "w").write("\n".join(sorted(right)))
    print("\n".join(bad))
    print(f"{n} numbers, {len(bad)} bad")
    if not bad and n >= 80:
        return 0
    return 3 if n >= 80 and "quiet" not in right and all(text.startswith("wait ") for text in bad) else 1


sys.exit(main())
