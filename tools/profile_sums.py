#!/usr/bin/env python3
"""Checks that lines add up to the execute time, and that equal runs give equal tables.

    tools/profile_sums.py --leyden target/release/leyden --solvers arc-dsl/solvers.py
        [--tokpidjin solvers_pre.py] [--battery FILE] [--generated batt.py] [--runs 10]

For each workload `leyden profile lines` runs several times. The tool prints, over all runs, the smallest and the
largest share of the execute time that lines have. It prints it also with the work around lines (inputs, outcomes,
memory, scheduling), which is measured separately and has to make it 100 %, and for rows that have more
than 5 % of the time the difference between runs in points. The exit code tells whether the
sums are within 2 % and the rows within 2 points in all runs.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

TOLERANCE = 2.0
LEAST_SHARE = 5.0


def profile(leyden, args):
    command = [leyden, "profile", "lines", *map(str, args), "--format", "json"]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{ran.stderr}")
    return json.loads(ran.stdout)


def percent(part, whole):
    return 100 * part / max(whole, 1)


def sums(found):
    """The shares of lines, and of lines with the work around them."""
    totals = found["totals"]
    lines = sum(line["time_ns"] for line in found["lines"])
    whole = totals["execute_ns"]
    return percent(lines, whole), percent(lines + totals.get("outside_lines_ns", 0), whole)


def spreads(profiles):
    """For each row with more than 5 %, the points between its smallest and its largest share."""
    shares = {}
    for found in profiles:
        whole = found["totals"]["execute_ns"]
        for row in found["primitives"]:
            shares.setdefault(row["name"], []).append(percent(row["self_ns"], whole))
    spread = lambda of: max(of) - (min(of) if len(of) == len(profiles) else 0)
    return {name: spread(of) for name, of in shares.items() if max(of) > LEAST_SHARE}


def check(leyden, name, args, n_runs):
    profiles = [profile(leyden, args) for _ in range(n_runs)]
    lines, whole = zip(*map(sums, profiles))
    reference = [percent(p["totals"].get("reference_ns", 0), p["totals"]["execute_ns"]) for p in profiles]
    rows = spreads(profiles)
    worst = max(rows, key=rows.get, default=None)
    off = max(abs(100 - share) for share in whole)
    is_right = off <= TOLERANCE and all(spread <= TOLERANCE for spread in rows.values())
    print(f"{name:24} {'ok   ' if is_right else 'WRONG'} lines {min(lines):5.1f} to {max(lines):5.1f} %, "
          f"with what is around them {min(whole):6.2f} to {max(whole):6.2f} %, "
          f"reference engine {min(reference):5.1f} to {max(reference):5.1f} %, "
          f"{len(rows)} rows above 5 %" + (f", most: {worst} by {rows[worst]:.2f} points" if worst else ""), flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leyden", required=True)
    parser.add_argument("--solvers", required=True, help="programs of arc-dsl")
    parser.add_argument("--tokpidjin", help="programs of tokpidjin")
    parser.add_argument("--battery", help="a battery; without it one is made from --solvers")
    parser.add_argument("--generated", help="a batt file that tokpidjin generated")
    parser.add_argument("--data", default="arc1:training")
    parser.add_argument("--runs", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        battery = args.battery
        if battery is None:
            battery = pathlib.Path(name) / "made.batt"
            card = ["card", "-c", "40", "--seed", "1", "--data", "demo", "--solvers", args.solvers, "--out", battery]
            subprocess.run([args.leyden, *card], check=True, capture_output=True)
        workloads = [
            ("fast engine", [args.solvers, "--data", args.data]),
            ("--exact-order", [args.solvers, "--data", args.data, "--exact-order"]),
            ("tokpidjin's programs", [args.tokpidjin, "--data", args.data]),
            ("a battery", [battery, "--data", "demo"]),
            ("a generated batt file", ["--battery", args.generated, "--data", "demo"]),
        ]
        wanted = [(name, of) for name, of in workloads if None not in of]
        right = [check(args.leyden, name, of, args.runs) for name, of in wanted]
    print(f"{sum(right)} of {len(right)} workloads right in {args.runs} runs each")
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
