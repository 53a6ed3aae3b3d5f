#!/usr/bin/env python3
"""Measures whether budgets hold on tasks with very many pairs.

Makes tasks of a thousand random pairs each from a seed, runs `leyden solve` and `leyden evolve` on
them with budgets of time and with Ctrl-C, and prints the delay of each run. Wall time means
something only on a quiet machine; processor time is printed beside it.

    tools/many_pairs.py --leyden target/release/leyden
"""

import argparse
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

SIDE = 20


def blocks(rng):
    """A picture of a few rectangles."""
    grid = [[0] * SIDE for _ in range(SIDE)]
    for _ in range(rng.randrange(2, 6)):
        height, width = rng.randrange(1, 6), rng.randrange(1, 6)
        top, left = rng.randrange(SIDE - height), rng.randrange(SIDE - width)
        colour = rng.randrange(1, 10)
        for row in grid[top : top + height]:
            row[left : left + width] = [colour] * width
    return grid


def noise(rng):
    """A picture of random cells."""
    return [[rng.randrange(10) for _ in range(SIDE)] for _ in range(SIDE)]


# The rules of the outputs: some are easy to find, some are hard, some outputs do not follow from the input.
RULES = [
    lambda grid, rng: [row[::-1] for row in grid],
    lambda grid, rng: grid[::-1],
    lambda grid, rng: [[5 if cell == 3 else cell for cell in row] for row in grid],
    lambda grid, rng: [[9 - cell for cell in row] for row in grid],
    lambda grid, rng: noise(rng),
    lambda grid, rng: [row[:7] for row in grid[:7]],
]


def make(folder, n_tasks, n_pairs, seed):
    """Writes the tasks, each with one test."""
    rng = random.Random(seed)
    for task in range(n_tasks):
        rule = RULES[task % len(RULES)]
        picture = noise if task % 7 == 3 else blocks
        pairs = []
        for _ in range(n_pairs + 1):
            grid = picture(rng)
            pairs.append({"input": grid, "output": rule(grid, rng)})
        text = json.dumps({"train": pairs[1:], "test": pairs[:1]}, separators=(",", ":"))
        (folder / f"{task:08x}.json").write_text(text)


class Ran:
    """The time of a command, and its end."""

    def __init__(self, command, interrupt_after=None):
        started = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        since = started
        if interrupt_after is not None:
            time.sleep(interrupt_after)
            since = time.monotonic()
            process.send_signal(signal.SIGINT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = self.code = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - since
        self.cpu = usage.ru_utime + usage.ru_stime


def is_valid(submission, n_tasks):
    """Whether the file has two answers for each test of each task."""
    tasks = json.loads(submission.read_text())
    answers = [answer for task in tasks.values() for answer in task]
    return len(tasks) == n_tasks and all(
        set(answer) == {"attempt_1", "attempt_2"} and all(answer.values()) for answer in answers
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leyden", required=True)
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=float, default=30.0)
    parser.add_argument("--per-task", type=float, default=0.2)
    parser.add_argument("--library", default="none", help="what solve gets as --library")
    parser.add_argument("--skip-evolve", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(options, Path(folder))


def measure(options, folder):
    data, out = folder / "data", folder / "submission.json"
    data.mkdir()
    make(data, options.tasks, options.pairs, options.seed)
    n = options.tasks
    solve = [options.leyden, "solve", "--data", data, "--jobs", str(options.jobs), "--out", out]
    solve += ["--library", options.library]
    nothing = Ran([*solve, "--per-task", "1ns"])
    print(f"reading {n} tasks of {options.pairs} pairs: {nothing.wall:.2f} s, cpu {nothing.cpu:.2f} s")

    rows = folder / "rows.json"
    ran = Ran([*solve, "--per-task", f"{options.per_task}s", "--json", rows])
    each = [row["wall_s"] for row in json.loads(rows.read_text())["rows"]]
    mean = (ran.cpu - nothing.cpu) / n
    over = mean - options.per_task
    print(f"solve --per-task {options.per_task} s: cpu {mean:.3f} s a task ({over:+.3f}), ", end="")
    print(f"wall at most {max(each):.3f} s; {len(each)} tasks, valid {is_valid(out, n)}")

    for budget in [options.budget, options.budget / 3]:
        ran = Ran([*solve, "--budget", f"{budget}s"])
        over = ran.wall - budget
        print(f"solve --budget {budget:.1f} s: {ran.wall:.2f} s ({over:+.3f} s, {over / budget:+.1%}),", end="")
        print(f" valid {is_valid(out, n)}")

    for wait in [nothing.wall + 0.5, nothing.wall + 2.0, nothing.wall + 5.3]:
        out.unlink()
        ran = Ran([*solve, "--per-task", "1m"], interrupt_after=wait)
        print(f"solve, Ctrl-C after {wait:.1f} s: ended {ran.wall:.2f} s later, code {ran.code}, ", end="")
        print(f"valid {out.exists() and is_valid(out, n)}")

    if options.skip_evolve:
        return
    store = folder / "store.db"
    evolve = [options.leyden, "evolve", "--data", data, "--jobs", str(options.jobs), "--store", store]
    ran = Ran([*evolve, "--budget", f"{options.budget}s"])
    over = ran.wall - options.budget
    print(f"evolve --budget {options.budget} s: {ran.wall:.2f} s ({over:+.3f} s, {over / options.budget:+.1%})")
    for wait in [nothing.wall + 1.0, nothing.wall + 4.3]:
        ran = Ran([*evolve, "--budget", "10m"], interrupt_after=wait)
        print(f"evolve, Ctrl-C after {wait:.1f} s: ended {ran.wall:.2f} s later, code {ran.code}")


if __name__ == "__main__":
    main()
