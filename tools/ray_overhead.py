#!/usr/bin/env python3
"""Measures the cost of Ray: runs a battery on tasks in one thread, and over local workers, in turns.

    tools/ray_overhead.py --solvers solvers.py --data arc1:training --programs 20 --workers 2
"""

import argparse
import json
import statistics
import time

import leyden
import leyden.ray
import ray


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solvers", required=True)
    parser.add_argument("--data", default="arc1:training")
    parser.add_argument("--programs", type=int, default=20, help="the number of programs, from the first")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def timed(work):
    started = time.monotonic()
    return work(), time.monotonic() - started


def without_times(result):
    report = result.to_json()
    del report["phases"]
    return json.dumps(report)


def main():
    args = parse_args()
    _, starting = timed(lambda: ray.init(num_cpus=args.workers, include_dashboard=False, logging_level="ERROR"))
    tasks = leyden.load(args.data)
    battery = leyden.Battery.from_programs(leyden.programs(args.solvers)[: args.programs])
    _, first = timed(lambda: leyden.ray.run(battery, tasks[:1]))
    plain, threads, spread = [], [], []
    for _ in range(args.rounds):
        expected, seconds = timed(lambda: battery.run(tasks, jobs=1))
        plain.append(seconds)
        threads.append(timed(lambda: battery.run(tasks, jobs=args.workers))[1])
        result, seconds = timed(lambda: leyden.ray.run(battery, tasks))
        spread.append(seconds)
        assert without_times(result) == without_times(expected), "Ray gave something else"
    report = {
        "tasks": len(tasks),
        "programs": len(battery),
        "ray_init_s": starting,
        "first_call_s": first,
        "one_thread_s": statistics.median(plain),
        f"{args.workers}_threads_s": statistics.median(threads),
        f"{args.workers}_ray_workers_s": statistics.median(spread),
        "identical": True,
    }
    print(json.dumps({key: round(value, 3) if isinstance(value, float) else value for key, value in report.items()}, indent=2))


if __name__ == "__main__":
    main()
