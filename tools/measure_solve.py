#!/usr/bin/env python3
"""Measures `leyden solve`: the worth of each part, budgets, and two versions side by side.

    tools/measure_solve.py parts --leyden leyden --data mini --per-task 1s --keep reports
    tools/measure_solve.py alone --leyden leyden --data mini --per-task 1s --keep reports
    tools/measure_solve.py budgets --leyden leyden --data arc1:training --per-task 0.5s --per-task 4s --keep reports
    tools/measure_solve.py versions --leyden leyden --before old/leyden --data mini --per-task 1s --keep reports

Each mode prints a Markdown table. `parts` switches off one part of the search at a time, `alone`
switches off all of them and then switches on one at a time, `budgets` gives several times, and `versions`
compares with another build. The columns are counts: right and fit (within two attempts), tasks that only
this row or only the first row solves, the probability of such a difference by chance (`leyden ranks`, a
two-sided exact sign test), and thousands of pictures and of runs of programs a second. No task is named,
so the tool also works on data that is held back.

Reports stay in the directory of --keep. A report that is there is not made again, so a measurement
that was stopped goes on.
"""

import argparse
import json
import pathlib
import subprocess
import sys

PARTS = ["moves", "repair", "draw", "lists", "compose", "induce", "later", "objects", "views"]
# Moves, layers and rules carry the others, so `alone` does not switch them off.
ALONE = ["repair", "draw", "lists", "later", "objects", "views"]


def solved(leyden, data, per_task, options, keep, name):
    """Runs a search unless its report is kept; returns the path of the report."""
    fields = [name, data.replace(":", "-").replace("/", "-"), per_task, *options]
    report = keep / ("_".join(field.lstrip("-") for field in fields) + ".json")
    if not report.exists():
        part = report.with_suffix(".part")
        command = [leyden, "solve", "--data", data, "--library", "none", "--per-task", per_task]
        subprocess.run([*command, *options, "--json", part, "--out", report.with_suffix(".submission")],
                       check=True, stdout=subprocess.DEVNULL)
        part.rename(report)
    return report


def compared(leyden, data, first, second):
    """The counts of `second`, beside those of `first`."""
    command = [leyden, "ranks", "--data", data, first, second, "--json", "-"]
    pair = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["pair"]
    counts = json.loads(second.read_text())
    seconds = sum(sum(row["phases_s"].values()) for row in counts["rows"])
    rate = {name: sum(row[name] for row in counts["rows"]) / 1000 / seconds for name in ("states", "runs")}
    return {
        "right": counts["solved"],
        "fit": counts["fit_all_demos"],
        "only this": pair["only_second"],
        "only first": pair["only_first"],
        "p": f"{pair['p']:.3f}",
        "k pictures/s": f"{rate['states']:.1f}",
        "k runs/s": f"{rate['runs']:.1f}",
    }


def table(rows):
    """Prints rows of (name, counts)."""
    columns = list(rows[0][1])
    print("| |", " | ".join(columns), "|")
    print("|" + "---|" * (len(columns) + 1))
    for name, counts in rows:
        print("|", name, "|", " | ".join(str(counts[it]) for it in columns), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=["parts", "alone", "budgets", "versions"])
    parser.add_argument("--leyden", required=True)
    parser.add_argument("--before", help="the other build, for `versions`")
    parser.add_argument("--data", action="append", required=True)
    parser.add_argument("--per-task", action="append", required=True)
    parser.add_argument("--part", action="append", choices=PARTS, help="for `parts` and `alone`; all by default")
    parser.add_argument("--keep", type=pathlib.Path, required=True)
    args = parser.parse_args()
    if (args.mode == "versions") != (args.before is not None):
        parser.error("`versions` needs --before, and only `versions`")
    args.keep.mkdir(parents=True, exist_ok=True)
    for data in args.data:
        rows = []
        runs = list(planned(args))
        first = solved(*at(runs[0], data), args.keep, runs[0][0])
        for run in runs:
            report = solved(*at(run, data), args.keep, run[0])
            rows.append((run[1], compared(args.leyden, data, first, report)))
            print(f"{data}: {run[1]}", file=sys.stderr)
        print(f"\n{data}, {json.loads(first.read_text())['tasks']} tasks\n")
        table(rows)


def at(run, data):
    _, _, leyden, per_task, options = run
    return leyden, data, per_task, options


def planned(args):
    """The runs: a name for files, one for the table, the build, the time and options."""
    if args.mode == "budgets":
        for per_task in args.per_task:
            yield "now", per_task, args.leyden, per_task, []
        return
    for per_task in args.per_task:
        if args.mode == "alone":
            chosen = args.part or ALONE
            yield "now", f"none of them, {per_task}", args.leyden, per_task, without(chosen)
            for part in chosen:
                yield "now", f"with {part}", args.leyden, per_task, without([it for it in chosen if it != part])
            yield "now", f"all, {per_task}", args.leyden, per_task, []
        elif args.mode == "versions":
            yield "before", f"before, {per_task}", args.before, per_task, []
            yield "now", f"now, {per_task}", args.leyden, per_task, []
        else:
            yield "now", f"all parts, {per_task}", args.leyden, per_task, []
            for part in args.part or PARTS:
                yield "now", f"without {part}", args.leyden, per_task, without([part])


def without(parts):
    return [word for part in parts for word in ("--without", part)]


if __name__ == "__main__":
    main()
