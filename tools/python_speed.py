#!/usr/bin/env python3
"""Measures Leyden from Python: a battery beside the command, and `leyden.jit` beside CPython.

    tools/python_speed.py --solvers arc-dsl/solvers.py [--leyden target/release/leyden] [--data arc1:training]

The directory of solvers.py holds arc-dsl's dsl.py, constants.py and arc_types.py. Battery:
the processor time of executing in `leyden batt --jobs 1` and in `battery.run(jobs=1)`, in turns, the least
of each. Jit: the processor time of all solvers on their own pairs, the least of several passes, in CPython three. a64e4611,
which is most of CPython's time, is listed separately. The script fails if results differ.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import leyden

APART = "a64e4611"


def main() -> None:
    args = arguments()
    print(f"import leyden: {import_ms():.1f} ms")
    battery_beside_command(args)
    jit_beside_cpython(args)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solvers", type=Path, required=True)
    parser.add_argument("--leyden", type=Path, help="the command [default: this package's]")
    parser.add_argument("--data", default="arc1:training")
    parser.add_argument("--tasks", type=int, default=20, help="tasks for the battery")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def import_ms() -> float:
    """The shortest of ten imports."""
    code = "import time; t = time.perf_counter(); import leyden; print(1000 * (time.perf_counter() - t))"
    run = lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    return min(float(run().stdout) for _ in range(10))


def battery_beside_command(args: argparse.Namespace) -> None:
    tasks = leyden.load(args.data)[: args.tasks]
    battery = leyden.Battery.from_programs(leyden.programs(args.solvers))
    ours, whole, theirs = [], [], []
    for _ in range(args.rounds):
        theirs.append(command_seconds(args))
        start = time.process_time()
        result = battery.run(tasks, jobs=1)
        whole.append(time.process_time() - start)
        ours.append(result.to_json()["phases"]["execute_cpu_s"])
    command = min(theirs)
    print(f"battery: {result.totals['runs']} runs; command {command:.3f} s, battery.run {min(ours):.3f} s")
    print(f"  executing {over(min(ours), command)}, the whole call {over(min(whole), command)}")


def over(ours: float, theirs: float) -> str:
    return f"{100 * (ours / theirs - 1):+.1f} %"


def command_seconds(args: argparse.Namespace) -> float:
    command = [args.leyden] if args.leyden else [sys.executable, "-m", "leyden"]
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out.json"
        options = ["--data", args.data, "--tasks", str(args.tasks), "--solvers", args.solvers]
        done = [*command, "batt", *options, "--jobs", "1", "--no-scores", "--json", out]
        subprocess.run(done, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return float(json.loads(out.read_text())["phases"]["execute_cpu_s"])


def jit_beside_cpython(args: argparse.Namespace) -> None:
    sys.path.insert(0, os.fspath(args.solvers.parent))
    originals = importlib.import_module(args.solvers.stem)
    start = time.perf_counter()
    compiled = leyden.jit(args.solvers)
    print(f"jit: {compiled} in {1000 * (time.perf_counter() - start):.0f} ms")
    cases = [
        (f"solve_{task.id}", input.totuple(), output.totuple())
        for task in leyden.load(args.data)
        for input, output in [*task.train, *task.test]
        if task.id != APART and hasattr(originals, f"solve_{task.id}")
    ]
    passes = [run(originals, cases) for _ in range(3)]
    expected, slow = passes[0][0], min(seconds for _, seconds in passes)
    fast = []
    for _ in range(args.rounds):
        found, seconds = run(compiled, cases)
        fast.append(seconds)
        if found != expected:
            sys.exit("the results differ")
    whole = []
    tasks = leyden.TaskSet([task for task in leyden.load(args.data) if task.id != APART])
    for _ in range(args.rounds):
        start = time.process_time()
        results = compiled.on_tasks(tasks, jobs=1)
        whole.append(time.process_time() - start)
    together = [plain(output) for task in tasks for output in results[f"solve_{task.id}"]]
    if together != expected:
        sys.exit("the results of the whole module differ")
    right = sum(a == output for a, (_, _, output) in zip(found, cases, strict=True))
    print(f"  {len(cases)} pairs without {APART}, {right} right, all results as in CPython")
    print(f"  CPython {slow:.3f} s, compiled {min(fast):.4f} s: {slow / min(fast):.1f} times as fast")
    print(f"  all in one call (on_tasks) {min(whole):.4f} s: {slow / min(whole):.1f} times as fast")


def plain(output: object) -> object:
    """Turns results into the original's tuples of tuples."""
    return output.totuple() if isinstance(output, leyden.Grid) else output


def run(module: object, cases: list) -> tuple[list, float]:
    calls = [(getattr(module, name), input) for name, input, _ in cases]
    start = time.process_time()
    found = [solver(input) for solver, input in calls]
    return found, time.process_time() - start


if __name__ == "__main__":
    main()
