#!/usr/bin/env python3
"""Compares the verdicts of `leyden judge` with the results of `leyden eval`, and measures the rate.

    tools/check_judge.py --leyden leyden --data arc1:training --count 100000 [--seed 1] [--sample 200]

The proposals are mutants that `leyden card` makes of the public programs (or of --solvers). `leyden judge`
gives a verdict on each, and `leyden eval` runs each on the inputs of its task. From these runs the tool works out
the verdict again: whether the program fits, how many demonstrations are right, the first wrong cell, the first
error, and every output. Credit is not part of these runs; only programs that fit may have 100.

Then it measures `leyden judge` on all proposals, and a process for each proposal on a sample.
Exit code 1 if a verdict differs.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

# Longer outputs are left out of verdicts.
MOST_OUTPUT_BYTES = 64 << 10
MOST_SHOWN = 5


def run(command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, **options)


def proposals_of(args, scratch):
    """Mutants as proposals. `card` drops some that repeat others, so it makes a few more."""
    battery, programs = scratch / "mutants.batt", scratch / "mutants.py"
    solvers = ["--solvers", args.solvers] if args.solvers else []
    run([args.leyden, "card", "--data", args.data, *solvers, "--count", args.count + args.count // 100 + 100,
         "--seed", args.seed, "--no-rules", "--out", battery])
    run([args.leyden, "import", battery, "--out", programs])
    texts = re.split(r"^(?=def )", programs.read_text(), flags=re.M)[1:]
    texts = random.Random(args.seed).sample(texts, min(args.count, len(texts)))
    return [{"id": k, "task": re.match(r"def [a-z]+_([0-9a-f]{8})", text)[1], "program": text}
            for k, text in enumerate(texts)]


def judged(args, path, *options):
    """The verdicts on a file of proposals."""
    ran = run([args.leyden, "judge", "--data", args.data, *args.jobs, *options, path])
    return [json.loads(line) for line in ran.stdout.splitlines()]


class Clock:
    """Wall time, and the processor time of processes that ended. A busy machine changes only the first."""

    def __init__(self):
        self.start = self.now()

    def now(self):
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.monotonic(), spent.ru_utime + spent.ru_stime

    def rates(self, n):
        wall, cpu = (n / (now - start) for now, start in zip(self.now(), self.start))
        return f"{wall:,.0f} proposals a second, {cpu:,.0f} a second of processor time"


def outcomes(args, task, proposals, scratch):
    """The outcomes of a task's proposals on its demonstrations and test inputs, by `leyden eval`."""
    programs, grids, out = (scratch / name for name in ("programs.py", "grids.json", "out.jsonl"))
    programs.write_text("\n".join(proposal["program"] for proposal in proposals))
    grids.write_text(json.dumps([pair["input"] for pair in task["train"] + task["test"]]))
    run([args.leyden, "eval", "--solvers", programs, "--inputs", grids, *args.jobs, "--out", out])
    found = collections.defaultdict(list)
    for line in map(json.loads, out.read_text().splitlines()):
        del line["input"]
        found[line.pop("solver")].append(line)
    return [found[re.match(r"def (\w+)", proposal["program"])[1]] for proposal in proposals]


def first_wrong(demos, outcomes):
    """The first difference between the outcomes and the demonstrations, as a verdict has it."""
    for k, (pair, outcome) in enumerate(zip(demos, outcomes)):
        if outcome != {"grid": pair["output"]}:
            return {"demo": k, **difference(outcome, pair["output"])}
    return None


def difference(outcome, expected):
    if "grid" not in outcome:
        return {"kind": "error" if "error" in outcome else "value"}
    grid = outcome["grid"]
    if len({len(row) for row in grid}) > 1:
        return {"kind": "ragged"}
    sizes = [[len(grid), len(grid[0])], [len(expected), len(expected[0])]]
    if sizes[0] != sizes[1]:
        return {"kind": "size", "got": sizes[0], "expected": sizes[1]}
    cells = ((i, j) for i in range(len(grid)) for j in range(len(grid[0])) if grid[i][j] != expected[i][j])
    i, j = next(cells)
    return {"kind": "cell", "row": i, "column": j, "got": grid[i][j], "expected": expected[i][j]}


