#!/usr/bin/env python3
"""Measures `leyden.dsl` beside arc-dsl in one interpreter, on one core.

    tools/speed_dropin.py --arc-dsl DIR --data arcagi_aa922be.json [--rounds 3]

First it runs arc-dsl's solvers on their own pairs (without a64e4611, which alone takes most of the time), with
each task the least of several rounds; then every primitive on arguments that come up in those runs.
"""

import argparse
import gc
import json
import random
import re
import statistics
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, Callable

import dropin_modules as modules
import fuzz_dropin

LEFT_OUT = "a64e4611"
N_SAMPLES = 60
Calls = dict[str, list[tuple]]
Grids = dict[str, list[tuple]]


def grids_of(path: Path) -> Grids:
    tasks = json.loads(path.read_text())["train"]
    pairs = {task: content["train"] + content["test"] for task, content in tasks.items()}
    return {task: [tuple(map(tuple, pair["input"])) for pair in all_of] for task, all_of in pairs.items()}


def solver_times(solvers: ModuleType, grids: Grids, best: dict[str, int]) -> None:
    """Runs all solvers once; keeps the least time of each task."""
    for task, inputs in grids.items():
        solve = getattr(solvers, f"solve_{task}")
        gc.collect(0)
        start = time.process_time_ns()
        for grid in inputs:
            solve(grid)
        best[task] = min(best.get(task, 1 << 62), time.process_time_ns() - start)


def recorded_solvers(path: Path, record: Callable, **substitutes: ModuleType) -> ModuleType:
    """The solvers, with every call of a line passed to `record`."""
    text = re.sub(r"^(    \w+ = )(\w+)\(", r"\1_record('\2', \2, ", path.read_text(), flags=re.M)
    module = ModuleType("solvers")
    module.__dict__["_record"] = record
    with modules.substituted(**substitutes):
        exec(compile(text, str(path), "exec"), module.__dict__)
    return module


class Recorder:
    """Keeps a sample of the arguments of each primitive. Equal calls give equal samples."""

    def __init__(self) -> None:
        self.rng = random.Random(0)
        self.n_seen: dict[str, int] = {}
        self.calls: Calls = {}

    def keep(self, name: str, arguments: tuple) -> None:
        seen = self.n_seen[name] = self.n_seen.get(name, 0) + 1
        kept = self.calls.setdefault(name, [])
        if len(kept) < N_SAMPLES:
            kept.append(arguments)
        elif (place := self.rng.randrange(seen)) < N_SAMPLES:
            kept[place] = arguments

    def line(self, name: str, function: Callable, *arguments: Any) -> Any:
        self.keep(name, arguments)
        return function(*arguments)


def wrapped(name: str, function: Callable, n: int, recorder: Recorder) -> Callable:
    """Wraps a function to record plain calls. It keeps the number of parameters, which `rbind` reads."""
    def call(*arguments: Any) -> Any:
        if not any(map(modules.has_functions, arguments)):
            recorder.keep(name, arguments)
        return function(*arguments)

    names = ", ".join("abcd"[:n])
    return eval(f"lambda {names}: call({names})", {"call": call})


def plain_calls(arc_dsl: Path, solvers_path: Path, grids: Grids, constants: ModuleType) -> Calls:
    """Arguments without functions, of nested calls too."""
    module = modules.arc_dsl(arc_dsl)
    recorder = Recorder()
    for name, parameters in fuzz_dropin.signatures(arc_dsl / "dsl.py").items():
        setattr(module, name, wrapped(name, getattr(module, name), len(parameters), recorder))
    solvers = modules.load(solvers_path, dsl=module, constants=constants)
    run_all(solvers, grids)
    return recorder.calls


def run_all(solvers: ModuleType, grids: Grids) -> None:
    for task, inputs in grids.items():
        for grid in inputs[:1]:
            getattr(solvers, f"solve_{task}")(grid)


def line_calls(dsl: ModuleType, solvers_path: Path, grids: Grids, constants: ModuleType) -> Calls:
    """Arguments of the solvers' own calls, functions included."""
    recorder = Recorder()
    run_all(recorded_solvers(solvers_path, recorder.line, dsl=dsl, constants=constants), grids)
    return recorder.calls


