#!/usr/bin/env python3
"""Prints the speed relative to CPython: `speed_ratio.py CPYTHON.json OURS.json [--without TASK]`.

CPYTHON.json comes from bench_cpython.py, OURS.json from the example own_tasks of leyden-exec.
Measure both in one go on a quiet machine; only the ratios mean anything.
"""

import argparse
import json
import pathlib
import statistics


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cpython")
    parser.add_argument("ours")
    parser.add_argument("--without", default="a64e4611")
    options = parser.parse_args()
    theirs = {task: row["seconds"] for task, row in read(options.cpython).items()}
    ours = {task: row["cpu_s"] for task, row in read(options.ours).items()}
    tasks = sorted(theirs.keys() & ours.keys())
    rest = [task for task in tasks if task != options.without]
    ratio = lambda some: sum(theirs[t] for t in some) / sum(ours[t] for t in some)
    print(f"{len(tasks)} tasks: {ratio(tasks):.0f} times as fast in all, {ratio(rest):.1f} without {options.without},", end=" ")
    print(f"median of the tasks {statistics.median(theirs[t] / ours[t] for t in tasks):.1f}")
    slowest = sorted(rest, key=lambda t: -ours[t])[:10]
    print("most of our time:", ", ".join(f"{t} {ours[t] * 1e3:.2f} ms ({theirs[t] / ours[t]:.0f}x)" for t in slowest))


def read(path):
    return json.loads(pathlib.Path(path).read_text())["tasks"]


if __name__ == "__main__":
    main()
