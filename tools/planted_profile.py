#!/usr/bin/env python3
"""Known answers: primitives planted with 30 %, 8 % and 2 % of the work come out HIGH, MEDIUM, LOW.

    tools/planted_profile.py --leyden target/release/leyden [--runs 20]

A program calls primitives on the same grid, each so often that it has its share of the work. How
often that is follows from the time of one call, and that is not taken from a profile: `leyden run`
measures the processor time of a program that calls all of them, and of the same program with more
calls of one. Every profile must then give each primitive its priority. The exit code says whether all
of them did.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SIDE = 24
# What is planted, with its share of the time in primitives.
PLANTED = {"rot90": 0.30, "hmirror": 0.08, "palette": 0.02}
# The rest of the work: many primitives, none of which has 10 %.
FILLERS = ["vmirror", "dmirror", "cmirror", "rot180", "rot270", "asindices", "mostcolor", "leastcolor"]
WANTED = {"rot90": "HIGH", "hmirror": "MEDIUM", "palette": "LOW"}
N_LINES = 4_000


def program(counts):
    lines, number = [], 0
    names = [name for name, n in counts.items() for _ in range(n)]
    # Spread evenly, so that no primitive always finds the caches as the same other one left them.
    step = next(k for k in range(len(names) // 3 + 1, len(names) * 2) if gcd(k, len(names)) == 1)
    for k in range(len(names)):
        number += 1
        lines.append(f"    x{number} = {names[k * step % len(names)]}(I)")
    return "def solve_00000001(I):\n" + "\n".join(lines) + "\n    return I\n"


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def task():
    grid = [[(i * i + 3 * j) % 10 for j in range(SIDE)] for i in range(SIDE)]
    pair = {"input": grid, "output": grid}
    return {"train": [pair, pair, pair], "test": [pair]}


def profile(leyden, directory, counts):
    (directory / "a.py").write_text(program(counts))
    # Without sharing and rules: the same call again and again is what is wanted here.
    command = [leyden, "profile", "dsl", "--data", directory / "00000001.json", "--solvers", directory / "a.py",
               "--no-share", "--format", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def time_of(leyden, directory, counts):
    """The processor time of a run without the recorder."""
    (directory / "a.py").write_text(program(counts))
    command = [leyden, "run", "--data", directory / "00000001.json", "--solvers", directory / "a.py",
               "--no-share", "--json", "-", "--jobs", "1"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["execute_cpu_s"]


def times_of_calls(leyden, directory):
    base = {name: N_LINES // 20 for name in [*PLANTED, *FILLERS]}
    variants = {name: base | {name: base[name] + N_LINES} for name in base} | {None: base}
    least = dict.fromkeys(variants, float("inf"))
    # By turns: a busy second disturbs all of them alike.
    for _ in range(15):
        for name, variant in variants.items():
            least[name] = min(least[name], time_of(leyden, directory, variant))
    return {name: least[name] - least[None] for name in base}


def counts(leyden, directory):
    """Numbers of calls that give each primitive its share."""
    shares = dict(PLANTED)
    shares.update({name: (1 - sum(PLANTED.values())) / len(FILLERS) for name in FILLERS})
    times = times_of_calls(leyden, directory)
    work = {name: share / times[name] for name, share in shares.items()}
    scale = N_LINES / sum(work.values())
    return {name: max(1, round(scale * n)) for name, n in work.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leyden", required=True)
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args()
    n_right = 0
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "00000001.json").write_text(json.dumps(task()))
        planted = counts(args.leyden, directory)
        for run in range(args.runs):
            result = profile(args.leyden, directory, planted)
            found = {r["function"]: (r["gpu_priority"], r["percent_of_total"]) for r in result["aggregate"]["recommendations"]}
            is_right = all(found.get(name, ("none",))[0] == wanted for name, wanted in WANTED.items())
            n_right += is_right
            shown = ", ".join(f"{name} {found[name][1]:.1f} % {found[name][0]}" for name in WANTED if name in found)
            print(f"run {run + 1}: {'right' if is_right else 'WRONG'}: {shown}")
    print(f"{n_right} of {args.runs} right")
    return 0 if n_right == args.runs else 1


if __name__ == "__main__":
    sys.exit(main())