def time_of(function: Callable, calls: list[tuple], n_rounds: int) -> float:
    """Nanoseconds for all calls together, the least of several rounds."""
    best = float("inf")
    for _ in range(n_rounds):
        start = time.perf_counter_ns()
        for arguments in calls:
            function(*arguments)
        best = min(best, time.perf_counter_ns() - start)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arc-dsl", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    import leyden.constants
    import leyden.dsl

    theirs, path = modules.arc_dsl(args.arc_dsl), args.arc_dsl / "solvers.py"
    grids = {task: inputs for task, inputs in grids_of(args.data).items() if task != LEFT_OUT}
    solvers = {
        "ours": modules.load(path, dsl=leyden.dsl, constants=leyden.constants),
        "theirs": modules.load(path, dsl=theirs, constants=leyden.constants),
    }
    ratio = compare_solvers(solvers, grids, args.rounds)
    slow = compare_primitives(args, leyden.dsl, theirs, grids, leyden.constants)
    return int(ratio < 3 or bool(slow))


def compare_solvers(solvers: dict[str, ModuleType], grids: Grids, n_rounds: int) -> float:
    best: dict[str, dict[str, int]] = {"ours": {}, "theirs": {}}
    for _ in range(n_rounds):
        for name, module in solvers.items():
            solver_times(module, grids, best[name])
    total = {name: sum(times.values()) / 1e6 for name, times in best.items()}
    ratios = [best["theirs"][task] / best["ours"][task] for task in grids]
    ratio = total["theirs"] / total["ours"]
    print(f"solvers: arc-dsl {total['theirs']:.0f} ms, leyden.dsl {total['ours']:.0f} ms, {ratio:.2f} times as fast; "
          f"per task {min(ratios):.2f} to {max(ratios):.1f}, median {statistics.median(ratios):.2f}")
    return ratio


def compare_primitives(args: argparse.Namespace, ours: ModuleType, theirs: ModuleType, grids: Grids, constants: ModuleType) -> list[str]:
    path = args.arc_dsl / "solvers.py"
    plain = plain_calls(args.arc_dsl, path, grids, constants)
    lines = {name: line_calls(module, path, grids, constants) for name, module in (("ours", ours), ("theirs", theirs))}
    known = fuzz_dropin.signatures(args.arc_dsl / "dsl.py")
    values = fuzz_dropin.Values(random.Random(3), known)
    rows, made_up = [], []
    for name in known:
        calls = {side: plain.get(name) or lines[side].get(name) for side in ("ours", "theirs")}
        if not calls["ours"]:
            made_up.append(name)
            calls = synthetic(name, known[name], values, ours, theirs)
        spent = {side: time_of(getattr(module, name), calls[side], 7) for side, module in (("theirs", theirs), ("ours", ours))}
        rows.append((spent["theirs"] / spent["ours"], name, spent["theirs"] / len(calls["theirs"]), spent["ours"] / len(calls["ours"])))
    rows.sort()
    for ratio, name, their_time, our_time in rows:
        print(f"{ratio:8.2f}  {name:14} {their_time:10.0f} ns -> {our_time:10.0f} ns" + ("  (made-up arguments)" if name in made_up else ""))
    print(f"primitives: {len(rows)}, median {statistics.median(row[0] for row in rows):.2f} times as fast, {sum(row[0] < 1 for row in rows)} slower")
    return [name for ratio, name, *_ in rows if ratio < 0.5]


def synthetic(name: str, annotations: list[str], values: fuzz_dropin.Values, ours: ModuleType, theirs: ModuleType) -> dict[str, list[tuple]]:
    """Arguments for a primitive that no solver calls: random ones that do not fail."""
    calls: dict[str, list[tuple]] = {"ours": [], "theirs": []}
    while len(calls["ours"]) < N_SAMPLES:
        arguments = [getattr(values, annotation, values.Any)() for annotation in annotations]
        if fuzz_dropin.outcome(theirs, name, arguments, None)[0] == "value":
            calls["ours"].append(tuple(fuzz_dropin.given(arguments, ours)))
            calls["theirs"].append(tuple(fuzz_dropin.given(arguments, theirs)))
    return calls


if __name__ == "__main__":
    sys.exit(main())
