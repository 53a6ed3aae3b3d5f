#!/usr/bin/env python3
"""Checks that equal runs raise no alarm: profiles equal work again and again and compares each profile with the one before.

    tools/compare_equal.py --leyden target/release/leyden [--runs 20] [-- OPTIONS OF `leyden profile`]

Without options the workloads are the demo tasks as a batch, on both engines, and as a framework profile. Every
row that a comparison calls faster, slower, new or gone is printed. The exit code is 1 if there is one.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

WORKLOADS = [
    ["batch", "--data", "demo"],
    ["batch", "--data", "demo", "--exact-order"],
    ["framework", "--data", "demo"],
]


def profile(leyden, workload, path):
    subprocess.run([leyden, "profile", *workload, "--json", path], check=True, stdout=subprocess.DEVNULL)


def alarms(leyden, before, after):
    command = [leyden, "profile", "compare", before, after, "--format", "json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["comparison"]
    rows = [found["total"], *found["primitives"], *found["layers"], *found["tasks"]]
    return [row for row in rows if row["verdict"] not in ("same", "incomparable")]


def count(leyden, workload, runs, directory):
    """The number of comparisons with an alarm."""
    paths = [directory / "a.json", directory / "b.json"]
    profile(leyden, workload, paths[0])
    n_alarmed = 0
    for run in range(runs):
        before, after = paths[run % 2], paths[(run + 1) % 2]
        profile(leyden, workload, after)
        found = alarms(leyden, before, after)
        for row in found:
            print(f"  run {run + 1}: {row['name']} {row['verdict']}, {row['a_ns'] / 1e6:.3f} to {row['b_ns'] / 1e6:.3f} ms")
        n_alarmed += bool(found)
    return n_alarmed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leyden", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("workload", nargs="*", help="options of `leyden profile`, after --")
    args = parser.parse_args()
    total = 0
    for workload in [args.workload] if args.workload else WORKLOADS:
        with tempfile.TemporaryDirectory() as directory:
            n_alarmed = count(args.leyden.resolve(), workload, args.runs, pathlib.Path(directory))
        print(f"{' '.join(workload)}: no alarm in {args.runs - n_alarmed} of {args.runs} comparisons")
        total += n_alarmed
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