def expected_verdict(task, outcomes):
    """The verdict that the outcomes of `leyden eval` lead to, without credit."""
    demos = task["train"]
    right = sum(outcome == {"grid": pair["output"]} for pair, outcome in zip(demos, outcomes))
    errors = [outcome["error"] for outcome in outcomes[:len(demos)] if "error" in outcome]
    shown = [shortened(outcome) for outcome in outcomes]
    return {
        "fit": right == len(demos) > 0,
        "right": right,
        "pairs": len(demos),
        "first_wrong": first_wrong(demos, outcomes),
        "error": errors[0] if errors else None,
        "outputs": shown[:len(demos)],
        "tests": shown[len(demos):],
    }


def shortened(outcome):
    """The outcome, or the reason why a verdict leaves it out."""
    n_bytes = len(json.dumps(outcome, separators=(",", ":")))
    return outcome if n_bytes <= MOST_OUTPUT_BYTES else {"left_out": f"{n_bytes:,} bytes of JSON"}


def is_as_expected(verdict, expected):
    error = verdict["error"] and verdict["error"]["class"]
    found = {name: error if name == "error" else verdict[name] for name in expected}
    return found == expected and (verdict["credit"] == 100) == verdict["fit"] and 0 <= verdict["credit"] <= 100


def compared(args, proposals, verdicts, scratch):
    """The number of verdicts that differ from the results of `leyden eval`."""
    by_task = collections.defaultdict(list)
    for proposal, verdict in zip(proposals, verdicts, strict=True):
        assert (proposal["id"], proposal["task"]) == (verdict["id"], verdict["task"])
        by_task[proposal["task"]].append((proposal, verdict))
    differing = []
    for id, rows in sorted(by_task.items()):
        task = json.loads(run([args.leyden, "show", id, "--data", args.data, "--json", "-"]).stdout)
        found = outcomes(args, task, [proposal for proposal, _ in rows], scratch)
        for (proposal, verdict), runs in zip(rows, found):
            expected = expected_verdict(task, runs)
            if not is_as_expected(verdict, expected):
                differing.append((proposal, verdict, expected))
    for proposal, verdict, expected in differing[:MOST_SHOWN]:
        print(f"{proposal['program']}judge: {json.dumps(verdict)[:600]}\neval:  {json.dumps(expected)[:600]}\n")
    return len(differing)


def one_by_one(args, proposals):
    """Judges each proposal in a process of its own."""
    for proposal in proposals:
        run([args.leyden, "judge", "--data", args.data], input=json.dumps(proposal).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leyden", default="leyden", help="the command")
    parser.add_argument("--data", default="arc1:training")
    parser.add_argument("--solvers", help="the programs to change")
    parser.add_argument("--count", type=int, default=100_000, help="proposals")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=200, help="proposals that get a process each")
    parser.add_argument("--jobs", help="threads")
    args = parser.parse_args()
    args.jobs = ["--jobs", args.jobs] if args.jobs else []
    with tempfile.TemporaryDirectory() as scratch:
        return check(args, pathlib.Path(scratch))


def check(args, scratch):
    proposals = proposals_of(args, scratch)
    path = scratch / "proposals.jsonl"
    path.write_text("".join(json.dumps(proposal) + "\n" for proposal in proposals))
    clock = Clock()
    verdicts = judged(args, path)
    rates = clock.rates(len(proposals))
    with_outputs = judged(args, path, "--outputs")
    n_differ = compared(args, proposals, with_outputs, scratch)
    n_differ += sum({name: row[name] for name in verdict} != verdict
                    for verdict, row in zip(verdicts, with_outputs, strict=True))
    fits = sum(verdict["fit"] for verdict in verdicts)
    errors = sum(verdict["error"] is not None for verdict in verdicts)
    print(f"{len(proposals):,} proposals compared, {n_differ:,} differ; {fits:,} fit, {errors:,} end with an error")
    print(f"leyden judge: {rates}")
    sample = proposals[:args.sample]
    if sample:
        clock = Clock()
        one_by_one(args, sample)
        print(f"a process for each of {len(sample)}: {clock.rates(len(sample))}")
    return int(n_differ > 0)


if __name__ == "__main__":
    sys.exit(main())
