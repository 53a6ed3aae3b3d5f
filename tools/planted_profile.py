#!/usr/bin/env python3
"""Checks known answers: primitives planted with 30 %, 8 % and 2 % of the work come out HIGH, MEDIUM, LOW,
and a planted slow path comes out first.

    tools/planted_profile.py --leyden target/release/leyden [--runs 20] [--engine fast|reference|slow-path …]

A program calls primitives on one grid, each so often that it has its share of the work. The
number of calls follows from the time of one call, which does not come from a profile: `leyden run`
measures the processor time of a program that calls all of them, and of that program with more
calls of one. Every profile must then give each primitive its priority: on the fast engine, and with
--exact-order on the reference engine.

For the slow path, one of several programs asks for an order that the fast engine leaves to the
reference engine on every run, and another one does so after a few cheap lines. Every profile must name
the first one first, with the primitive that asks and the number of its runs, and report that the rest ran
on the fast engine. The exit code is 1 if a profile was wrong.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SIDE = 24
# The planted primitives, with their shares of the time in primitives.
PLANTED = {"rot90": 0.30, "hmirror": 0.08, "palette": 0.02}
# The rest of the work: many primitives, none of which has 10 %.
FILLERS = ["vmirror", "dmirror", "cmirror", "rot180", "rot270", "asindices", "mostcolor", "leastcolor"]
WANTED = {"rot90": "HIGH", "hmirror": "MEDIUM", "palette": "LOW"}
# The length of a program. The reference engine keeps every value until the end, and more than some
# megabytes would make each of them slower.
N_LINES = {"fast": 4_000, "reference": 600}


def program(counts):
    lines, number = [], 0
    names = [name for name, n in counts.items() for _ in range(n)]
    # The calls are spread evenly, so that no primitive always follows one other and finds its caches.
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


def on(leyden, directory, command, options):
    """Runs a command on the programs in a directory; returns its JSON."""
    # Without sharing and rules: the programs repeat one call again and again on purpose.
    line = [leyden, *command, "--data", directory / "00000001.json", "--solvers", directory / "a.py", "--no-share", *options]
    return json.loads(subprocess.run(line, check=True, capture_output=True).stdout)


def profile(leyden, directory, counts, options):
    (directory / "a.py").write_text(program(counts))
    return on(leyden, directory, ["profile", "dsl", "--format", "json"], options)


def time_of(leyden, directory, counts, options):
    """The processor time of a run without the recorder."""
    (directory / "a.py").write_text(program(counts))
    return on(leyden, directory, ["run", "--json", "-", "--jobs", "1"], options)["execute_cpu_s"]


def times_of_calls(leyden, directory, n_lines, options):
    base = {name: n_lines // 20 for name in [*PLANTED, *FILLERS]}
    variants = {name: base | {name: base[name] + n_lines} for name in base} | {None: base}
    least = dict.fromkeys(variants, float("inf"))
    # In turns, so that a busy second disturbs all of them alike.
    for _ in range(15):
        for name, variant in variants.items():
            least[name] = min(least[name], time_of(leyden, directory, variant, options))
    return {name: least[name] - least[None] for name in base}


def counts(leyden, directory, n_lines, options):
    """Numbers of calls that give each primitive its share."""
    shares = dict(PLANTED)
    shares.update({name: (1 - sum(PLANTED.values())) / len(FILLERS) for name in FILLERS})
    times = times_of_calls(leyden, directory, n_lines, options)
    work = {name: share / times[name] for name, share in shares.items()}
    scale = n_lines / sum(work.values())
    return {name: max(1, round(scale * n)) for name, n in work.items()}


def planted_primitives(leyden, directory, n_runs, options):
    """The number of profiles that give all planted primitives their priorities."""
    n_lines = N_LINES["reference" if options else "fast"]
    n_right, planted = 0, counts(leyden, directory, n_lines, options)
    for run in range(n_runs):
        result = profile(leyden, directory, planted, options)
        found = {r["function"]: (r["gpu_priority"], r["percent_of_total"]) for r in result["aggregate"]["recommendations"]}
        is_right = all(found.get(name, ("none",))[0] == wanted for name, wanted in WANTED.items())
        n_right += is_right
        shown = ", ".join(f"{name} {found[name][1]:.1f} % {found[name][0]}" for name in WANTED if name in found)
        print(f"run {run + 1}: {'right' if is_right else 'WRONG'}: {shown}", flush=True)
    return n_right


# The order of the result depends on whether both operands are one set. The fast engine
# leaves `first` and `last` of such a result to the reference engine, and with them the whole program.
SLOW_LINES = ["asindices(I)", "intersection(x1, x1)"]


def slow_path_programs():
    def solver(name, lines):
        lines = [f"    x{k + 1} = {line}" for k, line in enumerate(lines)]
        return f"def {name}(I):\n" + "\n".join(lines) + "\n    return I\n"

    many = [f"{name}(I)" for name in ["rot90", "dmirror", "vmirror", "objects"] for _ in range(20)]
    many = [line.replace("objects(I)", "objects(I, T, F, F)") for line in many]
    programs = [
        solver("solve_00000001_fast", many),
        solver("solve_00000001_planted", [*SLOW_LINES, "first(x2)", *many]),
        solver("solve_00000001_other", [*SLOW_LINES, "last(x2)"]),
        solver("solve_00000001_short", ["hmirror(I)", "rot90(I)"]),
    ]
    return "\n".join(programs)


def planted_slow_path(leyden, directory, n_runs, options):
    """The number of profiles that name the planted slow path first."""
    n_right = 0
    (directory / "a.py").write_text(slow_path_programs())
    n_samples = len(task()["train"]) + len(task()["test"])
    for run in range(n_runs):
        result = on(leyden, directory, ["profile", "dsl", "--format", "json"], options)
        slow = result["slow_path"]
        first = slow[0] if slow else {}
        is_right = (first.get("reason"), first.get("primitive")) == ("order", "first")
        is_right &= first.get("programs") == ["solve_00000001_planted"] and first.get("n_runs") == n_samples
        is_right &= sum(row["n_programs"] for row in slow) == 2
        n_right += is_right
        whole = result["totals"]["execute_ns"]
        shown = ", ".join(f"{row['primitive']} ({row['reason']}) {100 * row['time_ns'] / whole:.1f} %" for row in slow)
        print(f"run {run + 1}: {'right' if is_right else 'WRONG'}: {shown}", flush=True)
    return n_right


PLANTED_ON = {
    "fast": (planted_primitives, []),
    "reference": (planted_primitives, ["--exact-order"]),
    "slow-path": (planted_slow_path, []),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leyden", required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--engine", nargs="+", choices=PLANTED_ON, default=list(PLANTED_ON))
    args = parser.parse_args()
    is_right = True
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "00000001.json").write_text(json.dumps(task()))
        for engine in args.engine:
            check, options = PLANTED_ON[engine]
            print(f"{engine}:")
            n_right = check(args.leyden, directory, args.runs, options)
            print(f"{n_right} of {args.runs} right")
            is_right &= n_right == args.runs
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
