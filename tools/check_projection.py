#!/usr/bin/env python3
"""Checks that `leyden profile pipeline` predicts the time of all tasks from some of them.

    tools/check_projection.py --leyden target/release/leyden --solvers verifiers.py [--seeds 11-20] [--tasks 100,20]

For each seed the tool draws tasks, runs them and projects to the whole data set. Before each of them the
whole set runs as well, so that both meet an equally busy machine, and the median of these runs is the truth.
Prints every prediction with its error and whether the 95 % interval holds the truth. The exit code tells
whether the median error for the first number of tasks is at most 25 %, and whether for each number at least 8
of 10 intervals hold.
"""

import argparse
import json
import statistics
import subprocess
import sys


def pipeline(args, *more):
    command = [args.leyden, "profile", "pipeline", "--data", args.data, "--solvers", args.solvers, "--format", "json", *more]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def seeds(text):
    first, last = text.split("-")
    return list(range(int(first), int(last) + 1))


def projected(args, n_tasks, seed, n_all):
    profile = pipeline(args, "--draw", str(n_tasks), "--seed", str(seed), "--scale", str(n_all))
    return profile["projections"][0]


def check(n_tasks, projections, truth, is_first):
    errors, n_held = [], 0
    for seed, projection in projections:
        it = projection["estimate"]
        errors.append(abs(it["ns"] / truth - 1))
        is_held = it["low_ns"] <= truth <= it["high_ns"]
        n_held += is_held
        print(f"{n_tasks} tasks, seed {seed}: {it['ns'] / 1e6:.1f} ms ({it['low_ns'] / 1e6:.1f} to {it['high_ns'] / 1e6:.1f}), "
              f"{100 * (it['ns'] / truth - 1):+.1f} %, {'holds' if is_held else 'MISSES'}")
    error = statistics.median(errors)
    print(f"{n_tasks} tasks: median error {100 * error:.1f} %, the interval holds in {n_held} of {len(projections)}\n")
    return n_held >= 0.8 * len(projections) and (error <= 0.25 or not is_first)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leyden", required=True)
    parser.add_argument("--solvers", required=True)
    parser.add_argument("--data", default="arc1:training")
    parser.add_argument("--seeds", type=seeds, default=seeds("11-20"))
    parser.add_argument("--tasks", default="100,20")
    args = parser.parse_args()
    sizes = [int(n) for n in args.tasks.split(",")]
    wholes, predictions = [], {n: [] for n in sizes}
    for seed in args.seeds:
        whole = pipeline(args)
        wholes.append(whole["totals"]["whole_ns"])
        n_all = whole["setting"]["data"]["n_tasks"]
        for n in sizes:
            predictions[n].append((seed, projected(args, n, seed, n_all)))
    truth = statistics.median(wholes)
    print(f"all {n_all} tasks: {truth / 1e6:.1f} ms, between {min(wholes) / 1e6:.1f} and {max(wholes) / 1e6:.1f} ms\n")
    results = [check(n, predictions[n], truth, n == sizes[0]) for n in sizes]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
